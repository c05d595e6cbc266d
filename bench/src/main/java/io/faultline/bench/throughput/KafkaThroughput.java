package io.faultline.bench.throughput;

import io.faultline.bench.Layout;
import io.faultline.bench.host.Affinity;
import io.faultline.bench.host.AttachedAgent;
import io.faultline.bench.host.TemporaryFolder;
import io.faultline.bench.host.ThreadTimes;
import io.faultline.bench.kafka.KafkaVersion;
import io.faultline.bench.measure.Comparison;
import io.faultline.bench.measure.Figure;
import io.faultline.bench.measure.Target;
import io.faultline.bench.report.Experiment;
import io.faultline.bench.report.Report;
import io.faultline.bench.report.Table;
import io.faultline.bench.throughput.ByTurns.Side;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** What the agent costs an Apache Kafka broker for each byte that is fetched from it: it is attached to one running broker and detached again, many times, and what the broker takes is measured in between. */
@Command(
        name = "kafka-throughput",
        description =
                "processor time of a running Apache Kafka for each byte fetched, with the agent attached and detached by turns",
        mixinStandardHelpOptions = true)
public final class KafkaThroughput extends Experiment {

    private static final double MOST_PERCENT = 2;

    private static final int BROKERS_PROCESSOR = 1;
    private static final int CLIENTS_PROCESSOR = 0;

    /** Each value is the least of so many: what else the machine does, such as driving things out of the caches, only adds. */
    private static final int PARTS = 8;

    /** More in each partition than a fetch brings, and little enough to stay in the page cache. */
    private static final int RECORDS = 60_000;

    @Option(
            names = "--kafka",
            paramLabel = "VERSION",
            defaultValue = "4.4.0",
            description = "The release of Kafka; ${DEFAULT-VALUE} by default.")
    private String version;

    @Option(
            names = "--seconds",
            defaultValue = "270",
            description = "For how long rounds are begun; ${DEFAULT-VALUE} by default. Some rounds are always run.")
    private int seconds;

    @Option(
            names = "--at-least",
            paramLabel = "ROUNDS",
            defaultValue = "" + ByTurns.FEWEST,
            description = "How many rounds are always run; ${DEFAULT-VALUE} by default.")
    private int atLeast;

    @Option(
            names = "--warm-ups",
            paramLabel = "ROUNDS",
            defaultValue = "2",
            description = "How many rounds come before those that count; ${DEFAULT-VALUE} by default.")
    private int warmUps;

    @Option(
            names = "--millis",
            defaultValue = "1000",
            description = "For how long each time, over each transport; ${DEFAULT-VALUE} by default.")
    private int millis;

    @Option(
            names = "--settle-millis",
            defaultValue = "1500",
            description =
                    "For how long it is fetched over each transport before that, so that the broker has compiled again what changed; ${DEFAULT-VALUE} by default.")
    private int settleMillis;

    /** Whether the agent is attached now. */
    private boolean attached;

    /** Made by the command line. */
    public KafkaThroughput() {}

    @Override
    protected void run(Layout layout, Report report) throws Exception {
        report.fact("kafka", version);
        report.fact("milliseconds each time", millis);
        report.fact("jvm of the broker", String.join(" ", MeasuredBroker.JVM));
        try (TemporaryFolder folder = TemporaryFolder.named("faultline-throughput");
                MeasuredBroker kafka = MeasuredKafka.start(layout, KafkaVersion.of(version));
                Topics topics = new Topics(kafka.client(Listener.PLAINTEXT))) {
            String topic = topics.make();
            try (LoadProcess clients = LoadProcess.start(layout, ClientLibrary.APACHE, List.of("-Xmx256m"))) {
                clients.produce(kafka.clientFile(Listener.PLAINTEXT, folder.path()), topic, Topics.PARTITIONS, RECORDS);
            }
            report.say("the broker is up");
            AttachedAgent agent = new AttachedAgent(layout, kafka.pid());
            Map<Listener, RawFetcher> fetchers = new EnumMap<>(Listener.class);
            try {
                for (Listener listener : Listener.values()) {
                    fetchers.put(listener, RawFetcher.connect(kafka.client(listener), topic, Topics.PARTITIONS));
                }
                ByTurns turns = new ByTurns();
                int rounds = Affinity.during(
                        kafka.pid(),
                        BROKERS_PROCESSOR,
                        () -> Affinity.during(
                                ProcessHandle.current().pid(),
                                CLIENTS_PROCESSOR,
                                () -> turns.run(
                                        warmUps,
                                        atLeast,
                                        Duration.ofSeconds(seconds),
                                        side -> measure(side, kafka, agent, fetchers))));
                report.fact("rounds", rounds);
                tell(report, turns);
            } finally {
                for (RawFetcher fetcher : fetchers.values()) {
                    fetcher.close();
                }
            }
        }
    }

    private Map<String, Double> measure(
            Side side, MeasuredBroker kafka, AttachedAgent agent, Map<Listener, RawFetcher> fetchers)
            throws IOException, InterruptedException {
        weaveAnew(agent, side);
        // Loading the agent, and compiling again what was woven or unwoven, is no cost of a byte.
        for (RawFetcher fetcher : fetchers.values()) {
            nanosPerByte(kafka, fetcher, settleMillis);
        }
        Map<String, Double> values = new LinkedHashMap<>();
        for (Map.Entry<Listener, RawFetcher> each : fetchers.entrySet()) {
            RawFetcher fetcher = each.getValue();
            double least = Double.POSITIVE_INFINITY;
            for (int part = 0; part < PARTS; part++) {
                least = Math.min(least, nanosPerByte(kafka, fetcher, millis / PARTS));
            }
            values.put(each.getKey().name(), least);
        }
        return values;
    }

    /**
     * Attaches the agent, and detaches it again for a base: on every side the same methods have been compiled anew since, each time a little differently, which is more than the agent adds.
     */
    private void weaveAnew(AttachedAgent agent, Side side) throws IOException, InterruptedException {
        if (attached) {
            agent.run("detach");
        }
        agent.run("attach");
        attached = !side.isBase();
        if (!attached) {
            agent.run("detach");
        }
    }

    private static double nanosPerByte(MeasuredBroker kafka, RawFetcher fetcher, int millis) throws IOException {
        long end = System.nanoTime() + Duration.ofMillis(millis).toNanos();
        ThreadTimes before = ThreadTimes.withoutCompilers(kafka.pid());
        long bytes = 0;
        while (System.nanoTime() < end) {
            bytes += fetcher.fetch();
        }
        return (double) ThreadTimes.withoutCompilers(kafka.pid()).since(before) / bytes;
    }

    private static void tell(Report report, ByTurns turns) {
        Table table = new Table(List.of("no agent", "the same again", "agent"));
        List<Figure> figures = new ArrayList<>();
        for (String transport : turns.names()) {
            List<Object> cells = new ArrayList<>();
            for (Side side : Side.values()) {
                cells.add(String.format("%.4f", turns.samples(side, transport).median()));
            }
            table.row(transport + ", ns a byte", cells);
            Comparison comparison = turns.compare(transport);
            figures.add(Figure.of(transport, "%", Target.atMost(MOST_PERCENT), comparison.percentAbove()));
        }
        report.table(
                "Processor time of the broker for each byte fetched; medians over the rounds of the least of " + PARTS,
                table);
        report.figures("What the agent adds", figures);
    }
}
