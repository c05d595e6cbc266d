package io.faultline.bench.detection;

import io.faultline.bench.Layout;
import io.faultline.bench.host.AgentCounts;
import io.faultline.bench.host.Answers;
import io.faultline.bench.host.AttachedAgent;
import io.faultline.bench.host.JvmProcess;
import io.faultline.bench.host.KeptFailures;
import io.faultline.bench.host.TemporaryFolder;
import io.faultline.bench.measure.Figure;
import io.faultline.bench.measure.Interval;
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
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** A server whose every send fails, as fast as two threads can, from many log directories of which one has a disk that really fails. */
@Command(
        name = "storm",
        description = {
            "millions of failed sends from 32 log directories, one of them on a really failing disk: that one goes offline, no other, and nothing is lost count of",
            "Two threads send as fast as they can, to clients that are gone. Counted are sends, verdicts and re-reads; heap in use behind a collection and resident memory, in MiB.",
            "It must reach: the failing directory offline and no other; every send accounted for, exactly; no more heap than all queues full of failures take, which is computed from their capacities and from what a failure that is kept takes; resident memory that grows by no more than a stack and a buffer for each directory; never two re-reads at once in a directory."
        },
        mixinStandardHelpOptions = true)
public final class Storm extends Experiment {

    private static final int DIRECTORIES = 32;
    private static final int PARTS = 10;
    private static final long DISK_SIZE = 400L << 20;
    private static final int SEGMENT_BYTES = 64 << 10;
    private static final int BAD_BYTES = 4 << 10;
    private static final double NANOS_PER_SECOND = 1e9;
    private static final double MEBIBYTE = 1 << 20;

    /** So many sends come to every directory once. */
    private static final int ONCE_AROUND = StormServer.BURST * DIRECTORIES;

    /** Of a thread, the most that it touches. */
    private static final int STACK_BYTES = 1 << 20;

    /** Into which a directory's regions are read; it is not on the heap. */
    private static final int BUFFER_BYTES = 132 << 10;

    private static final Duration PATIENCE = Duration.ofMinutes(5);
    private static final Duration UNTIL_SETTLED = Duration.ofMinutes(2);
    private static final long LOOK_AGAIN_MILLIS = 200;

    @Option(
            names = "--sends",
            defaultValue = "5000000",
            description = "How many sends fail; ${DEFAULT-VALUE} by default.")
    private long sends;

    /** Made by the command line. */
    public Storm() {}

    @Override
    protected void run(Layout layout, Report report) throws Exception {
        List<String> missing = DiskTools.missingForFailingDisk();
        if (!missing.isEmpty()) {
            throw new IllegalStateException("a disk that really fails needs " + String.join(", ", missing));
        }
        report.fact("sends", sends);
        report.fact("directories", DIRECTORIES);
        try (FailingDisk disk = FailingDisk.btrfs(DISK_SIZE);
                TemporaryFolder folder = TemporaryFolder.named("faultline-storm")) {
            List<Path> directories = new ArrayList<>();
            for (int number = 1; number < DIRECTORIES; number++) {
                directories.add(directory(folder.make("healthy-" + number)));
            }
            Path bad = directory(Files.createDirectory(disk.directory().resolve("bad")));
            directories.add(bad);
            disk.poison(bad.resolve(StormServer.SEGMENT), SEGMENT_BYTES / 2, BAD_BYTES);
            Path checks = folder.path().resolve("checks.jfr");
            try (JvmProcess server = start(layout, checks, directories)) {
                server.awaitLine("woven ", PATIENCE);
                server.awaitLine("ready", PATIENCE);
                AttachedAgent agent = new AttachedAgent(layout, server.pid());
                storm(
                        new Answers(server, PATIENCE),
                        agent,
                        bad,
                        directories.get(0).resolve(StormServer.SEGMENT),
                        report);
                server.tell("end");
                server.awaitLine("written", PATIENCE);
                judge(Rereads.of(checks), report);
            }
        }
    }

