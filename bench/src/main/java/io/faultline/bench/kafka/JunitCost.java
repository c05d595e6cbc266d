package io.faultline.bench.kafka;

import io.faultline.bench.Layout;
import io.faultline.bench.host.JvmProcess;
import io.faultline.bench.host.TemporaryFolder;
import io.faultline.bench.junit.TestRuns;
import io.faultline.bench.junit.TestRuns.Side;
import io.faultline.bench.measure.Interval;
import io.faultline.bench.measure.Samples;
import io.faultline.bench.report.Experiment;
import io.faultline.bench.report.Report;
import io.faultline.bench.report.Table;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * What a JUnit test costs that starts a broker, has one record produced and consumed and stops the broker: on the bundled broker with its extension, and on Apache Kafka with
 * Kafka's own test kit. Both run by turns, in random order: first each test in a JVM of its own, then in one JVM for each side that has run some before.
 */
@Command(
        name = "junit-cost",
        description = {
            "what a JUnit test costs on the bundled broker, beside one on an Apache Kafka in the same JVM",
            "Milliseconds by the clock and of processor time for a test that starts a broker, has a record produced and consumed, and stops it.",
            "It must reach: at most a tenth of a test on Apache Kafka in a warm JVM, and less than one in a JVM of its own."
        },
        mixinStandardHelpOptions = true)
public final class JunitCost extends Experiment {

    /** At most this part of what a test on Apache Kafka costs, in a JVM that is warm. */
    private static final double MOST = 0.10;

    private static final double NANOS_PER_MILLI = 1e6;
    private static final Duration PATIENCE = Duration.ofMinutes(10);

    @Option(
            names = "--kafka",
            paramLabel = "VERSION",
            defaultValue = "4.3.1",
            description =
                    "The release of Kafka whose test kit is used; ${DEFAULT-VALUE} by default, the latest that comes with all that its kit needs.")
    private String version;

    @Option(
            names = "--rounds",
            defaultValue = "15",
            description = "How often each side runs; ${DEFAULT-VALUE} by default.")
    private int rounds;

    @Option(
            names = "--warm-up",
            defaultValue = "30",
            description = "How often each side runs in the warm JVM before it counts; ${DEFAULT-VALUE} by default.")
    private int warmUp;

    private final Random random = new Random(1);

    /** Made by the command line. */
    public JunitCost() {}

    @Override
    protected void run(Layout layout, Report report) throws Exception {
        report.fact("kafka", version);
        report.fact("rounds", rounds);
        KafkaJars jars = KafkaJars.ofTestKit(layout, KafkaVersion.of(version));
        try (TemporaryFolder folder = TemporaryFolder.named("faultline-junit-cost")) {
            Figures cold = cold(layout, jars, folder);
            report.say("each in a JVM of its own: done");
            Figures warm = warm(layout, jars, folder);
            Table table = new Table(List.of("bundled broker, ms", "Apache Kafka, ms", "ratio", "95 % interval"));
            row(table, "a JVM of its own, the whole process", cold.wall());
            row(table, "a warm JVM, the test alone", warm.wall());
            row(table, "the same, time of the processors", warm.processors());
            report.table("One test, medians", table);
            Interval ratio = ratio(warm.wall());
            report.claim(
                    ratio.high() < MOST,
                    String.format("in a warm JVM a test costs less than %.0f %%: %s", 100 * MOST, ratio));
            Interval ofProcess = ratio(cold.wall());
            report.claim(ofProcess.high() < 1, "in a JVM of its own it costs less too: " + ofProcess);
        }
    }

    private Interval ratio(Map<Side, Samples> samples) {
        return samples.get(Side.BUNDLED).over(samples.get(Side.APACHE), random);
    }

    private void row(Table table, String name, Map<Side, Samples> samples) {
        Interval ratio = ratio(samples);
        table.row(
                name,
                List.of(
                        Math.round(samples.get(Side.BUNDLED).median()),
                        Math.round(samples.get(Side.APACHE).median()),
                        String.format("%.1f %%", 100 * ratio.value()),
                        String.format("[%.1f, %.1f]", 100 * ratio.low(), 100 * ratio.high())));
    }

