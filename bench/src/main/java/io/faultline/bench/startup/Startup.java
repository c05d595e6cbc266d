package io.faultline.bench.startup;

import io.faultline.bench.Layout;
import io.faultline.bench.host.AttachedAgent;
import io.faultline.bench.host.JvmProcess;
import io.faultline.bench.kafka.KafkaRelease;
import io.faultline.bench.measure.Comparison;
import io.faultline.bench.measure.Effect;
import io.faultline.bench.measure.Figure;
import io.faultline.bench.measure.Interleaved;
import io.faultline.bench.measure.Rounds;
import io.faultline.bench.measure.Samples;
import io.faultline.bench.measure.Target;
import io.faultline.bench.report.Experiment;
import io.faultline.bench.report.Report;
import io.faultline.bench.report.Table;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.DoubleBinaryOperator;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * What the agent adds to the start of an empty main, of the bundled broker and of Apache Kafka, beside what the OpenTelemetry agent adds: whole processes, in random order in one run, with a control that starts the
 * same thing twice. What attaching takes; and whether a host goes on using the archive of its classes that was made beforehand.
 */
@Command(
        name = "startup",
        description = {
            "what the agent adds to the start of an empty main and of two brokers, beside the OpenTelemetry agent; what attaching takes; whether archived classes are still used",
            "Whole processes, in random order, with a control: milliseconds by the clock and of processor time until main ends, or until the broker answers its first request; and, as the agent says it, from loading until woven.",
            "It must reach: of what the OpenTelemetry agent (exporters off) adds, at most 5 %% added to the start; at most 20 %% until woven, and of the processor time, which has the weaving beside the start in it. The classes of a broker must still come from its CDS archive, and from an AOT cache of JDK 25 or later that was made with --add-modules=java.instrument."
        },
        mixinStandardHelpOptions = true)
public final class Startup extends Experiment {

    /** At most this many percent of what OpenTelemetry adds. */
    private static final double MOST_ADDED = 5;

    /** At most this many percent of what OpenTelemetry adds, where the weaving counts, too, which goes on beside the start on a thread of its own. */
    private static final double MOST_WITH_WEAVING = 20;

    private static final double NANOS_PER_MILLI = 1e6;
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final DoubleBinaryOperator MINUS = (a, b) -> a - b;
    private static final DoubleBinaryOperator PERCENT = (part, whole) -> 100 * part / whole;

    @Option(
            names = "--hosts",
            split = ",",
            paramLabel = "HOST",
            defaultValue = "main,broker,kafka",
            description = "What is started, some of ${COMPLETION-CANDIDATES}; ${DEFAULT-VALUE} by default.")
    private List<HostKind> hosts;

    @Option(
            names = "--rounds",
            defaultValue = "20",
            description =
                    "How often an empty main is started with each agent; six give an interval. ${DEFAULT-VALUE} by default.")
    private int rounds;

    @Option(
            names = "--broker-rounds",
            paramLabel = "ROUNDS",
            defaultValue = "20",
            description =
                    "How often each broker is started with each agent, and ours attached; ${DEFAULT-VALUE} by default.")
    private int brokerRounds;

    @Mixin
    private KafkaRelease kafka;

    @Option(
            names = "--jdk-25",
            paramLabel = "HOME",
            description =
                    "A JDK of 25 or later, for the AOT cache; by default the newest that is installed beside the one that runs this.")
    private Path newerJdk;

    /** Made by the command line. */
    public Startup() {}

    @Override
    protected void run(Layout layout, Report report) throws Exception {
        report.fact("rounds", rounds);
        report.fact("rounds of the brokers", brokerRounds);
        kafka.describe(report);
        List<Figure> figures = new ArrayList<>();
        for (HostKind kind : hosts) {
            try (Host host = kind.host(layout, kafka.version())) {
                figures.addAll(compare(kind, host, report));
            }
        }
        attach(new EmptyMainHost(layout), layout, report);
        try (ArchivedBroker broker = new ArchivedBroker(layout)) {
            broker.lookAtCds(brokerRounds, report);
            broker.lookAtAot(newerJdk == null ? AotJdk.installed() : Optional.of(AotJdk.at(newerJdk)), report);
        }
        report.figures("Of what OpenTelemetry adds", figures);
    }

