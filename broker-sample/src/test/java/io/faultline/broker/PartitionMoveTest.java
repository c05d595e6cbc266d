package io.faultline.broker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

import io.faultline.disk.FailingDisk;
import io.faultline.disk.NeedsFailingDisk;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Future;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.TopicPartitionReplica;
import org.apache.kafka.common.errors.KafkaStorageException;
import org.apache.kafka.common.errors.LogDirNotFoundException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Partitions that go to another log directory while they serve. */
class PartitionMoveTest {

    private static final TopicPartition PARTITION = new TopicPartition("t", 0);
    private static final TopicPartitionReplica REPLICA = new TopicPartitionReplica("t", 0, 1);

    @TempDir
    Path scratch;

    private EmbeddedBroker broker;
    private Clients clients;

    private void start(Path... directories) throws IOException {
        broker = EmbeddedBroker.builder()
                .directories(directories)
                .segmentBytes(100_000)
                .property("log.segment.delete.delay.ms", "0")
                .start();
        clients = Clients.plaintext(broker);
    }

    private void startWithTwo() throws Exception {
        start(a(), b());
        broker.topics().create("t", 1);
    }

    @AfterEach
    void stop() {
        broker.close();
    }

    @Test
    void aPartitionMovesWhileItIsWrittenAndEachRecordIsThereOnce() throws Exception {
        startWithTwo();
        List<String> expected = new ArrayList<>();
        try (Producer<byte[], byte[]> producer = clients.producer()) {
            List<Future<RecordMetadata>> sent = new ArrayList<>();
            int moves = 0;
            while (moves < 4) {
                Path target = moves % 2 == 0 ? b() : a();
                move(target);
                do {
                    expected.add("record " + expected.size());
                    sent.add(producer.send(new ProducerRecord<>(
                            "t", 0, null, expected.get(expected.size() - 1).getBytes())));
                    if (sent.size() % 100 == 0) {
                        producer.flush();
                        assertThat(sent).hasSizeLessThan(1_000_000);
                    }
                } while (!broker.directoryOf("t", 0).equals(target));
                moves++;
            }
            for (Future<RecordMetadata> one : sent) {
                Clients.get(one);
            }
        }
        assertThat(values(expected.size())).isEqualTo(expected);
        assertThat(broker.offlineDirectories()).isEmpty();
        await().until(() -> !Files.exists(b().resolve("t-0")) && folders(b()).isEmpty());

        broker.close();
        start(a(), b());
        assertThat(values(expected.size())).isEqualTo(expected);
        assertThat(broker.log("t", 0).end().offset()).isEqualTo(expected.size());
    }

    @Test
    void whatIsKnownOfAPartitionMovesWithIt() throws Exception {
        startWithTwo();
        broker.topics().configure("t", before -> before.change(Map.of("segment.bytes", "50000")));
        clients.produce(PARTITION, 1_000, 500);
        broker.close();
        start(a(), b());
        clients.produce(PARTITION, 500, 500);
        try (Admin admin = clients.admin()) {
            Clients.get(admin.deleteRecords(Map.of(PARTITION, RecordsToDelete.beforeOffset(777)))
                    .all());
        }
        var producers = broker.log("t", 0).activeProducers();
        move(b());
        awaitIn(b());
        for (int run = 0; run < 2; run++) {
            assertThat(broker.log("t", 0).startOffset()).isEqualTo(777);
            assertThat(broker.log("t", 0).endOfEpoch(0).endOffset()).isEqualTo(1_000);
            assertThat(broker.log("t", 0).endOfEpoch(1).endOffset()).isEqualTo(1_500);
            assertThat(broker.log("t", 0).activeProducers())
                    .hasSizeGreaterThanOrEqualTo(1)
                    .isSubsetOf(producers);
            assertThat(broker.log("t", 0).config().segmentBytes()).isEqualTo(50_000);
            assertThat(values(723)).hasSize(723);
            broker.close();
            start(a(), b());
        }
        assertThat(broker.directoryOf("t", 0)).isEqualTo(b());
    }

    @Test
    void aCompactedPartitionMovesWithItsGaps() throws Exception {
        startWithTwo();
        broker.topics()
                .configure(
                        "t",
                        before -> before.change(Map.of("cleanup.policy", "compact", "min.cleanable.dirty.ratio", "0")));
        for (int round = 0; round < 2; round++) {
            produce("a", "b");
            broker.log("t", 0).roll();
        }
        produce("c");
        broker.topics().compact();
        assertThat(offsets(3)).containsExactly(2L, 3L, 4L);
        move(b());
        awaitIn(b());
        for (int run = 0; run < 2; run++) {
            assertThat(broker.log("t", 0).startOffset()).isZero();
            assertThat(broker.log("t", 0).end().offset()).isEqualTo(5);
            assertThat(offsets(3)).containsExactly(2L, 3L, 4L);
            broker.close();
            start(a(), b());
        }
    }

