package io.faultline.bench.transfer;

import io.faultline.bench.Layout;
import io.faultline.bench.host.AgentInThisJvm;
import io.faultline.bench.host.TemporaryFolder;
import io.faultline.bench.measure.Comparison;
import io.faultline.bench.measure.Figure;
import io.faultline.bench.measure.Interleaved;
import io.faultline.bench.measure.Length;
import io.faultline.bench.measure.Rounds;
import io.faultline.bench.measure.Samples;
import io.faultline.bench.measure.Target;
import io.faultline.bench.report.Experiment;
import io.faultline.bench.report.Report;
import io.faultline.bench.report.Table;
import java.nio.channels.WritableByteChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/**
 * What a transfer that succeeds costs more with the agent: the processor's time of the sending thread, agent on and off by turns in one JVM. Each turn begins with classes woven anew or given back, so that each
 * has code of its own from the compiler: what the compiler makes of the same code differs from time to time. Of each turn the least disturbed batch of calls counts.
 */
@Command(
        name = "transfer-overhead",
        description = {
            "what the agent adds to a transferTo that succeeds, on and off by turns in one JVM",
            "Nanoseconds of processor time of the calling thread for each call of 1 B, 4 KiB, 64 KiB and 1 MiB, to a socket and to /dev/null, by 1 and 2 threads; and of the woven call by itself.",
            "It must reach: at most 20 ns a call at 4 KiB and less, and at most 1 %%, which is nothing that can be seen, at 64 KiB and more."
        },
        mixinStandardHelpOptions = true)
public final class TransferOverhead extends Experiment {

    /** Nanoseconds that may be added to a call. */
    private static final double MOST_NANOS = 20;

    /** Where a call takes so long that nothing of it should be seen: percent within which an effect counts as none. */
    private static final double NOTHING_PERCENT = 1;

    private static final int SMALL = 4 << 10;
    private static final int LARGEST = 1 << 20;
    private static final int BATCHES = 30;
    private static final int HOOK_BATCHES = 400;
    private static final int HOOK_CALLS = 20_000;
    private static final long WARM_UP_NANOS = TimeUnit.MILLISECONDS.toNanos(120);

    private enum Side {
        OFF,
        ON
    }

    /** What is sent where, in batches of about half a millisecond. */
    private enum Call {
        ONE_BYTE_NOWHERE("1 B to /dev/null", 1, false, 400),
        FOUR_KIB_NOWHERE("4 KiB to /dev/null", 4 << 10, false, 400),
        SIXTY_FOUR_KIB_NOWHERE("64 KiB to /dev/null", 64 << 10, false, 150),
        ONE_MIB_NOWHERE("1 MiB to /dev/null", LARGEST, false, 15),
        ONE_BYTE("1 B to a socket", 1, true, 200),
        FOUR_KIB("4 KiB to a socket", 4 << 10, true, 150),
        SIXTY_FOUR_KIB("64 KiB to a socket", 64 << 10, true, 20),
        ONE_MIB("1 MiB to a socket", LARGEST, true, 2);

        private final String spelled;
        private final int bytes;
        private final boolean socket;
        private final int calls;

        Call(String spelled, int bytes, boolean socket, int calls) {
            this.spelled = spelled;
            this.bytes = bytes;
            this.socket = socket;
            this.calls = calls;
        }

        boolean isSmall() {
            return bytes <= SMALL;
        }

        String name(int threads) {
            return spelled + threads(threads);
        }
    }

    @Mixin
    private final Length length = new Length(130);

    private final ExecutorService threads = Executors.newFixedThreadPool(2);

    /** Made by the command line. */
    public TransferOverhead() {}

    @Override
    protected void run(Layout layout, Report report) throws Exception {
        try (TemporaryFolder folder = TemporaryFolder.named("faultline-transfer");
                AgentInThisJvm agent = AgentInThisJvm.attach(
                        layout, "metrics.port=0,log=" + folder.path().resolve("agent.log"))) {
            Path file = Files.write(folder.path().resolve("file"), new byte[LARGEST]);
            try (Sender socket = Sender.toSocket(file);
                    Sender secondSocket = Sender.toSocket(file);
                    Sender nowhere = Sender.toNowhere(file);
                    Sender secondNowhere = Sender.toNowhere(file)) {
                List<Sender> sockets = List.of(socket, secondSocket);
                List<Sender> nowheres = List.of(nowhere, secondNowhere);
                Rounds<Side> rounds = length.of(
                        Interleaved.ofAll(Side.OFF, () -> {
                                    agent.off();
                                    return all(sockets, nowheres);
                                })
                                .withAll(Side.ON, () -> {
                                    agent.on();
                                    return all(sockets, nowheres);
                                }),
                        1,
                        1);
                show(rounds, report);
                agent.on();
                report.figures("The woven call by itself", wovenCall(file, secondSocket.target()));
            }
        } finally {
            threads.shutdown();
        }
    }