    private void storm(Answers server, AttachedAgent agent, Path bad, Path segment, Report report)
            throws IOException, InterruptedException {
        long sent = (long) server.numbers(Integer.toString(ONCE_AROUND), "sent")[0];
        settled(agent); // each directory has all then that is made for it once, and nothing waits
        double before = server.numbers("memory", "memory")[0];
        Table table = new Table(List.of("failed sends", "per second", "heap after GC, MiB", "resident, MiB"));
        double[] heap = new double[PARTS];
        double[] resident = new double[PARTS];
        for (int part = 0; part < PARTS; part++) {
            double[] answer = server.numbers(Long.toString(sends / PARTS), "sent");
            sent += (long) answer[0];
            heap[part] = answer[1];
            resident[part] = answer[2];
            table.row(
                    (part + 1) + " of " + PARTS,
                    List.of(
                            sent,
                            Math.round(answer[0] / (answer[3] / NANOS_PER_SECOND)),
                            mebibytes(heap[part]),
                            mebibytes(resident[part])));
        }
        report.table("Memory as it goes", table);
        AgentCounts counts = settled(agent);
        double after = server.numbers("memory", "memory")[0];
        String offline = server.text("offline", "offline").strip();
        Table accounts = new Table(List.of("count"));
        accounts.row("sends that failed", List.of(sent));
        for (String name : List.of("handed-over", "verdicts", "dropped", "expired", "skipped", "pending")) {
            accounts.row(name, List.of(counts.get(name)));
        }
        report.table("What became of them", accounts);
        boolean onlyTheBad = offline.equals(bad.toString());
        report.claim(
                onlyTheBad, "the bad directory is offline and no other: " + (onlyTheBad ? bad.getFileName() : offline));
        report.claim(counts.sum("failures.") == sent, "every failed send was counted: " + counts.sum("failures."));
        report.claim(counts.get("handed-over") == sent, "every failed send was handed over");
        report.claim(counts.get("pending") == 0 && counts.balance(), "and accounted for, exactly");
        report.fact("heap before the storm, MiB", mebibytes(before));
        report.fact("heap when nothing waits any more, MiB", mebibytes(after));
        judgeMemory(Arrays.stream(heap).max().orElseThrow() - before, growth(resident), segment, report);
    }

    /**
     * The heap may hold what waits for its verdict: as many failures as the queues have room for, each with its exception. Beside the heap, which is in memory as a whole from the start, the check threads come and
     * go, one for each directory at the most, each with its stack and its buffer. Neither depends on how many sends have failed.
     */
    private static void judgeMemory(double heap, double resident, Path segment, Report report)
            throws IOException, InterruptedException {
        long kept = KeptFailures.most(DIRECTORIES);
        double bytes = KeptFailures.bytesOfOne(segment);
        report.fact("failures that wait at the most", kept);
        report.fact("heap of one that waits, bytes", Math.round(bytes));
        report.figures(
                "Memory",
                List.of(
                        Figure.of(
                                "heap beyond that before the storm, most seen",
                                "MiB",
                                Target.atMost(kept * bytes / MEBIBYTE),
                                Interval.exact(heap / MEBIBYTE),
                                PARTS),
                        Figure.of(
                                "resident memory, second half above the first",
                                "MiB",
                                Target.atMost(DIRECTORIES * (STACK_BYTES + BUFFER_BYTES) / MEBIBYTE),
                                Interval.exact(resident / MEBIBYTE),
                                PARTS)));
    }

    private static void judge(Rereads rereads, Report report) {
        report.say("%,d re-reads in %d directories", rereads.count(), rereads.directories());
        report.fact("re-reads", rereads.count());
        report.claim(rereads.directories() == DIRECTORIES, "each directory was looked at");
        report.claim(rereads.atOnce() == 0, "never two re-reads at once in a directory, but " + rereads.atOnce());
    }

    /** What still waits for its check when the last send has failed gets its verdict. */
    private static AgentCounts settled(AttachedAgent agent) throws IOException, InterruptedException {
        long deadline = System.nanoTime() + UNTIL_SETTLED.toNanos();
        AgentCounts counts = agent.counts();
        while (counts.get("pending") > 0 && System.nanoTime() < deadline) {
            TimeUnit.MILLISECONDS.sleep(LOOK_AGAIN_MILLIS);
            counts = agent.counts();
        }
        return counts;
    }

    /** The median of the second half above that of the first half, of which the first part is left out: there the JVM still compiles. */
    private static double growth(double[] values) {
        Samples before = new Samples(Arrays.copyOfRange(values, 1, PARTS / 2));
        Samples after = new Samples(Arrays.copyOfRange(values, PARTS / 2, PARTS));
        return after.median() - before.median();
    }

    private static long mebibytes(double bytes) {
        return Math.round(bytes / MEBIBYTE);
    }

    private static JvmProcess start(Layout layout, Path checks, List<Path> directories) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                layout.java().toString(),
                "-Xms256m",
                "-Xmx256m",
                "-XX:+AlwaysPreTouch",
                "-Xss" + STACK_BYTES,
                "-XX:+UseSerialGC",
                "-javaagent:" + layout.agent() + "=mode=act,act.max.directories=" + DIRECTORIES,
                "-cp",
                layout.bench().toString(),
                StormServer.class.getName(),
                checks.toString()));
        directories.forEach(directory -> command.add(directory.toString()));
        return JvmProcess.start("the server", new ProcessBuilder(command), null);
    }

    private static Path directory(Path path) throws IOException {
        byte[] content = new byte[SEGMENT_BYTES];
        new Random(path.hashCode()).nextBytes(content);
        Files.write(path.resolve(StormServer.SEGMENT), content);
        return path;
    }
}
