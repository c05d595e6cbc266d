package io.faultline.bench.detection;

import io.faultline.bench.Layout;
import io.faultline.bench.host.Answers;
import io.faultline.bench.host.JvmProcess;
import io.faultline.bench.host.TemporaryFolder;
import io.faultline.bench.measure.Figure;
import io.faultline.bench.measure.Samples;
import io.faultline.bench.measure.Target;
import io.faultline.bench.report.Experiment;
import io.faultline.bench.report.Report;
import io.faultline.bench.report.Table;
import io.faultline.disk.DiskTools;
import io.faultline.disk.FailingDisk;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * How long it takes from the first call that fails on a disk until its directory is offline, in a server with the agent, on a disk that really fails: while the server has nothing else to do, and while it
 * sends as fast as the machine can. The failing call is counted from its begin: the kernel's own failing read is part of it.
 */
@Command(
        name = "detect",
        description = {
            "from the first call that fails on a really failing disk until its directory is offline, idle and under load",
            "Milliseconds from the begin of the failing call, which holds the kernel's own failing read, and from its end: median, 95th percentile and most, over many directories.",
            "It must reach: idle, a 95th percentile of at most 10 ms."
        },
        mixinStandardHelpOptions = true)
public final class Detect extends Experiment {

    private static final long DISK_SIZE = 400L << 20;
    private static final int SEGMENT_BYTES = 256 << 10;
    private static final int BAD_BYTES = 4 << 10;
    private static final double TAIL = 0.95;
    private static final double MOST_MILLIS = 10;
    private static final double NANOS_PER_MILLI = 1e6;
    private static final int DIRECTORIES_IN_A_ROW = 10;
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @Option(
            names = "--directories",
            defaultValue = "100",
            description = "How many fail while a server is idle, and how many under load; ${DEFAULT-VALUE} by default.")
    private int directories;

    @Option(
            names = "--servers",
            defaultValue = "6",
            description =
                    "How many servers, one after the other, the directories fail under; ${DEFAULT-VALUE} by default.")
    private int servers;

    private final Map<Server, List<Double>> fromBegin = new EnumMap<>(Server.class);
    private final Map<Server, List<Double>> fromEnd = new EnumMap<>(Server.class);
    private final Map<Server, List<Double>> late = new EnumMap<>(Server.class);

    /** What the server does meanwhile. */
    private enum Server {
        IDLE,
        LOADED
    }

    /** Made by the command line. */
    public Detect() {}

    @Override
    protected void run(Layout layout, Report report) throws Exception {
        List<String> missing = DiskTools.missingForFailingDisk();
        if (!missing.isEmpty()) {
            throw new IllegalStateException("a disk that really fails needs " + String.join(", ", missing));
        }
        report.fact("directories", directories);
        report.fact("servers", servers);
        try (FailingDisk disk = FailingDisk.btrfs(DISK_SIZE);
                TemporaryFolder folder = TemporaryFolder.named("faultline-detect")) {
            Path healthy = directory(folder.make("healthy"), new Random(0));
            List<Path> failing = new ArrayList<>();
            for (int number = 0; number < directories * Server.values().length; number++) {
                failing.add(directory(
                        Files.createDirectory(disk.directory().resolve("disk-" + number)), new Random(number)));
            }
            for (Path directory : failing) {
                disk.poison(directory.resolve(DetectServer.SEGMENT), SEGMENT_BYTES / 2, BAD_BYTES);
            }
            report.say("%d directories have an unreadable block", failing.size());
            for (int number = 0; number < servers; number++) {
                try (JvmProcess server = start(layout, healthy, failing)) {
                    measure(server, failing);
                }
            }
            tell(report);
        }
    }

    private void measure(JvmProcess server, List<Path> failing) throws IOException, InterruptedException {
        server.awaitLine("woven ", PATIENCE);
        Answers answers = new Answers(server, PATIENCE);
        Server before = Server.IDLE;
        List<Server> order = order();
        for (int number = 0; number < failing.size(); number++) {
            Server state = order.get(number);
            if (state != before) {
                server.tell(state == Server.LOADED ? "load on" : "load off");
                before = state;
            }
            double[] took = answers.numbers("send " + failing.get(number), "took");
            fromBegin.computeIfAbsent(state, none -> new ArrayList<>()).add(took[0]);
            fromEnd.computeIfAbsent(state, none -> new ArrayList<>()).add(took[1]);
            late.computeIfAbsent(state, none -> new ArrayList<>()).add(answers.numbers("sleep", "late")[0]);
        }
    }

    private void tell(Report report) {
        Table table = new Table(List.of("p50, ms", "p95", "max"));
        for (Server state : fromBegin.keySet()) {
            String name = state == Server.IDLE ? "idle" : "under load";
            row(table, name + ", from the begin of the failing call", fromBegin.get(state));
            row(table, name + ", from its end", fromEnd.get(state));
            row(table, name + ", control: a sleep of 4 ms is late by", late.get(state));
        }
        report.table("From the first failing call to the directory offline", table);
        Samples idle = samples(fromBegin.get(Server.IDLE));
        report.figures(
                "What it must reach",
                List.of(Figure.of(
                        "idle, p95", "ms", Target.atMost(MOST_MILLIS), idle.quantile(TAIL), idle.values().length)));
    }

    /** What the server does while each of the directories fails: several in a row idle, several loaded, each time in an order that is drawn anew. */
    private List<Server> order() {
        Random random = new Random();
        List<Server> order = new ArrayList<>();
        for (int begun = 0; begun < directories; begun += DIRECTORIES_IN_A_ROW) {
            List<Server> both = new ArrayList<>(List.of(Server.values()));
            Collections.shuffle(both, random);
            int inARow = Math.min(DIRECTORIES_IN_A_ROW, directories - begun);
            both.forEach(state -> order.addAll(Collections.nCopies(inARow, state)));
        }
        return order;
    }

    private static JvmProcess start(Layout layout, Path healthy, List<Path> failing) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                layout.java().toString(),
                "-Xmx256m",
                "-javaagent:" + layout.agent() + "=mode=act,act.max.directories=" + failing.size(),
                "-cp",
                layout.bench().toString(),
                DetectServer.class.getName(),
                healthy.toString()));
        failing.forEach(directory -> command.add(directory.toString()));
        return JvmProcess.start("the server", new ProcessBuilder(command), null);
    }

    private static Path directory(Path path, Random random) throws IOException {
        byte[] content = new byte[SEGMENT_BYTES];
        random.nextBytes(content);
        Files.write(path.resolve(DetectServer.SEGMENT), content);
        return path;
    }

    private static void row(Table table, String name, List<Double> values) {
        Samples samples = samples(values);
        double most = Arrays.stream(samples.values()).max().orElseThrow();
        table.row(
                name,
                List.of(text(samples.median()), text(samples.quantile(TAIL).value()), text(most)));
    }

    private static String text(double millis) {
        return String.format("%.2f", millis);
    }

    private static Samples samples(List<Double> nanos) {
        return new Samples(
                nanos.stream().mapToDouble(each -> each / NANOS_PER_MILLI).toArray());
    }
}