    private Map<String, Double> all(List<Sender> sockets, List<Sender> nowheres) throws Exception {
        long began = System.nanoTime();
        while (System.nanoTime() - began < WARM_UP_NANOS) {
            nanos(Call.ONE_BYTE, sockets);
            nanos(Call.ONE_BYTE_NOWHERE, nowheres);
        }
        Map<String, Double> values = new LinkedHashMap<>();
        for (int batch = 0; batch < BATCHES; batch++) { // of all by turns: what disturbs lasts longer than a batch
            for (Call call : Call.values()) {
                List<Sender> senders = call.socket ? sockets : nowheres;
                values.merge(call.name(1), nanos(call, senders.subList(0, 1)), Math::min);
                values.merge(call.name(2), nanos(call, senders), Math::min);
            }
        }
        return values;
    }

    private double nanos(Call call, List<Sender> senders) throws Exception {
        return mean(senders, sender -> sender.nanos(call.bytes, call.calls));
    }

    /** Something that a thread does and times. */
    @FunctionalInterface
    private interface Timed<T> {
        double nanos(T caller) throws Exception;
    }

    /** The mean over the callers, each on a thread of its own at the same time. */
    private <T> double mean(List<T> callers, Timed<T> timed) throws Exception {
        List<Future<Double>> nanos = new ArrayList<>();
        for (T caller : callers) {
            nanos.add(threads.submit(() -> timed.nanos(caller)));
        }
        double sum = 0;
        for (Future<Double> ofOne : nanos) {
            sum += ofOne.get();
        }
        return sum / callers.size();
    }

    private static String threads(int number) {
        return number == 1 ? ", 1 thread" : ", " + number + " threads";
    }

    /** Compared with nothing, since without it there is nothing: of many batches the middle one. */
    private List<Figure> wovenCall(Path file, WritableByteChannel target) throws Exception {
        List<Figure> figures = new ArrayList<>();
        try (WovenCall first = WovenCall.of(file, target);
                WovenCall second = WovenCall.of(file, target)) {
            for (List<WovenCall> callers : List.of(List.of(first), List.of(first, second))) {
                for (int batch = 0; batch < HOOK_BATCHES; batch++) {
                    mean(callers, caller -> caller.nanos(HOOK_CALLS)); // for the compiler
                }
                double[] nanos = new double[HOOK_BATCHES];
                for (int batch = 0; batch < HOOK_BATCHES; batch++) {
                    nanos[batch] = mean(callers, caller -> caller.nanos(HOOK_CALLS));
                }
                figures.add(Figure.of(
                        "a call" + threads(callers.size()),
                        "ns",
                        Target.atMost(MOST_NANOS),
                        new Samples(nanos).medianInterval(),
                        HOOK_BATCHES));
            }
        }
        return figures;
    }

    private static void show(Rounds<Side> rounds, Report report) {
        Table table = new Table(List.of("agent off, ns", "agent on, ns"));
        List<Figure> figures = new ArrayList<>();
        for (Call call : Call.values()) {
            for (int threads = 1; threads <= 2; threads++) {
                String name = call.name(threads);
                Comparison comparison = rounds.compare(Side.ON, name);
                table.row(
                        name,
                        List.of(
                                Math.round(comparison.base().median()),
                                Math.round(comparison.candidate().median())));
                figures.add(
                        call.isSmall()
                                ? Figure.of(name, "ns", Target.atMost(MOST_NANOS), comparison.difference())
                                : Figure.of(name, "%", Target.atMost(NOTHING_PERCENT), comparison.percentAbove()));
            }
        }
        report.table("A transferTo, processor time of the calling thread, medians", table);
        report.figures("What the agent adds", figures);
    }
}
