package io.faultline.bench.suite;

import java.time.Duration;
import picocli.CommandLine.Command;

/** The long experiments of correctness, in full length. */
@Command(
        name = "correctness",
        description = {
            "the long experiments one after the other: releases of Kafka, truncations, outages, a soak; about two hours",
            "Each runs in a JVM of its own and says by its --help what it claims.",
            "It holds if each ends by itself and all that it claims holds."
        },
        mixinStandardHelpOptions = true)
public final class RunCorrectness extends SuiteExperiment {

    private static final Duration MOST = Duration.ofHours(5);

    /** Made by the command line. */
    public RunCorrectness() {
        super(
                MOST,
                new Part("kafka-matrix", Duration.ofHours(1)),
                new Part("kafka-truncation", Duration.ofHours(1)),
                new Part("outage", Duration.ofHours(2), "--all"),
                new Part("soak", Duration.ofHours(1)));
    }
}
