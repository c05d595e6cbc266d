package io.faultline.bench.scale;

import io.faultline.bench.Layout;
import io.faultline.bench.host.AgentCounts;
import io.faultline.bench.host.AgentInThisJvm;
import io.faultline.bench.host.KeptFailures;
import io.faultline.bench.host.TemporaryFolder;
import io.faultline.bench.measure.Comparison;
import io.faultline.bench.measure.Effect;
import io.faultline.bench.measure.Figure;
import io.faultline.bench.measure.Interleaved;
import io.faultline.bench.measure.Interval;
import io.faultline.bench.measure.Length;
import io.faultline.bench.measure.Rounds;
import io.faultline.bench.measure.Samples;
import io.faultline.bench.measure.Target;
import io.faultline.bench.report.Experiment;
import io.faultline.bench.report.Report;
import io.faultline.bench.report.Table;
import io.faultline.classifier.FailureFeed;
import io.faultline.classifier.Subscription;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.function.DoubleBinaryOperator;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * Whether the cost of a failing send stays the same as log directories, files, threads and failures become many, and whether what is kept of the failures stays within its bound.
 */
@Command(
        name = "scale",
        description = {
            "the cost of failing sends as directories, files, threads and failures become many",
            "Microseconds of processor time of the calling thread for each call, on and off by turns, with 1 to 1,000 log directories, 10 to 100,000 files and 1 to 64 threads; then a storm, with the failures that are kept and the heap.",
            "It must reach: at most 0.5 us more for a call where there is the most than where there is the least; a failure of the storm at most 1.2 times what one alone takes; no more failures kept than the queues have room for; at most 8 MiB of heap left of it; every failure accounted for."
        },
        mixinStandardHelpOptions = true)
public final class Scale extends Experiment {

    /** Microseconds that a call may cost more where there is the most of something, instead of the least. */
    private static final double MOST_MORE_MICROS = 0.5;

    /** How many times the cost of a failure alone one of a storm may have. */
    private static final double MOST_IN_STORM = 1.2;

    private static final double MOST_MEBIBYTES_LEFT = 8;

    private static final int FILE_BYTES = 4 << 10;
    private static final int MOST_THREADS = 64;
    private static final int BATCHES = 3;
    private static final int CALLS = 1_500;
    private static final int STORM_BATCH = 10_000;
    private static final int STORM_THREADS = 2;
    private static final long WARM_UP_NANOS = TimeUnit.MILLISECONDS.toNanos(200);
    private static final Duration PATIENCE = Duration.ofSeconds(120);
    private static final double NANOS_PER_MICRO = 1e3;
    private static final double MEBIBYTE = 1 << 20;

    private enum Side {
        OFF,
        ON
    }

    /** Opens what is to be sent. */
    @FunctionalInterface
    private interface Opened {
        List<FileChannel> files() throws IOException;
    }

    /** A size of something: the files that are sent, and how many threads send them. */
    private record Point(String what, int size, Opened opened, int threads) {

        String name() {
            return String.format("%s: %,d", what, size);
        }
    }

    @Mixin
    private final Length length = new Length(45);

    @Option(
            names = "--directories",
            defaultValue = "1000",
            description = "The most log directories; ${DEFAULT-VALUE} by default.")
    private int directories;

    @Option(names = "--files", defaultValue = "100000", description = "The most files; ${DEFAULT-VALUE} by default.")
    private int files;

    @Option(
            names = "--failures",
            defaultValue = "1000000",
            description = "The most failures; ${DEFAULT-VALUE} by default.")
    private int failures;

    /** Made by the command line. */
    public Scale() {}

    @Override
    protected void run(Layout layout, Report report) throws Exception {
        try (TemporaryFolder folder = TemporaryFolder.named("faultline-scale");
                Directories server = Directories.in(folder, directories, files, FILE_BYTES);
                AgentInThisJvm agent = AgentInThisJvm.attach(
                        layout,
                        "check.rate=1000000,metrics.port=0,log=" + folder.path().resolve("agent.log"));
                Callers callers = Callers.make(MOST_THREADS)) {
            report.say("%,d directories, %,d files", directories, files);
            Subscription registered = FailureFeed.ofThisJvm().register(server);
            try {
                flat(agent, callers, points(server), report);
                agent.on();
                storm(agent, callers, server.oneInEach(directories), report);
            } finally {
                registered.close();
            }
        }
    }

    private List<Point> points(Directories server) {
        List<Point> points = new ArrayList<>();
        for (int number = 1; number <= directories; number *= 10) {
            int size = number;
            points.add(new Point("directories", number, () -> server.oneInEach(size), 1));
        }
        for (int number = 10; number <= files; number *= 10) {
            int size = number;
            points.add(new Point("files", number, () -> server.manyInOne(size), 1));
        }
        for (int number = 1; number <= MOST_THREADS; number *= 4) {
            points.add(new Point("threads", number, () -> server.manyInOne(10), number));
        }
        return points;
    }

