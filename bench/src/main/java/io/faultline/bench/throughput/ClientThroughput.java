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
import io.faultline.bench.throughput.LoadProcess.Delays;
import io.faultline.bench.throughput.LoadProcess.Took;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * The bundled client beside kafka-clients, on one Apache Kafka: each in a process of its own, with the same heap, {@code acks=all}, idempotence, batches and linger. Both run all the time, and work by turns.
 */
@Command(
        name = "client-throughput",
        description = {
            "the bundled client beside kafka-clients: records a second, processor time, latency at a fixed rate, memory, and what the watchdogs take",
            "On one Apache Kafka, each in a process of its own with the same heap, acks and batches: records of 1,000 bytes a second and in a second of the client's processor time; milliseconds from when a record was due at a fixed rate until it was acknowledged; peak memory in MiB; the watchdogs' part of all samples of running threads, in percent.",
            "It must reach: at least 1 times kafka-clients in each, and watchdogs with at most 2 %%."
        },
        mixinStandardHelpOptions = true)
public final class ClientThroughput extends Experiment {

    private static final double AS_GOOD = 1;

    /** Of the client's processor time. */
    private static final double MOST_FOR_WATCHDOGS_PERCENT = 2;

    /** Rounds that come before those that count. */
    private static final int WARM_UPS = 2;

    private static final double MICROS_PER_SECOND = 1e6;
    private static final double MEBIBYTE = 1 << 20;
    private static final String PER_SECOND = ", records a second";
    private static final String PER_CPU_SECOND = ", records in a second of processor time";
    private static final String CPU = ", processor time, us a record";
    private static final String SHORTER = "shorter ";
    private static final String MEDIAN = SHORTER + "latency, median";
    private static final String P99 = SHORTER + "latency, 99th percentile";
    private static final List<String> JVM = List.of("-Xmx256m", "-XX:+UseG1GC");

    @Mixin
    private KafkaRelease release;

    @Mixin
    private final Length length = new Length(200);

    @Option(
            names = "--records",
            defaultValue = "200000",
            description = "How many records of 1,000 bytes each time; ${DEFAULT-VALUE} by default.")
    private int records;

    @Option(
            names = "--sampled",
            paramLabel = "RECORDS",
            defaultValue = "4000000",
            description =
                    "How many are produced and consumed while it is sampled what the client does; ${DEFAULT-VALUE} by default.")
    private int sampled;

    @Option(
            names = "--rate",
            defaultValue = "2000",
            description = "Records a second where latency is measured; ${DEFAULT-VALUE} by default.")
    private int rate;

    @Option(
            names = "--rate-millis",
            defaultValue = "2000",
            description = "For how long each time; ${DEFAULT-VALUE} by default.")
    private int rateMillis;

    private enum Client {
        APACHE,
        BUNDLED
    }

    /** Made by the command line. */
    public ClientThroughput() {}

    @Override
    protected void run(Layout layout, Report report) throws Exception {
        release.describe(report);
        report.fact("records", records);
        report.fact("rate", rate);
        report.fact("jvm of the clients", String.join(" ", JVM));
        try (TemporaryFolder folder = TemporaryFolder.named("faultline-throughput");
                MeasuredBroker kafka = MeasuredKafka.start(layout, release.version());
                Topics topics = new Topics(kafka.client(Listener.PLAINTEXT));
                LoadProcess apache = LoadProcess.start(layout, ClientLibrary.APACHE, JVM);
                LoadProcess control = LoadProcess.start(layout, ClientLibrary.APACHE, JVM);
                LoadProcess bundled = LoadProcess.start(layout, ClientLibrary.BUNDLED, JVM)) {
            Path file = kafka.clientFile(Listener.PLAINTEXT, folder.path());
            String full = topics.make();
            control.produce(file, full, Topics.PARTITIONS, records);
            report.say("the broker is up");
            Rounds<Client> rounds = length.of(
                    Interleaved.ofAll(
                                    Client.APACHE,
                                    () -> work(apache, file, topics, full),
                                    () -> work(control, file, topics, full))
                            .withAll(Client.BUNDLED, () -> work(bundled, file, topics, full)),
                    WARM_UPS,
                    1);
            report.fact("rounds", rounds.count());
            report.say("worked %d times each", rounds.count());
            double memory = (double) apache.figures().peak() / bundled.figures().peak();
            report.fact(
                    "peak memory of kafka-clients, MiB",
                    Math.round(apache.figures().peak() / MEBIBYTE));
            report.fact(
                    "peak memory of the bundled client, MiB",
                    Math.round(bundled.figures().peak() / MEBIBYTE));
            tell(report, rounds, memory, watchdogs(bundled, file, topics, full, folder.path()));
        }
    }

