package io.faultline.bench.throughput;

import io.faultline.bench.Layout;
import io.faultline.bench.host.Affinity;
import io.faultline.bench.host.AttachedAgent;
import io.faultline.bench.host.TemporaryFolder;
import io.faultline.bench.host.ThreadTimes;
import io.faultline.bench.kafka.KafkaRelease;
import io.faultline.bench.measure.Comparison;
import io.faultline.bench.measure.Figure;
import io.faultline.bench.measure.Interleaved;
import io.faultline.bench.measure.Length;
import io.faultline.bench.measure.Rounds;
import io.faultline.bench.measure.Target;
import io.faultline.bench.report.Experiment;
import io.faultline.bench.report.Report;
import io.faultline.bench.report.Table;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** What the agent costs an Apache Kafka broker for each byte that is fetched from it: it is attached to one running broker and detached again, many times, and what the broker takes is measured in between. */
@Command(
        name = "kafka-throughput",
        description = {
            "processor time of a running Apache Kafka for each byte fetched, with the agent attached and detached by turns",
            "Nanoseconds of processor time of the whole broker for each byte, over PLAINTEXT and TLS, from the page cache; the least of some parts in each round.",
            "It must reach: at most 2 %% more with the agent."
        },
        mixinStandardHelpOptions = true)
public final class KafkaThroughput extends Experiment {

    private static final double MOST_PERCENT = 2;

    private static final int BROKERS_PROCESSOR = 1;
    private static final int CLIENTS_PROCESSOR = 0;

    /** Each value is the least of so many: what else the machine does, such as driving things out of the caches, only adds. */
    private static final int PARTS = 8;

    /** Rounds that come before those that count. */
    private static final int WARM_UPS = 2;

    /** More in each partition than a fetch brings, and little enough to stay in the page cache. */
    private static final int RECORDS = 60_000;

    @Mixin
    private KafkaRelease release;

    @Mixin
    private final Length length = new Length(270);

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

    private enum Agent {
        DETACHED,
        ATTACHED
    }

    /** Whether the agent is attached now. */
    private boolean attached;

    /** Made by the command line. */
    public KafkaThroughput() {}

    @Override
    protected void run(Layout layout, Report report) throws Exception {
        release.describe(report);
        report.fact("milliseconds each time", millis);
        report.fact("jvm of the broker", String.join(" ", MeasuredBroker.JVM));
        try (TemporaryFolder folder = TemporaryFolder.named("faultline-throughput");
                MeasuredBroker kafka = MeasuredKafka.start(layout, release.version());
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
                Interleaved<Agent> sides = Interleaved.ofAll(
                                Agent.DETACHED, () -> measure(Agent.DETACHED, kafka, agent, fetchers))
                        .withAll(Agent.ATTACHED, () -> measure(Agent.ATTACHED, kafka, agent, fetchers));
                Rounds<Agent> rounds = Affinity.during(
                        kafka.pid(),
                        BROKERS_PROCESSOR,
                        () -> Affinity.during(
                                ProcessHandle.current().pid(), CLIENTS_PROCESSOR, () -> length.of(sides, WARM_UPS, 1)));
                tell(report, rounds);
            } finally {
                for (RawFetcher fetcher : fetchers.values()) {
                    fetcher.close();
                }
            }
        }
    }

    private Map<String, Double> measure(
            Agent side, MeasuredBroker kafka, AttachedAgent agent, Map<Listener, RawFetcher> fetchers)
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
    private void weaveAnew(AttachedAgent agent, Agent side) throws IOException, InterruptedException {
        if (attached) {
            agent.run("detach");
        }
        agent.run("attach");
        attached = side == Agent.ATTACHED;
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

    private static void tell(Report report, Rounds<Agent> rounds) {
        report.fact("rounds", rounds.count());
        Table table = new Table(List.of("no agent", "the same again", "agent"));
        List<Figure> figures = new ArrayList<>();
        for (String transport : rounds.values()) {
            Comparison comparison = rounds.compare(Agent.ATTACHED, transport);
            table.row(
                    transport + ", ns a byte",
                    comparison
                            .medians()
                            .map(nanos -> String.format("%.4f", nanos))
                            .toList());
            figures.add(Figure.of(transport, "%", Target.atMost(MOST_PERCENT), comparison.percentAbove()));
        }
        report.table(
                "Processor time of the broker for each byte fetched; medians over the rounds of the least of " + PARTS,
                table);
        report.figures("What the agent adds", figures);
    }
}
