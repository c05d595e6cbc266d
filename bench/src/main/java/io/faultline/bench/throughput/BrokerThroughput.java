package io.faultline.bench.throughput;

import io.faultline.bench.Layout;
import io.faultline.bench.host.TemporaryFolder;
import io.faultline.bench.kafka.KafkaRelease;
import io.faultline.bench.measure.Comparison;
import io.faultline.bench.measure.Figure;
import io.faultline.bench.measure.Interleaved;
import io.faultline.bench.measure.Interval;
import io.faultline.bench.measure.Length;
import io.faultline.bench.measure.Rounds;
import io.faultline.bench.measure.Target;
import io.faultline.bench.report.Experiment;
import io.faultline.bench.report.Report;
import io.faultline.bench.report.Table;
import io.faultline.bench.throughput.LoadProcess.Took;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * The bundled broker beside Apache Kafka of one node: same clients in one process, same heap and collector, as many threads, no flushes but those of the system, {@code acks=all}. Both run all the time, and
 * are loaded by turns.
 */
@Command(
        name = "broker-throughput",
        description = {
            "the bundled broker beside Apache Kafka of one node: records a second, processor time, memory, start",
            "Same clients, heap, collector and acks, no flushes, PLAINTEXT and TLS: records of 1,000 bytes produced and fetched from the page cache, a second and in a second of the broker's processor time; peak memory in MiB; milliseconds from a start until the first answer.",
            "It must reach: at least 1 times Apache Kafka in each, and a start at least 5 times faster."
        },
        mixinStandardHelpOptions = true)
public final class BrokerThroughput extends Experiment {

    private static final double AS_GOOD = 1;
    private static final double START_FASTER = 5;
    private static final double NANOS_PER_SECOND = 1e9;
    private static final double MICROS_PER_SECOND = 1e6;
    private static final double MEBIBYTE = 1 << 20;
    /** Rounds that come before those that count. */
    private static final int WARM_UPS = 2;

    private static final String PER_SECOND = ", records a second";
    private static final String PER_CPU_SECOND = ", records in a second of processor time";
    private static final String CPU = ", processor time, us a record";

    @Mixin
    private KafkaRelease release;

    @Mixin
    private final Length length = new Length(150);

    @Option(
            names = "--starts",
            defaultValue = "7",
            description = "How often each is started; ${DEFAULT-VALUE} by default.")
    private int starts;

    @Option(
            names = "--records",
            defaultValue = "200000",
            description = "How many records of 1,000 bytes each time; ${DEFAULT-VALUE} by default.")
    private int records;

    private enum Broker {
        KAFKA,
        BUNDLED
    }

    /** A broker with what loads it. */
    private record Loaded(MeasuredBroker broker, Topics topics, Map<Listener, Path> clients, String full) {}

    /** Made by the command line. */
    public BrokerThroughput() {}

    @Override
    protected void run(Layout layout, Report report) throws Exception {
        release.describe(report);
        report.fact("starts", starts);
        report.fact("records", records);
        report.fact("jvm of the brokers", String.join(" ", MeasuredBroker.JVM));
        try (TemporaryFolder folder = TemporaryFolder.named("faultline-throughput");
                MeasuredBroker kafka = MeasuredKafka.start(layout, release.version());
                MeasuredBroker bundled = MeasuredBundled.start(layout);
                Topics ofKafka = new Topics(kafka.client(Listener.PLAINTEXT));
                Topics ofBundled = new Topics(bundled.client(Listener.PLAINTEXT));
                LoadProcess clients = LoadProcess.start(layout, ClientLibrary.APACHE, List.of("-Xmx512m"))) {
            Loaded base = loaded(kafka, ofKafka, clients, folder.path());
            Loaded candidate = loaded(bundled, ofBundled, clients, folder.path());
            report.say("both brokers are up");
            Rounds<Broker> load = length.of(
                    Interleaved.ofAll(Broker.KAFKA, () -> load(base, clients))
                            .withAll(Broker.BUNDLED, () -> load(candidate, clients)),
                    WARM_UPS,
                    1);
            report.fact("rounds", load.count());
            report.say("loaded %d times each", load.count());
            double memory = (double) kafka.figures().peak() / bundled.figures().peak();
            report.fact(
                    "peak memory of Apache Kafka, MiB",
                    Math.round(kafka.figures().peak() / MEBIBYTE));
            report.fact(
                    "peak memory of the bundled broker, MiB",
                    Math.round(bundled.figures().peak() / MEBIBYTE));
            Rounds<Broker> start = Interleaved.of(Broker.KAFKA, () -> startsInAMilli(kafka))
                    .with(Broker.BUNDLED, () -> startsInAMilli(bundled))
                    .run(0, starts);
            tell(report, load, memory, start);
        }
    }

