package io.faultline.bench.transfer;

import io.faultline.bench.Layout;
import io.faultline.bench.host.AgentInThisJvm;
import io.faultline.bench.host.TemporaryFolder;
import io.faultline.bench.measure.Figure;
import io.faultline.bench.measure.Interleaved;
import io.faultline.bench.measure.Rounds;
import io.faultline.bench.measure.Target;
import io.faultline.bench.report.Experiment;
import io.faultline.bench.report.Report;
import io.faultline.bench.report.Table;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * What a transfer that succeeds costs more with the agent: the processor's time of the sending thread, agent on and off by turns in one JVM. Each turn begins with classes woven anew or given back, so that each
 * has code of its own from the compiler: what the compiler makes of the same code differs from time to time.
 */
@Command(
        name = "transfer-overhead",
        description = "what the agent adds to a transferTo that succeeds, on and off by turns in one JVM",
        mixinStandardHelpOptions = true)
public final class TransferOverhead extends Experiment {

    /** Nanoseconds that may be added to a call. */
    private static final double MOST_NANOS = 20;

    /** Where a call takes so long that nothing of it should be seen: percent within which an effect counts as none. */
    private static final double NOTHING_PERCENT = 1;

    private static final long WARM_UP_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

    private enum Side {
        OFF,
        ON
    }

    /** A size, and how many calls of it take a few ten milliseconds. */
    private enum Size {
        ONE_BYTE("1 B", 1, 8_000),
        FOUR_KIB("4 KiB", 4 << 10, 8_000),
        SIXTY_FOUR_KIB("64 KiB", 64 << 10, 1_500),
        ONE_MIB("1 MiB", 1 << 20, 100);

        private final String spelled;
        private final int bytes;
        private final int calls;

        Size(String spelled, int bytes, int calls) {
            this.spelled = spelled;
            this.bytes = bytes;
            this.calls = calls;
        }
    }

    @Option(
            names = "--seconds",
            defaultValue = "150",
            description = "For how long rounds are begun; ${DEFAULT-VALUE} by default. Some rounds are always run.")
    private int seconds;

    private final List<Sender> senders = new ArrayList<>();
    private final ExecutorService threads = Executors.newFixedThreadPool(2);

    /** Made by the command line. */
    public TransferOverhead() {}

    @Override
    protected void run(Layout layout, Report report) throws Exception {
        try (TemporaryFolder folder = TemporaryFolder.named("faultline-transfer");
                AgentInThisJvm agent = AgentInThisJvm.attach(
                        layout, "metrics.port=0,log=" + folder.path().resolve("agent.log"))) {
            Path file = Files.write(folder.path().resolve("file"), new byte[Size.ONE_MIB.bytes]);
            try (Sender first = Sender.of(file);
                    Sender second = Sender.of(file)) {
                senders.addAll(List.of(first, second));
                Rounds<Side> rounds = Interleaved.ofAll(Side.OFF, () -> {
                            agent.off();
                            return all();
                        })
                        .withAll(Side.ON, () -> {
                            agent.on();
                            return all();
                        })
                        .runFor(1, Duration.ofSeconds(seconds));
                show(rounds, report);
            }
        } finally {
            threads.shutdown();
        }
    }

    private static void show(Rounds<Side> rounds, Report report) {
        Table table = new Table(List.of("agent off, ns", "agent on, ns"));
        List<Figure> figures = new ArrayList<>();
        for (int threads = 1; threads <= 2; threads++) {
            for (Size size : Size.values()) {
                String name = name(size, threads);
                table.row(
                        name,
                        List.of(
                                Math.round(rounds.of(Side.OFF, name).median()),
                                Math.round(rounds.of(Side.ON, name).median())));
                figures.add(
                        size.bytes < Size.SIXTY_FOUR_KIB.bytes
                                ? Figure.of(
                                        name,
                                        "ns",
                                        Target.atMost(MOST_NANOS),
                                        rounds.compare(Side.ON, name).difference())
                                : Figure.of(
                                        name,
                                        "%",
                                        Target.atMost(NOTHING_PERCENT),
                                        rounds.compare(Side.ON, name).percentAbove()));
            }
        }
        report.table("A transferTo into a socket, processor time of the calling thread, medians", table);
        report.figures("What the agent adds", figures);
    }

    private static String name(Size size, int threads) {
        return size.spelled + (threads == 1 ? ", 1 thread" : ", " + threads + " threads");
    }

    private Map<String, Double> all() throws Exception {
        long began = System.nanoTime();
        while (System.nanoTime() - began < WARM_UP_NANOS) {
            nanosPerCall(Size.ONE_BYTE, senders);
        }
        Map<String, Double> values = new LinkedHashMap<>();
        for (Size size : Size.values()) {
            values.put(name(size, 1), nanosPerCall(size, senders.subList(0, 1)));
            values.put(name(size, 2), nanosPerCall(size, senders));
        }
        return values;
    }

    /** The mean over the senders, each on a thread of its own. */
    private double nanosPerCall(Size size, List<Sender> used) throws Exception {
        List<Future<Long>> nanos = new ArrayList<>();
        for (Sender sender : used) {
            nanos.add(threads.submit(() -> CpuTime.of(() -> sender.send(size.bytes, size.calls))));
        }
        long sum = 0;
        for (Future<Long> ofOne : nanos) {
            sum += ofOne.get();
        }
        return (double) sum / used.size() / size.calls;
    }
}
