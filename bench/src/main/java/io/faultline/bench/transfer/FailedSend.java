package io.faultline.bench.transfer;

import io.faultline.bench.Layout;
import io.faultline.bench.host.AgentCounts;
import io.faultline.bench.host.AgentInThisJvm;
import io.faultline.bench.host.GoneClient;
import io.faultline.bench.host.TemporaryFolder;
import io.faultline.bench.measure.CpuTime;
import io.faultline.bench.measure.Figure;
import io.faultline.bench.measure.Interleaved;
import io.faultline.bench.measure.Length;
import io.faultline.bench.measure.Rounds;
import io.faultline.bench.measure.Target;
import io.faultline.bench.report.Experiment;
import io.faultline.bench.report.Report;
import io.faultline.bench.report.Table;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/**
 * What a send that fails costs the thread that sends: without the agent, with the agent where nothing is being checked in the file's directory, and where a check reads all the while. The clients are
 * really gone and the kernel says so; the time is that of the processor for the calling thread, of the least disturbed of some batches.
 */
@Command(
        name = "failed-send",
        description = {
            "what the agent adds to a transferTo that fails, for the calling thread",
            "Microseconds of processor time of that thread for each call, beside no agent: with nothing being checked in the directory of the file, and while a check reads there.",
            "It must reach: at most 2 us more, and at most 0.5 us more while a check reads."
        },
        mixinStandardHelpOptions = true)
public final class FailedSend extends Experiment {

    private static final double MOST_IDLE_MICROS = 2;
    private static final double MOST_CHECKING_MICROS = 0.5;

    private static final int BATCHES = 12;

    /** Fewer than fit the drain's tick: nothing is checked while they are made. */
    private static final int CALLS = 100;

    private static final int SENT = 4 << 10;

    /** Reading it takes far longer than the batches do. */
    private static final long LONG_CHECK = 1L << 30;

    private static final long WARM_UP_NANOS = TimeUnit.MILLISECONDS.toNanos(250);
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final double NANOS_PER_MICRO = 1e3;

    private enum Side {
        OFF,
        IDLE,
        CHECKING
    }

    @Mixin
    private final Length length = new Length(60);

    /** Made by the command line. */
    public FailedSend() {}

    @Override
    protected void run(Layout layout, Report report) throws Exception {
        try (TemporaryFolder folder = TemporaryFolder.named("faultline-failed-send");
                // A budget that no check comes near to: it shall read, and not wait.
                AgentInThisJvm agent = AgentInThisJvm.attach(
                        layout,
                        "check.rate=1000000,metrics.port=0,log=" + folder.path().resolve("agent.log"));
                FileChannel file = sparse(folder.path().resolve("segment"));
                GoneClient client = GoneClient.make()) {
            Rounds<Side> rounds = length.of(
                    Interleaved.of(Side.OFF, () -> {
                                awaitIdle(agent);
                                agent.off();
                                warmUp(file, client);
                                return least(file, client, () -> {});
                            })
                            .with(Side.IDLE, () -> {
                                agent.on();
                                warmUp(file, client);
                                return least(file, client, () -> awaitIdle(agent));
                            })
                            .with(Side.CHECKING, () -> {
                                agent.on();
                                warmUp(file, client);
                                awaitIdle(agent);
                                client.failToSend(file, LONG_CHECK, 1);
                                return least(file, client, () -> ensureChecking(agent, file, client));
                            }),
                    1,
                    1);
            awaitIdle(agent);
            report.claim(agent.counts().balance(), "every failure is accounted for, exactly");
            show(rounds, report);
        }
    }

    private static void show(Rounds<Side> rounds, Report report) {
        Table table = new Table(List.of("us"));
        for (Side side : Side.values()) {
            table.row(side.name(), List.of(String.format("%.2f", rounds.of(side).median())));
        }
        report.table("A transferTo that fails, processor time of the calling thread, medians", table);
        report.figures(
                "What the agent adds",
                List.of(
                        Figure.of(
                                "nothing being checked in the directory",
                                "us",
                                Target.atMost(MOST_IDLE_MICROS),
                                rounds.compare(Side.IDLE).difference()),
                        Figure.of(
                                "while a check reads there",
                                "us",
                                Target.atMost(MOST_CHECKING_MICROS),
                                rounds.compare(Side.CHECKING).difference())));
    }

    /** Something to be done before each batch, which does not count. */
    @FunctionalInterface
    private interface Preparation {
        void make() throws Exception;
    }

    private static double least(FileChannel file, GoneClient client, Preparation preparation) throws Exception {
        long least = Long.MAX_VALUE;
        for (int batch = 0; batch < BATCHES; batch++) {
            preparation.make();
            least = Math.min(least, CpuTime.of(() -> client.failToSend(file, SENT, CALLS)));
        }
        return least / NANOS_PER_MICRO / CALLS;
    }

    private static void warmUp(FileChannel file, GoneClient client) {
        long began = System.nanoTime();
        while (System.nanoTime() - began < WARM_UP_NANOS) {
            client.failToSend(file, SENT, CALLS);
        }
    }

    private static void ensureChecking(AgentInThisJvm agent, FileChannel file, GoneClient client) throws Exception {
        if (!isChecking(agent.counts())) {
            client.failToSend(file, LONG_CHECK, 1);
            await(agent, "no check begins", FailedSend::isChecking);
        }
    }

    private static void awaitIdle(AgentInThisJvm agent) throws Exception {
        await(agent, "the checks do not end", counts -> counts.get("pending") == 0 && !isChecking(counts));
    }

    private static boolean isChecking(AgentCounts counts) {
        return counts.sum("running-for-ms") > 0;
    }

    private static void await(AgentInThisJvm agent, String otherwise, Predicate<AgentCounts> state) throws Exception {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (!state.test(agent.counts())) {
            if (System.nanoTime() > deadline) {
                throw new IOException(otherwise);
            }
            Thread.sleep(1);
        }
    }

    /** A file that takes no room on the disk; what is read of it comes out of the page cache like any other. */
    private static FileChannel sparse(Path path) throws IOException {
        try (RandomAccessFile file = new RandomAccessFile(path.toFile(), "rw")) {
            file.setLength(LONG_CHECK);
        }
        return FileChannel.open(path);
    }
}
