package io.faultline.broker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.faultline.broker.log.Log;
import io.faultline.broker.log.LogEnd;
import io.faultline.broker.log.NoRoomException;
import io.faultline.broker.log.TopicConfig;
import io.faultline.disk.Ballast;
import io.faultline.disk.NeedsTruncatedDisk;
import io.faultline.disk.TruncatedDisk;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.message.ProduceResponseData;
import org.apache.kafka.common.message.ProduceResponseData.PartitionProduceResponse;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.RecordBatch;
import org.apache.kafka.common.record.internal.SimpleRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A disk that is well, and really full. */
@NeedsTruncatedDisk
class FullDiskTest {

    private static final long DISK_BYTES = 16 << 20;
    private static final int RECORD_BYTES = 10_000;

    @TempDir
    Path scratch;

    private TruncatedDisk disk;
    private Path directory;
    private Ballast ballast;
    private EmbeddedBroker broker;

    @BeforeEach
    void start() throws IOException {
        disk = TruncatedDisk.ext4(DISK_BYTES);
        directory = disk.directory().resolve("data");
        ballast = new Ballast(disk.directory().resolve("ballast"));
        start(directory);
    }

    private void start(Path... directories) throws IOException {
        broker = EmbeddedBroker.builder()
                .directories(directories)
                .property("log.segment.delete.delay.ms", "0")
                .property("log.cleaner.backoff.ms", Long.toString(TimeUnit.DAYS.toMillis(1)))
                .start();
    }

    @AfterEach
    void stop() throws IOException {
        broker.close();
        disk.close();
    }

    @Test
    void aProduceFailsWithAClearErrorAndSucceedsWhenThereIsRoom() throws Exception {
        broker.topics().create("t", 1);
        assertThat(produce()).isEqualTo(Errors.NONE);
        ballast.fill();
        PartitionProduceResponse failed = produceUntilFull();
        assertThat(failed.errorMessage()).contains("no room").contains(directory.toString());
        LogEnd end = broker.log("t", 0).end();
        assertThat(produce()).isEqualTo(Errors.KAFKA_STORAGE_ERROR);
        assertThat(broker.log("t", 0).end()).isEqualTo(end);
        assertThat(Files.size(broker.log("t", 0).segmentFiles().get(0).toPath()))
                .as("what was half written is cut")
                .isEqualTo(end.position());
        assertThat(broker.offlineDirectories()).isEmpty();
        assertWhole(end.offset());

        ballast.drop();

        assertThat(produce()).isEqualTo(Errors.NONE);
        broker.close();
        start(directory);
        assertWhole(end.offset() + 1);
    }

    @Test
    void aProducerGoesOnWhenThereIsRoomAndNothingIsLostOrThereTwice() throws Exception {
        broker.topics().create("t", 1);
        ballast.fill();
        produceUntilFull();
        long before = broker.log("t", 0).end().offset();
        try (Producer<byte[], byte[]> producer = Clients.plaintext(broker).producer()) {
            Future<RecordMetadata> sent = producer.send(new ProducerRecord<>("t", 0, null, new byte[RECORD_BYTES]));
            ballast.drop();
            assertThat(Clients.get(sent).offset()).isEqualTo(before);
        }
        assertWhole(before + 1);
    }

    @Test
    void aDiskThatIsFullWhenTheBrokerStopsIsReadAgainInFull() throws Exception {
        broker.topics().create("t", 1);
        ballast.fill();
        produceUntilFull();
        long end = broker.log("t", 0).end().offset();

        broker.close();
        start(directory);

        assertThat(broker.offlineDirectories()).isEmpty();
        assertWhole(end);
        ballast.drop();
        assertThat(produce()).isEqualTo(Errors.NONE);
    }

    @Test
    void aRollFailsAndLeavesTheSegmentAsItIs() throws Exception {
        broker.topics().create("t", 1);
        assertThat(produce()).isEqualTo(Errors.NONE);
        ballast.fill();
        Log log = broker.log("t", 0);

        assertThatThrownBy(log::roll).isInstanceOf(NoRoomException.class);

        assertThat(log.segmentFiles()).hasSize(1);
        assertThat(broker.offlineDirectories()).isEmpty();
        assertWhole(1);
        ballast.drop();
        log.roll();
        assertThat(log.segmentFiles()).hasSize(2);
    }

    @Test
    void aCheckpointStaysAsItWas() throws Exception {
        broker.topics().create("t", 1);
        for (int record = 0; record < 5; record++) {
            assertThat(produce()).isEqualTo(Errors.NONE);
        }
        Log log = broker.log("t", 0);
        log.deleteRecordsBefore(2);
        ballast.fill();

        assertThatThrownBy(() -> log.deleteRecordsBefore(3)).isInstanceOf(NoRoomException.class);

        assertThat(log.startOffset()).isEqualTo(2);
        assertThat(directory.resolve("log-start-offset-checkpoint")).hasContent("0\n1\nt 0 2\n");
        assertThat(directory.resolve("log-start-offset-checkpoint.tmp")).doesNotExist();
        broker.topics().checkpointRecoveryPoints();
        assertThat(broker.offlineDirectories()).isEmpty();
        ballast.drop();
        assertThat(log.deleteRecordsBefore(3)).isEqualTo(3);
    }