    private Loaded loaded(MeasuredBroker broker, Topics topics, LoadProcess clients, Path folder) throws Exception {
        Map<Listener, Path> files = new EnumMap<>(Listener.class);
        for (Listener listener : Listener.values()) {
            files.put(listener, broker.clientFile(listener, folder));
        }
        String full = topics.make();
        clients.produce(files.get(Listener.PLAINTEXT), full, Topics.PARTITIONS, records);
        return new Loaded(broker, topics, files, full);
    }

    /** Records a second, and records in a second of the broker's processor time: for all of them more is better. */
    private Map<String, Double> load(Loaded loaded, LoadProcess clients) throws Exception {
        Map<String, Double> values = new LinkedHashMap<>();
        for (Listener listener : Listener.values()) {
            String topic = loaded.topics().make();
            Path file = loaded.clients().get(listener);
            add(values, "produce, " + listener, loaded, () -> clients.produce(file, topic, Topics.PARTITIONS, records));
            loaded.topics().delete(topic);
            add(
                    values,
                    "fetch, " + listener,
                    loaded,
                    () -> clients.consume(file, loaded.full(), Topics.PARTITIONS, records));
        }
        return values;
    }

    private interface Work {
        Took done() throws Exception;
    }

    private void add(Map<String, Double> values, String name, Loaded loaded, Work work) throws Exception {
        long before = loaded.broker().figures().cpu().toNanos();
        Took took = work.done();
        double cpu = (loaded.broker().figures().cpu().toNanos() - before) / NANOS_PER_SECOND;
        values.put(name + PER_SECOND, records / took.seconds());
        values.put(name + PER_CPU_SECOND, records / cpu);
    }

    /** So that for it, too, more is better. */
    private static double startsInAMilli(MeasuredBroker broker) throws Exception {
        return 1.0 / broker.restart().millis();
    }

    private void tell(Report report, Rounds<Broker> load, double memory, Rounds<Broker> start) {
        Table table = new Table(List.of("Apache Kafka", "the same again", "bundled broker"));
        List<Figure> figures = new ArrayList<>();
        for (String name : load.values()) {
            Comparison comparison = load.compare(Broker.BUNDLED, name);
            boolean cpu = name.endsWith(PER_CPU_SECOND);
            table.row(
                    name.replace(PER_CPU_SECOND, CPU),
                    comparison
                            .medians()
                            .map(median -> cpu ? String.format("%.2f", MICROS_PER_SECOND / median) : Math.round(median))
                            .toList());
            figures.add(times(name, AS_GOOD, comparison));
        }
        Comparison starts = start.compare(Broker.BUNDLED);
        table.row(
                "start until the first answer, ms",
                starts.medians().map(perMilli -> Math.round(1 / perMilli)).toList());
        report.table("Records of 1,000 bytes, acks=all; medians", table);
        figures.add(Figure.of("less peak memory", "times", Target.atLeast(AS_GOOD), Interval.exact(memory), 1));
        figures.add(times("faster start", START_FASTER, starts));
        report.figures("The bundled broker, beside Apache Kafka", figures);
    }

    private static Figure times(String name, double target, Comparison comparison) {
        return Figure.of(name, "times", Target.atLeast(target), comparison.ratio());
    }
}
