package io.faultline.bench.kafka;

import io.faultline.bench.report.Report;
import picocli.CommandLine.Option;

/** Which release of Apache Kafka an experiment starts, as an option of its command line. */
public final class KafkaRelease {

    @Option(
            names = "--kafka",
            paramLabel = "VERSION",
            defaultValue = "4.4.0",
            description = "The release of Kafka; ${DEFAULT-VALUE} by default.")
    private String version;

    /** Made by the command line. */
    public KafkaRelease() {}

    /**
     * The release.
     *
     * @return what was asked for, or the default
     * @throws IllegalArgumentException if that is no version
     */
    public KafkaVersion version() {
        return KafkaVersion.of(version);
    }

    /**
     * Says which it is.
     *
     * @param report takes it as a fact
     */
    public void describe(Report report) {
        report.fact("kafka", version);
    }
}
