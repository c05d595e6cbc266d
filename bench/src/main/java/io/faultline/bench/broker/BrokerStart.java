package io.faultline.bench.broker;

import io.faultline.bench.Layout;
import io.faultline.bench.client.Records;
import io.faultline.bench.host.FreePorts;
import io.faultline.bench.host.TemporaryFolder;
import io.faultline.bench.report.Experiment;
import io.faultline.bench.report.Report;
import io.faultline.bench.report.Table;
import io.faultline.bench.startup.EmptyMain;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.common.TopicPartition;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** How long the bundled broker takes from the start of its process to its first answer, in a small JVM, over more and more data. */
@Command(
        name = "broker-start",
        description = {
            "the bundled broker starts in a JVM of 64 MiB, over no data and much, after an orderly stop and after a kill",
            "Milliseconds from the start of the process until its first answer, over 0, a tenth and all of the data, beside an empty main.",
            "It must reach: a median within --within after a stop, and every start within twice that after a kill."
        },
        mixinStandardHelpOptions = true)
public final class BrokerStart extends Experiment {

    private static final String TOPIC = "data";
    private static final int PARTITIONS = 20;
    private static final int RECORD_BYTES = 1_000;

    @Option(
            names = "--megabytes",
            defaultValue = "1000",
            description = "How much data there is in the end; ${DEFAULT-VALUE} by default.")
    private int megabytes;

    @Option(
            names = "--rounds",
            defaultValue = "7",
            description = "How often each start is measured; ${DEFAULT-VALUE} by default.")
    private int rounds;

    @Option(
            names = "--within",
            paramLabel = "MILLIS",
            defaultValue = "1000",
            description =
                    "In how much time it must answer after a stop, and in twice that after a kill; ${DEFAULT-VALUE} by default.")
    private long mostMillis;

    /** Made by the command line. */
    public BrokerStart() {}

    @Override
    protected void run(Layout layout, Report report) throws Exception {
        report.fact("rounds", rounds);
        report.fact("partitions", PARTITIONS);
        Table table = new Table(List.of(
                "segments", "after a stop, ms", "most", "after a kill, ms", "most of them", "an empty main, ms"));
        try (TemporaryFolder folder = TemporaryFolder.named("faultline-start")) {
            Path directory = folder.make("data");
            int port = FreePorts.next();
            for (int size : new int[] {0, megabytes / 10, megabytes}) {
                fill(layout, port, directory, size);
                LongStream stopped =
                        IntStream.range(0, rounds).mapToLong(round -> millis(layout, port, directory, false));
                long[] afterStop = stopped.sorted().toArray();
                millis(layout, port, directory, true);
                LongStream killed =
                        IntStream.range(0, rounds).mapToLong(round -> millis(layout, port, directory, true));
                long[] afterKill = killed.sorted().toArray();
                long[] emptyMain = IntStream.range(0, rounds)
                        .mapToLong(round -> emptyMainMillis(layout))
                        .sorted()
                        .toArray();
                long mostAfterStop = afterStop[rounds - 1];
                long mostAfterKill = afterKill[rounds - 1];
                report.say(
                        "%,d MB: %d ms after a stop, %d ms after a kill",
                        size, afterStop[rounds / 2], afterKill[rounds / 2]);
                table.row(
                        String.format("%,d MB", size),
                        List.of(
                                segments(directory),
                                afterStop[rounds / 2],
                                mostAfterStop,
                                afterKill[rounds / 2],
                                mostAfterKill,
                                emptyMain[rounds / 2]));
                report.claim(
                        afterStop[rounds / 2] < mostMillis,
                        size + " MB: it answers within " + mostMillis + " ms of its start, not "
                                + afterStop[rounds / 2]);
                report.claim(
                        mostAfterKill < 2 * mostMillis,
                        size + " MB: it is back within " + 2 * mostMillis + " ms of a kill, not " + mostAfterKill);
            }
        }
        report.table("From the start of the process to the first answer, -Xmx64m, medians of " + rounds, table);
    }

    private static BrokerProcess launch(Layout layout, int port, Path directory) throws IOException {
        return BrokerProcess.launch(
                layout, port, List.of("-Xmx64m"), List.of("--log.segment.bytes=10000000"), List.of(directory));
    }

    private static void fill(Layout layout, int port, Path directory, int megabytes) throws Exception {
        try (BrokerProcess broker = launch(layout, port, directory)) {
            broker.awaitLine("faultline-broker ready");
            if (megabytes == 0) {
                return;
            }
            String bootstrap = broker.address("PLAINTEXT");
            String topic = TOPIC + megabytes;
            try (Admin admin = Admin.create(Map.of(AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrap))) {
                admin.createTopics(List.of(new NewTopic(topic, PARTITIONS, (short) 1)))
                        .all()
                        .get();
            }
            TopicPartition[] partitions = IntStream.range(0, PARTITIONS)
                    .mapToObj(index -> new TopicPartition(topic, index))
                    .toArray(TopicPartition[]::new);
            Records.produce(bootstrap, "1", megabytes * 1_000_000L / RECORD_BYTES / PARTITIONS, partitions);
        }
    }

    /** Starts, waits for the answer, and stops; how it was stopped before is what is measured. */
    private static long millis(Layout layout, int port, Path directory, boolean kill) {
        try {
            long began = System.nanoTime();
            BrokerProcess broker = launch(layout, port, directory);
            try {
                return FirstAnswer.await(broker.process(), port, began).millis();
            } finally {
                if (kill) {
                    broker.process().kill();
                } else {
                    broker.close();
                }
            }
        } catch (IOException failure) {
            throw new IllegalStateException(failure);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(interrupted);
        }
    }

    /** What a JVM takes for itself, on this machine as busy as it is. */
    private static long emptyMainMillis(Layout layout) {
        long began = System.nanoTime();
        try {
            new ProcessBuilder(
                            layout.java().toString(),
                            "-Xmx64m",
                            "-cp",
                            layout.bench().toString(),
                            EmptyMain.class.getName())
                    .start()
                    .waitFor();
        } catch (IOException failure) {
            throw new IllegalStateException(failure);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(interrupted);
        }
        return Duration.ofNanos(System.nanoTime() - began).toMillis();
    }

    private static long segments(Path directory) throws IOException {
        try (Stream<Path> tree = Files.walk(directory)) {
            return tree.filter(path -> path.toString().endsWith(".log")).count();
        }
    }
}
