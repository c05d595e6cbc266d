package io.faultline.bench.throughput;

import io.faultline.bench.Layout;
import io.faultline.bench.broker.FirstAnswer;
import io.faultline.bench.host.TemporaryFolder;
import io.faultline.bench.kafka.KafkaVersion;
import io.faultline.bench.measure.Comparison;
import io.faultline.bench.measure.Figure;
import io.faultline.bench.measure.Interval;
import io.faultline.bench.measure.Target;
import io.faultline.bench.report.Experiment;
import io.faultline.bench.report.Report;
import io.faultline.bench.report.Table;
import io.faultline.bench.throughput.ByTurns.Side;
import io.faultline.bench.throughput.LoadProcess.Took;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * The bundled broker beside Apache Kafka of one node: same clients in one process, same heap and collector, as many threads, no flushes but those of the system, {@code acks=all}. Both run all the time, and
 * are loaded by turns.
 */
@Command(
        name = "broker-throughput",
        description =
                "the bundled broker beside Apache Kafka of one node: records a second, processor time, memory, start",
        mixinStandardHelpOptions = true)
public final class BrokerThroughput extends Experiment {

    private static final double AS_GOOD = 1;
    private static final double START_FASTER = 5;
    private static final double NANOS_PER_SECOND = 1e9;
    private static final double MICROS_PER_SECOND = 1e6;
    private static final double MEBIBYTE = 1 << 20;
    private static final String START = "start, a second over milliseconds";

    @Option(
            names = "--kafka",
            paramLabel = "VERSION",
            defaultValue = "4.4.0",
            description = "The release of Kafka; ${DEFAULT-VALUE} by default.")
    private String version;

    @Option(
            names = "--seconds",
            defaultValue = "150",
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
            names = "--starts",
            defaultValue = "7",
            description = "How often each is started; ${DEFAULT-VALUE} by default.")
    private int starts;

    @Option(
            names = "--records",
            defaultValue = "200000",
            description = "How many records of 1,000 bytes each time; ${DEFAULT-VALUE} by default.")
    private int records;

    /** A broker with what loads it. */
    private record Loaded(MeasuredBroker broker, Topics topics, Map<Listener, Path> clients, String full) {}

    /** Made by the command line. */
    public BrokerThroughput() {}

    @Override
    protected void run(Layout layout, Report report) throws Exception {
        report.fact("kafka", version);
        report.fact("starts", starts);
        report.fact("records", records);
        report.fact("jvm of the brokers", String.join(" ", MeasuredBroker.JVM));
        try (TemporaryFolder folder = TemporaryFolder.named("faultline-throughput");
                MeasuredBroker kafka = MeasuredKafka.start(layout, KafkaVersion.of(version));
                MeasuredBroker bundled = MeasuredBundled.start(layout);
                Topics ofKafka = new Topics(kafka.client(Listener.PLAINTEXT));
                Topics ofBundled = new Topics(bundled.client(Listener.PLAINTEXT));
                LoadProcess clients = LoadProcess.start(layout, ClientLibrary.APACHE, List.of("-Xmx512m"))) {
            Loaded base = loaded(kafka, ofKafka, clients, folder.path());
            Loaded candidate = loaded(bundled, ofBundled, clients, folder.path());
            report.say("both brokers are up");
            ByTurns load = new ByTurns();
            int rounds = load.run(
                    warmUps,
                    atLeast,
                    Duration.ofSeconds(seconds),
                    side -> load(side.isBase() ? base : candidate, clients));
            report.fact("rounds", rounds);
            report.say("loaded %d times each", rounds);
            double memory = (double) kafka.figures().peak() / bundled.figures().peak();
            report.fact(
                    "peak memory of Apache Kafka, MiB",
                    Math.round(kafka.figures().peak() / MEBIBYTE));
            report.fact(
                    "peak memory of the bundled broker, MiB",
                    Math.round(bundled.figures().peak() / MEBIBYTE));
            ByTurns start = new ByTurns();
            start.run(0, starts, Duration.ZERO, side -> start(side.isBase() ? kafka : bundled));
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
        values.put(name + ", records a second", records / took.seconds());
        values.put(name + ", records in a second of processor time", records / cpu);
    }

    private static Map<String, Double> start(MeasuredBroker broker) throws Exception {
        FirstAnswer answer = broker.restart();
        return Map.of(START, 1.0 / answer.millis());
    }

    private void tell(Report report, ByTurns load, double memory, ByTurns start) {
        Table table = new Table(List.of("Apache Kafka", "the same again", "bundled broker"));
        for (String name : load.names()) {
            boolean cpu = name.endsWith("processor time");
            List<Object> cells = new ArrayList<>();
            for (Side side : Side.values()) {
                double median = load.samples(side, name).median();
                cells.add(cpu ? String.format("%.2f", MICROS_PER_SECOND / median) : Math.round(median));
            }
            table.row(
                    cpu ? name.replace("records in a second of processor time", "processor time, us a record") : name,
                    cells);
        }
        List<Object> started = new ArrayList<>();
        for (Side side : Side.values()) {
            started.add(Math.round(1 / start.samples(side, START).median()));
        }
        table.row("start until the first answer, ms", started);
        report.table("Records of 1,000 bytes, acks=all; medians", table);
        List<Figure> figures = new ArrayList<>();
        for (String name : load.names()) {
            figures.add(times(name, AS_GOOD, load.compare(name)));
        }
        figures.add(Figure.of("less peak memory", "times", Target.atLeast(AS_GOOD), Interval.exact(memory), 1));
        figures.add(times("faster start", START_FASTER, start.compare(START)));
        report.figures("The bundled broker, beside Apache Kafka", figures);
    }

    private static Figure times(String name, double target, Comparison comparison) {
        return Figure.of(name, "times", Target.atLeast(target), comparison.ratio());
    }
}