    /** Records a second, and one over milliseconds: for all of them more is better. */
    private Map<String, Double> work(LoadProcess client, Path file, Topics topics, String full) throws Exception {
        Map<String, Double> values = new LinkedHashMap<>();
        String topic = topics.make();
        Took produced = client.produce(file, topic, Topics.PARTITIONS, records);
        topics.delete(topic);
        values.put("produce" + PER_SECOND, records / produced.seconds());
        values.put("produce" + PER_CPU_SECOND, records / produced.clientCpuSeconds());
        Took consumed = client.consume(file, full, Topics.PARTITIONS, records);
        values.put("consume" + PER_SECOND, records / consumed.seconds());
        values.put("consume" + PER_CPU_SECOND, records / consumed.clientCpuSeconds());
        topic = topics.make();
        Delays delays = client.rate(file, topic, Topics.PARTITIONS, rate, Duration.ofMillis(rateMillis));
        topics.delete(topic);
        if (delays.failed() > 0) {
            throw new IOException(delays.failed() + " records failed at " + rate + " a second");
        }
        values.put(MEDIAN, 1 / delays.median());
        values.put(P99, 1 / delays.p99());
        return values;
    }

    /** What part of the client's samples, while it produces and consumes, is in its watchdogs. */
    private CpuSamples watchdogs(LoadProcess bundled, Path file, Topics topics, String full, Path folder)
            throws Exception {
        Path recording = folder.resolve("watchdogs.jfr");
        bundled.startRecording();
        for (int left = sampled; left > 0; left -= records) {
            String topic = topics.make();
            bundled.produce(file, topic, Topics.PARTITIONS, records);
            topics.delete(topic);
            bundled.consume(file, full, Topics.PARTITIONS, records);
        }
        bundled.endRecording(recording);
        return CpuSamples.of(recording, "io.faultline.client.", "io.faultline.client.watchdog.");
    }

    private void tell(Report report, Rounds<Client> rounds, double memory, CpuSamples watchdogs) {
        Table table = new Table(List.of("kafka-clients", "the same again", "bundled client"));
        List<Figure> figures = new ArrayList<>();
        for (String name : rounds.values()) {
            Comparison comparison = rounds.compare(Client.BUNDLED, name);
            table.row(
                    name.startsWith(SHORTER)
                            ? name.substring(SHORTER.length()) + ", ms"
                            : name.replace(PER_CPU_SECOND, CPU),
                    comparison.medians().map(median -> cell(name, median)).toList());
            figures.add(Figure.of(name, "times", Target.atLeast(AS_GOOD), comparison.ratio()));
        }
        report.table("Records of 1,000 bytes, acks=all; medians", table);
        figures.add(Figure.of("less peak memory", "times", Target.atLeast(AS_GOOD), Interval.exact(memory), 1));
        report.figures("The bundled client, beside kafka-clients", figures);
        report.figures(
                "The watchdogs' own cost",
                List.of(Figure.of(
                        "part of the client's processor time",
                        "%",
                        Target.atMost(MOST_FOR_WATCHDOGS_PERCENT),
                        watchdogs.percent(),
                        watchdogs.all())));
    }

    private static Object cell(String name, double median) {
        if (name.endsWith(PER_SECOND)) {
            return Math.round(median);
        }
        return String.format("%.2f", (name.endsWith(PER_CPU_SECOND) ? MICROS_PER_SECOND : 1) / median);
    }
}