    private List<Figure> compare(HostKind kind, Host host, Report report) throws Exception {
        int times = kind == HostKind.MAIN ? rounds : brokerRounds;
        Interleaved<JvmAgent> sides =
                Interleaved.ofAll(JvmAgent.NONE, () -> host.start(JvmAgent.NONE).values());
        for (JvmAgent agent : List.of(JvmAgent.FAULTLINE, JvmAgent.OPEN_TELEMETRY)) {
            sides.withAll(agent, () -> host.start(agent).values());
        }
        Rounds<JvmAgent> measured = sides.run(0, times); // what is cold in the first moves no median
        report.say("%s was started %d times with each", kind.text(), times);
        Table table = new Table(List.of(Start.WALL, Start.CPU, Start.WOVEN));
        for (JvmAgent agent : JvmAgent.values()) {
            String woven = agent == JvmAgent.FAULTLINE ? millis(measured.of(agent, Start.WOVEN)) : "";
            table.row(
                    agent.toString(),
                    List.of(millis(measured.of(agent, Start.WALL)), millis(measured.of(agent, Start.CPU)), woven));
        }
        report.table("The start of " + kind.text() + ", medians", table);
        Samples untilWoven = measured.of(JvmAgent.FAULTLINE, Start.WOVEN);
        return List.of(
                figure(kind, "added to the start", MOST_ADDED, added(measured, Start.WALL), measured, Start.WALL),
                figure(
                        kind,
                        "processor time added",
                        MOST_WITH_WEAVING,
                        added(measured, Start.CPU),
                        measured,
                        Start.CPU),
                figure(kind, "from loading until woven", MOST_WITH_WEAVING, untilWoven, measured, Start.WALL));
    }

    private static Samples added(Rounds<JvmAgent> measured, String value) {
        return measured.of(JvmAgent.FAULTLINE, value).pairedWith(measured.of(JvmAgent.NONE, value), MINUS);
    }

    /** Something as a part of what OpenTelemetry adds to one of the values; the control is what the base adds to itself. */
    private static Figure figure(
            HostKind kind, String what, double most, Samples part, Rounds<JvmAgent> measured, String value) {
        Comparison whole = measured.compare(JvmAgent.OPEN_TELEMETRY, value);
        Samples added = whole.candidate().pairedWith(whole.base(), MINUS);
        Samples nothing = whole.control().pairedWith(whole.base(), MINUS);
        Effect effect = Effect.of(part.pairedWith(added, PERCENT), nothing.pairedWith(added, PERCENT));
        return Figure.of(kind.text() + ": " + what, "%", Target.atMost(most), effect);
    }

    private void attach(EmptyMainHost main, Layout layout, Report report) throws IOException, InterruptedException {
        double[] command = new double[brokerRounds];
        double[] woven = new double[brokerRounds];
        for (int round = 0; round < brokerRounds; round++) {
            try (JvmProcess process = main.stay(JvmAgent.NONE)) {
                process.awaitLine(EmptyMain.STAYS, PATIENCE);
                long began = System.nanoTime();
                new AttachedAgent(layout, process.pid()).run("attach");
                command[round] = (System.nanoTime() - began) / NANOS_PER_MILLI;
                woven[round] = JvmAgent.FAULTLINE.millisUntilWoven(process).orElseThrow();
            }
        }
        report.table(
                "Attached to an empty main that runs already, medians",
                new Table(List.of("ms"))
                        .row("the command, with its own JVM, until it says so", List.of(millis(new Samples(command))))
                        .row("from loading until woven", List.of(millis(new Samples(woven)))));
    }

    private static String millis(Samples samples) {
        return String.format("%,d", Math.round(samples.median()));
    }
}