    /**
     * What one run took.
     *
     * @param wall milliseconds by the clock
     * @param processors milliseconds that its threads ran
     */
    private record Took(double wall, double processors) {}

    /** What all runs took, for each side. */
    private record Figures(Map<Side, Samples> wall, Map<Side, Samples> processors) {}

    /** Of every pair one runs right after the other, so that what the machine does besides meets both. */
    private Figures byTurns(int uncounted, OneRun run) throws IOException, InterruptedException {
        Map<Side, double[]> wall = new EnumMap<>(Side.class);
        Map<Side, double[]> processors = new EnumMap<>(Side.class);
        for (Side side : Side.values()) {
            wall.put(side, new double[rounds]);
            processors.put(side, new double[rounds]);
        }
        List<Side> order = new ArrayList<>(List.of(Side.values()));
        for (int round = -uncounted; round < rounds; round++) {
            Collections.shuffle(order, random);
            for (Side side : order) {
                Took took = run.of(side);
                if (round >= 0) {
                    wall.get(side)[round] = took.wall();
                    processors.get(side)[round] = took.processors();
                }
            }
        }
        return new Figures(samples(wall), samples(processors));
    }

    private static Map<Side, Samples> samples(Map<Side, double[]> values) {
        Map<Side, Samples> samples = new EnumMap<>(Side.class);
        values.forEach((side, ofSide) -> samples.put(side, new Samples(ofSide)));
        return samples;
    }

    /** A run of the test. */
    @FunctionalInterface
    private interface OneRun {

        Took of(Side side) throws IOException, InterruptedException;
    }

    private Figures cold(Layout layout, KafkaJars jars, TemporaryFolder folder)
            throws IOException, InterruptedException {
        // Once each before anything counts: the jars come into the page cache.
        return byTurns(1, side -> {
            long began = System.nanoTime();
            try (JvmProcess process = start(layout, jars, folder, side)) {
                process.tell("run");
                Took inside = took(process, 1);
                return new Took((System.nanoTime() - began) / NANOS_PER_MILLI, inside.processors());
            }
        });
    }

    private Figures warm(Layout layout, KafkaJars jars, TemporaryFolder folder)
            throws IOException, InterruptedException {
        try (JvmProcess bundled = start(layout, jars, folder, Side.BUNDLED);
                JvmProcess apache = start(layout, jars, folder, Side.APACHE)) {
            Map<Side, JvmProcess> processes = Map.of(Side.BUNDLED, bundled, Side.APACHE, apache);
            Map<Side, Integer> runs = new EnumMap<>(Side.class);
            return byTurns(warmUp, side -> {
                JvmProcess process = processes.get(side);
                process.tell("run");
                return took(process, runs.merge(side, 1, Integer::sum));
            });
        }
    }

    private static Took took(JvmProcess process, int run) throws IOException, InterruptedException {
        String text = "run " + run + " took ";
        String line = process.awaitLine(text, PATIENCE);
        String[] nanos = line.substring(line.indexOf(text) + text.length()).split(" ");
        return new Took(Long.parseLong(nanos[0]) / NANOS_PER_MILLI, Long.parseLong(nanos[1]) / NANOS_PER_MILLI);
    }

    private static JvmProcess start(Layout layout, KafkaJars jars, TemporaryFolder folder, Side side)
            throws IOException {
        List<String> command = List.of(
                layout.java().toString(),
                "-Xmx512m",
                "-Dlog4j2.StatusLogger.level=OFF",
                "-cp",
                // Apache Kafka needs the clients of its own release before ours. JUnit is ours on both sides.
                side == Side.BUNDLED
                        ? layout.bench().toString()
                        : layout.junit() + ":" + jars.classPath() + ":" + layout.bench(),
                TestRuns.class.getName(),
                side.name());
        return JvmProcess.start(
                "the tests on " + side,
                new ProcessBuilder(command).directory(folder.path().toFile()),
                null);
    }
}