    /** Without idempotence, of which compaction would leave the headers of batches. */
    private void produce(String... keys) throws Exception {
        try (Producer<byte[], byte[]> producer =
                clients.with("enable.idempotence", false).producer()) {
            for (String key : keys) {
                Clients.get(producer.send(new ProducerRecord<>("t", 0, key.getBytes(), new byte[1])));
            }
        }
    }

    private List<Long> offsets(int count) {
        return clients.consume(PARTITION, count).stream()
                .map(ConsumerRecord::offset)
                .toList();
    }

    @Test
    void anEmptyLogAndOneWhoseRecordsAreAllDeletedMove() throws Exception {
        startWithTwo();
        move(b());
        awaitIn(b());
        clients.produce(PARTITION, 10, 10);
        broker.log("t", 0).deleteRecordsBefore(10);
        move(a());
        awaitIn(a());
        assertThat(broker.log("t", 0).startOffset()).isEqualTo(10);
        clients.produce(PARTITION, 1, 10);
        assertThat(broker.log("t", 0).end().offset()).isEqualTo(11);
        assertThat(values(1)).hasSize(1);
    }

    @Test
    void theAdministratorSeesWhereAReplicaIs() throws Exception {
        startWithTwo();
        clients.produce(PARTITION, 10, 10);
        try (Admin admin = clients.admin()) {
            Clients.get(
                    admin.alterReplicaLogDirs(Map.of(REPLICA, b().toString())).all());
            await().until(() -> Clients.get(
                            admin.describeReplicaLogDirs(List.of(REPLICA)).all())
                    .get(REPLICA)
                    .getCurrentReplicaLogDir()
                    .equals(b().toString()));
            assertThat(Clients.get(admin.describeReplicaLogDirs(List.of(REPLICA))
                                    .all())
                            .get(REPLICA)
                            .getFutureReplicaLogDir())
                    .isNull();
            Throwable unknown =
                    catchThrowable(() -> Clients.get(admin.alterReplicaLogDirs(Map.of(REPLICA, "/no/such/directory"))
                            .all()));
            assertThat(unknown).hasCauseInstanceOf(LogDirNotFoundException.class);
        }
    }

    @Test
    void aDeletedTopicIsNotMoved() throws Exception {
        startWithTwo();
        clients.produce(PARTITION, 20_000, 500);
        move(b());
        broker.topics().delete("t");
        await().until(() -> folders(b()).isEmpty());
        assertThat(broker.offlineDirectories()).isEmpty();
    }

    @Test
    void aDirectoryThatFailsMeanwhileKeepsThePartitionWhereItIs() throws Exception {
        startWithTwo();
        clients.produce(PARTITION, 100, 10);
        try (var walk = Files.walk(b())) {
            for (Path path : walk.sorted(java.util.Comparator.reverseOrder()).toList()) {
                Files.delete(path);
            }
        }
        move(b());
        await().until(() -> broker.offlineDirectories().contains(b()));
        assertThat(broker.directoryOf("t", 0)).isEqualTo(a());
        assertThat(values(100)).hasSize(100);
        try (Admin admin = clients.admin()) {
            Throwable offline = catchThrowable(() -> Clients.get(
                    admin.alterReplicaLogDirs(Map.of(REPLICA, b().toString())).all()));
            assertThat(offline).hasCauseInstanceOf(KafkaStorageException.class);
        }
    }

    @Test
    @NeedsFailingDisk
    void aPartitionOnAFailingDiskIsNotMovedHalf(FailingDisk disk) throws Exception {
        Path bad = disk.directory().resolve("data");
        start(bad, b());
        broker.topics().create("t", 1);
        clients.produce(PARTITION, 1_000, 1_000);
        Path segment = broker.log("t", 0).segmentFiles().get(0).toPath();
        disk.poison(segment, 0, segment.toFile().length());
        move(b());
        await().until(() -> broker.offlineDirectories().contains(bad));
        await().until(() -> folders(b()).isEmpty());
        assertThat(broker.directoryOf("t", 0)).isEqualTo(bad);
    }

    private void move(Path target) throws Exception {
        try (Admin admin = clients.admin()) {
            Clients.get(admin.alterReplicaLogDirs(Map.of(REPLICA, target.toString()))
                    .all());
        }
    }

    private void awaitIn(Path directory) {
        await().until(() -> broker.directoryOf("t", 0).equals(directory));
    }

    private List<String> values(int count) {
        return clients.consume(PARTITION, count).stream()
                .map(record -> new String(record.value()))
                .toList();
    }

    private static List<Path> folders(Path directory) throws IOException {
        try (var files = Files.list(directory)) {
            return files.filter(Files::isDirectory).toList();
        }
    }

    private Path a() {
        return scratch.resolve("a");
    }

    private Path b() {
        return scratch.resolve("b");
    }
}
