package io.faultline.bench.kafka;

import io.faultline.bench.Layout;
import io.faultline.bench.report.Report;
import java.nio.file.Path;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** What the experiments with one release of Kafka have in common. */
final class KafkaOptions {

    @Option(
            names = "--kafka",
            paramLabel = "VERSION",
            defaultValue = "4.4.0",
            description = "The release of Kafka; ${DEFAULT-VALUE} by default.")
    private String version;

    @Mixin
    private NodeOptions nodes;

    KafkaVersion version() {
        return KafkaVersion.of(version);
    }

    Path java(Layout layout) {
        return nodes.java(layout);
    }

    Path logs() {
        return nodes.logs();
    }

    void describe(Report report) {
        report.fact("kafka", version);
        nodes.describe(report);
    }
}
