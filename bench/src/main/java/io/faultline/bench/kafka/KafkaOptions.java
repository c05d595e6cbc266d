package io.faultline.bench.kafka;

import io.faultline.bench.Layout;
import io.faultline.bench.report.Report;
import java.nio.file.Path;
import picocli.CommandLine.Mixin;

/** What the experiments with one release of Kafka have in common. */
final class KafkaOptions {

    @Mixin
    private KafkaRelease release;

    @Mixin
    private NodeOptions nodes;

    KafkaVersion version() {
        return release.version();
    }

    Path java(Layout layout) {
        return nodes.java(layout);
    }

    Path logs() {
        return nodes.logs();
    }

    void describe(Report report) {
        release.describe(report);
        nodes.describe(report);
    }
}
