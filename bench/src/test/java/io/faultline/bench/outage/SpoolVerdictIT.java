package io.faultline.bench.outage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.faultline.bench.Layout;
import io.faultline.bench.host.FreePorts;
import io.faultline.bench.host.JvmProcess;
import io.faultline.broker.EmbeddedBroker;
import io.faultline.disk.FailingDisk;
import io.faultline.disk.HungDisk;
import io.faultline.disk.NeedsFailingDisk;
import io.faultline.disk.NeedsHungDisk;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A producer with a spool in a JVM with the agent: what the agent says of transfers that failed decides what becomes of records. */
class SpoolVerdictIT {

    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final TopicPartition PARTITION = new TopicPartition("t", 0);
    private static final int LAST = 12;

    /** So many are in the spool for certain when all are sent. */
    private static final int SPOOLED = 9;

    @TempDir
    private Path folder;

    private EmbeddedBroker broker;
    private FrameProxy proxy;

    @BeforeEach
    void start() throws IOException {
        int behind = FreePorts.next();
        int before = FreePorts.next();
        broker = EmbeddedBroker.builder()
                .property("listeners", "PLAINTEXT://127.0.0.1:" + behind)
                .property("advertised.listeners", "PLAINTEXT://127.0.0.1:" + before)
                .topic(PARTITION.topic(), 1)
                .start();
        proxy = new FrameProxy(before, behind);
    }

    @AfterEach
    void close() throws IOException {
        proxy.close();
        broker.close();
    }

    private JvmProcess producer(Path spool) throws Exception {
        Layout layout = Layout.ofThisBuild();
        List<String> command = List.of(
                layout.java().toString(),
                "-Xmx128m",
                "-javaagent:" + layout.agent() + "=mode=act",
                "-cp",
                System.getProperty("java.class.path"),
                SpoolingClient.class.getName(),
                broker.bootstrapServers(),
                spool.toString(),
                PARTITION.topic());
        JvmProcess producer = JvmProcess.start("a producer with a spool", new ProcessBuilder(command), null);
        producer.awaitLine("ready", PATIENCE);
        return producer;
    }

    /** Sends one record that is delivered, and then, with the broker away, as many as fill the memory several times. */
    private void fill(JvmProcess producer) throws Exception {
        producer.tell("0 0");
        producer.awaitLine("delivered 0", PATIENCE);
        broker.stop();
        producer.tell("1 " + LAST);
        producer.awaitLine("accepted " + SPOOLED, PATIENCE);
    }

    private static Path segment(Path spool) throws IOException {
        try (Stream<Path> files = Files.list(spool)) {
            return files.filter(file -> file.toString().endsWith(".segment"))
                    .findFirst()
                    .orElseThrow();
        }
    }

    /** Where a whole block lies within a record. */
    private static long blockWithin(Path segment, int record) throws IOException {
        String bytes = Files.readString(segment, StandardCharsets.ISO_8859_1);
        int first = bytes.indexOf(SpoolingClient.mark(record));
        int last = bytes.lastIndexOf(SpoolingClient.mark(record));
        int block = (first + last) / 2 / FailingDisk.BLOCK_SIZE * FailingDisk.BLOCK_SIZE;
        assertThat(block).isBetween(first, last - FailingDisk.BLOCK_SIZE);
        return block;
    }

    private static List<String> lines(JvmProcess producer, String... words) {
        return producer.log().stream()
                .filter(line -> Stream.of(words).anyMatch(word -> line.startsWith(word + " ")))
                .toList();
    }

    private List<String> keysInLog() {
        List<String> keys = new ArrayList<>();
        try (KafkaConsumer<String, String> consumer = new KafkaConsumer<>(
                Map.of("bootstrap.servers", broker.bootstrapServers()),
                new StringDeserializer(),
                new StringDeserializer())) {
            consumer.assign(List.of(PARTITION));
            consumer.seekToBeginning(List.of(PARTITION));
            long end = consumer.endOffsets(List.of(PARTITION)).get(PARTITION);
            while (consumer.position(PARTITION) < end) {
                consumer.poll(Duration.ofSeconds(1)).forEach(record -> keys.add(record.key()));
            }
        }
        return keys;
    }

