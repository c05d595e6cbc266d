package io.faultline.bench.suite;

import java.time.Duration;
import picocli.CommandLine.Command;

/** The experiments of performance, in 25 minutes on two cores. */
@Command(
        name = "all",
        description = {
            "the experiments of performance one after the other, and all figures in one table; 25 minutes on two cores",
            "Each runs in a JVM of its own and says by its --help what it measures, in which unit, and what it must reach.",
            "It holds if each ends by itself with a result, and misses nothing that it must reach."
        },
        mixinStandardHelpOptions = true)
public final class RunAll extends SuiteExperiment {

    private static final Duration MOST = Duration.ofMinutes(25);

    /** The fewest that give an interval; the experiment by itself starts brokers, which takes long, as often as an empty main. */
    private static final String BROKER_ROUNDS = "6";

    /** Made by the command line. */
    public RunAll() {
        super(
                MOST,
                part("transfer-overhead", 220, "--seconds", "100"),
                part("failed-send", 120),
                part("re-read", 120),
                part("detect", 90),
                part("storm", 240),
                part("startup", 300, "--broker-rounds", BROKER_ROUNDS),
                part("kafka-throughput", 400, "--seconds", "240"),
                part("broker-throughput", 400),
                part("client-throughput", 400),
                part("scale", 150));
    }

    /** Those limits are for a machine that hangs, and longer than what the experiments take. */
    private static Part part(String name, int mostSeconds, String... arguments) {
        return new Part(name, Duration.ofSeconds(mostSeconds), arguments);
    }
}