    @Test
    void retentionMakesRoom() throws Exception {
        broker.topics()
                .create(
                        "t",
                        1,
                        TopicConfig.NONE.change(Map.of("segment.bytes", "1000000", "retention.bytes", "1000000")));
        produceUntilFull();
        broker.topics().enforceRetention();
        assertThat(broker.log("t", 0).startOffset()).isPositive();
        await().untilAsserted(() ->
                assertThat(tryToProduce().errorMessage()).as("error").isNull());
        assertThat(broker.offlineDirectories()).isEmpty();
    }

    @Test
    void aCompactionLeavesTheLogAsItIsAndCompactsItWhenThereIsRoom() throws Exception {
        broker.topics()
                .create(
                        "t",
                        1,
                        TopicConfig.NONE.change(Map.of(
                                "cleanup.policy", "compact",
                                "min.cleanable.dirty.ratio", "0",
                                "segment.bytes", "2000000")));
        Log log = broker.log("t", 0);
        for (int record = 0; record < 100; record++) {
            log.append(MemoryRecords.withRecords(
                    Compression.NONE,
                    new SimpleRecord(1_000, new byte[] {(byte) (record % 60)}, new byte[RECORD_BYTES])));
        }
        log.roll();
        long size = log.sizeInBytes();
        // Room for some of the copy: what it took is free again when the reason is looked for.
        Path some = Files.write(disk.directory().resolve("some"), new byte[300_000]);
        ballast.fill();
        Files.delete(some);

        broker.topics().compact();

        assertThat(broker.offlineDirectories()).isEmpty();
        assertThat(log.sizeInBytes()).isEqualTo(size);
        assertWhole(100);
        try (var left = Files.list(Path.of(log.toString()))) {
            assertThat(left.map(Path::toString)).noneMatch(name -> name.endsWith(".cleaned"));
        }
        ballast.drop();
        broker.topics().compact();
        assertThat(broker.offlineDirectories()).isEmpty();
        assertThat(log.sizeInBytes()).isLessThan(size);
    }

    @Test
    void aTopicIsMadeInADirectoryThatHasRoom() throws Exception {
        broker.close();
        start(directory, scratch);
        ballast.fill();
        broker.topics().create("t", 4);
        for (int partition = 0; partition < 4; partition++) {
            assertThat(broker.directoryOf("t", partition)).isEqualTo(scratch);
        }
        assertThat(broker.offlineDirectories()).isEmpty();
        try (var left = Files.list(directory)) {
            assertThat(left.map(Path::getFileName).map(Path::toString)).noneMatch(name -> name.startsWith("t-"));
        }
    }

    @Test
    void aMoveIntoAFullDirectoryLeavesThePartitionWhereItIs() throws Exception {
        broker.close();
        start(scratch, directory);
        broker.topics().create("t", 1);
        assertThat(broker.directoryOf("t", 0)).isEqualTo(scratch);
        for (int record = 0; record < 200; record++) {
            assertThat(produce()).isEqualTo(Errors.NONE);
        }
        ballast.fill();
        try (var admin = Clients.plaintext(broker).admin()) {
            Clients.get(admin.alterReplicaLogDirs(
                            Map.of(new org.apache.kafka.common.TopicPartitionReplica("t", 0, 1), directory.toString()))
                    .all());
        }
        await().until(() -> broker.topics()
                .byName("t")
                .orElseThrow()
                .partitions()
                .get(0)
                .future()
                .isEmpty());
        assertThat(broker.directoryOf("t", 0)).isEqualTo(scratch);
        assertThat(broker.offlineDirectories()).isEmpty();
        assertWhole(200);
    }

    private PartitionProduceResponse produceUntilFull() throws IOException {
        while (true) {
            PartitionProduceResponse response = tryToProduce();
            if (response.errorCode() != Errors.NONE.code()) {
                assertThat(Errors.forCode(response.errorCode())).isEqualTo(Errors.KAFKA_STORAGE_ERROR);
                return response;
            }
        }
    }

    private Errors produce() throws IOException {
        return Errors.forCode(tryToProduce().errorCode());
    }

    private PartitionProduceResponse tryToProduce() throws IOException {
        try (RawClient client = new RawClient(broker.bootstrapServers())) {
            return Requests.only(client.call(
                    ApiKeys.PRODUCE,
                    Requests.PRODUCE_BY_NAME,
                    Requests.produce("t", "x".repeat(RECORD_BYTES)),
                    ProduceResponseData.class));
        }
    }

    private void assertWhole(long records) {
        Log log = broker.log("t", 0);
        long next = log.startOffset();
        while (next < log.end().offset()) {
            for (RecordBatch batch : log.read(next, 1 << 20, true).records().batches()) {
                batch.ensureValid();
                assertThat(batch.baseOffset()).isEqualTo(next);
                next = batch.nextOffset();
            }
        }
        assertThat(next).isEqualTo(records);
    }
}