    private static List<String> keys(int from, int to, Integer... without) {
        return IntStream.rangeClosed(from, to)
                .filter(key -> !List.of(without).contains(key))
                .mapToObj(String::valueOf)
                .toList();
    }

    @Test
    @NeedsFailingDisk
    void aVerdictOfDiskFailsWhatLiesThereAtOnceAndTheRestIsDelivered(FailingDisk disk) throws Exception {
        Path spool = disk.directory().resolve("spool");
        try (JvmProcess producer = producer(spool)) {
            fill(producer);
            Path segment = segment(spool);
            long third = blockWithin(segment, 3);
            long sixth = blockWithin(segment, 6);
            disk.poison(segment, third, FailingDisk.BLOCK_SIZE);
            disk.poison(segment, sixth, FailingDisk.BLOCK_SIZE);
            broker.start();
            producer.awaitLine("delivered " + LAST, PATIENCE);
            assertThat(lines(producer, "delivered", "failed"))
                    .startsWith(
                            "delivered 0",
                            "delivered 1",
                            "delivered 2",
                            "failed 3 KafkaStorageException",
                            "failed 6 KafkaStorageException",
                            "delivered 4")
                    .hasSize(LAST + 1);
            assertThat(lines(producer, "failed")).hasSize(2);
            assertThat(keysInLog()).isEqualTo(keys(0, LAST, 3, 6));
            assertThat(lines(producer, "verdict")).contains("verdict DISK READ_FAILED");
            assertThat(lines(producer, "trip")).doesNotContain("trip VERDICT");
            assertThat(segment).doesNotExist();
            assertThat(segment.resolveSibling(segment.getFileName() + ".unreadable"))
                    .exists();
        }
    }

    /**
     * The disk hangs, so that the transfer is going on when the peer resets the connection. The journal, in which the producer writes before, is on another disk. One record
     * is damaged: when that is told, everything that there is to be read has been read, and only transfers are to come.
     */
    @Test
    @NeedsHungDisk
    void aResetInTheMiddleOfATransferHasTheBatchSentAgainAndDeliveredOnce(HungDisk disk) throws Exception {
        Path spool = folder.resolve("spool");
        int accepted = leave(spool);
        Path segment = onto(disk, segment(spool));
        damage(segment, accepted);
        try (JvmProcess producer = producer(spool)) {
            producer.awaitLine("damaged", PATIENCE);
            disk.dropCache(segment);
            disk.hang();
            broker.start();
            await().atMost(PATIENCE).until(() -> disk.waitingCalls() > 0);
            proxy.resetAll();
            disk.resume();
            producer.awaitLine("verdict SOCKET REGION_READABLE", PATIENCE);
            await().atMost(PATIENCE).until(() -> lines(producer, "recovered").size() == accepted - 1);
            assertThat(keysInLog()).isEqualTo(keys(0, accepted - 1));
            assertThat(lines(producer, "verdict")).containsOnly("verdict SOCKET REGION_READABLE");
            assertThat(lines(producer, "trip")).doesNotContain("trip VERDICT");
        }
    }

    /** Leaves records from 1 on in the spool, and returns the number of the last one. */
    private int leave(Path spool) throws Exception {
        try (JvmProcess producer = producer(spool)) {
            fill(producer);
            producer.tell("end");
            assertThat(producer.awaitExit(PATIENCE)).isZero();
            return lines(producer, "accepted").size() - 1;
        }
    }

    private static Path onto(HungDisk disk, Path segment) throws IOException {
        Path moved = Files.move(segment, disk.directory().resolve(segment.getFileName()));
        Files.createSymbolicLink(segment, moved);
        return moved;
    }

    private static void damage(Path segment, int record) throws IOException {
        byte[] bytes = Files.readAllBytes(segment);
        bytes[(int) blockWithin(segment, record)] ^= 1;
        Files.write(segment, bytes);
    }
}