    private void flat(AgentInThisJvm agent, Callers callers, List<Point> points, Report report) throws Exception {
        Rounds<Side> rounds = length.of(
                Interleaved.ofAll(Side.OFF, () -> {
                            agent.off();
                            return micros(callers, points);
                        })
                        .withAll(Side.ON, () -> {
                            agent.on();
                            return micros(callers, points);
                        }),
                1,
                1);
        Table table = new Table(List.of("agent off, us", "agent on, us"));
        Map<String, Point> least = new LinkedHashMap<>();
        Map<String, Point> most = new LinkedHashMap<>();
        for (Point point : points) {
            Comparison comparison = rounds.compare(Side.ON, point.name());
            table.row(
                    point.name(),
                    List.of(
                            String.format("%.2f", comparison.base().median()),
                            String.format("%.2f", comparison.candidate().median())));
            least.putIfAbsent(point.what(), point);
            most.put(point.what(), point);
        }
        report.table("A transferTo that fails, processor time of the calling thread, medians", table);
        List<Figure> figures = new ArrayList<>();
        least.forEach((what, from) -> {
            Point to = most.get(what);
            figures.add(Figure.of(
                    String.format("%s: %,d instead of %,d", what, to.size(), from.size()),
                    "us",
                    Target.atMost(MOST_MORE_MICROS),
                    more(rounds.compare(Side.ON, from.name()), rounds.compare(Side.ON, to.name()))));
        });
        report.figures("How much more the agent adds to a call where there is more", figures);
    }

    /** By how much what is added in one place is more than in another; the control is what the base seems to add to itself. */
    private static Effect more(Comparison here, Comparison there) {
        DoubleBinaryOperator minus = (a, b) -> a - b;
        return Effect.of(
                there.candidate()
                        .pairedWith(there.base(), minus)
                        .pairedWith(here.candidate().pairedWith(here.base(), minus), minus),
                there.control()
                        .pairedWith(there.base(), minus)
                        .pairedWith(here.control().pairedWith(here.base(), minus), minus));
    }

    private static Map<String, Double> micros(Callers callers, List<Point> points) throws Exception {
        Point first = points.get(0);
        long began = System.nanoTime();
        while (System.nanoTime() - began < WARM_UP_NANOS) {
            callers.nanos(first.opened().files(), 1, CALLS, FILE_BYTES);
        }
        Map<String, Double> values = new LinkedHashMap<>();
        for (int batch = 0; batch < BATCHES; batch++) {
            for (Point point : points) {
                List<FileChannel> files = point.opened().files();
                double nanos =
                        callers.nanos(files, point.threads(), Math.max(CALLS / point.threads(), 100), FILE_BYTES);
                values.merge(point.name(), nanos / NANOS_PER_MICRO, Math::min);
            }
        }
        return values;
    }

    private void storm(AgentInThisJvm agent, Callers callers, List<FileChannel> sent, Report report) throws Exception {
        awaitSettled(agent);
        double[] alone = new double[30];
        for (int failure = 0; failure < alone.length; failure++) {
            alone[failure] = callers.nanos(sent, 1, 100, FILE_BYTES) / NANOS_PER_MICRO;
            awaitSettled(agent);
        }
        double before = mebibytesUsed();
        AgentCounts countsBefore = agent.counts();
        double[] inStorm = new double[failures / STORM_BATCH / STORM_THREADS];
        long mostPending = 0;
        for (int batch = 0; batch < inStorm.length; batch++) {
            inStorm[batch] = callers.nanos(sent, STORM_THREADS, STORM_BATCH, FILE_BYTES) / NANOS_PER_MICRO;
            mostPending = Math.max(mostPending, agent.counts().get("pending"));
        }
        double held = mebibytesUsed();
        awaitSettled(agent);
        double after = mebibytesUsed();
        AgentCounts counts = agent.counts();
        long offered = (long) inStorm.length * STORM_BATCH * STORM_THREADS;
        Table table = new Table(List.of("failures"));
        for (String account : List.of("handed-over", "verdicts", "dropped", "expired", "skipped")) {
            table.row(account, List.of(counts.get(account) - countsBefore.get(account)));
        }
        report.table(String.format("What became of %,d failures in %,d directories", offered, directories), table);
        report.fact(
                "heap before, at the end of the storm and when it is settled, MiB",
                String.format("%.0f, %.0f, %.0f", before, held, after));
        report.claim(counts.get("handed-over") - countsBefore.get("handed-over") == offered, "all are handed over");
        report.claim(counts.balance(), "every failure is accounted for, exactly");
        long bound = KeptFailures.most(directories);
        report.figures(
                "A storm of failures",
                List.of(
                        Figure.of(
                                "a failure of the storm, beside one of a hundred",
                                "x",
                                Target.atMost(MOST_IN_STORM),
                                new Samples(inStorm).over(new Samples(alone), new Random(1)),
                                inStorm.length),
                        Figure.of(
                                "failures kept at once, most seen",
                                "failures",
                                Target.atMost(bound),
                                Interval.exact(mostPending),
                                inStorm.length),
                        Figure.of(
                                "heap that is left of it",
                                "MiB",
                                Target.atMost(MOST_MEBIBYTES_LEFT),
                                Interval.exact(after - before),
                                1)));
    }

    private static double mebibytesUsed() {
        return KeptFailures.heapInUse() / MEBIBYTE;
    }

    private static void awaitSettled(AgentInThisJvm agent) throws Exception {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (agent.counts().get("pending") > 0) {
            if (System.nanoTime() > deadline) {
                throw new IOException("the checks do not end: " + agent.counts());
            }
            Thread.sleep(2);
        }
    }
}
