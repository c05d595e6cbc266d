package io.faultline.broker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

import io.faultline.broker.junit.BrokerExtension;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Future;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.AlterConfigOp.OpType;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.InvalidRecordException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.errors.InvalidConfigurationException;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.common.record.internal.CompressionType;
import org.apache.kafka.common.record.internal.RecordBatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What the settings of a topic do to its records. */
class TopicSettingsTest {

    private static final TopicPartition PARTITION = new TopicPartition("t", 0);
    private static final int BATCH_BYTES = 100_000;

    @RegisterExtension
    final BrokerExtension extension = new BrokerExtension(builder -> builder.property("log.cleaner.backoff.ms", "50"));

    private Clients clients;
    private Admin admin;

    @BeforeEach
    void connect() {
        clients = Clients.plaintext(extension.broker());
        admin = clients.admin();
    }

    @AfterEach
    void disconnect() {
        admin.close();
    }

    @Test
    void aCompactedTopicKeepsTheNewestRecordOfAKey() throws Exception {
        create(Map.of("cleanup.policy", "compact", "min.cleanable.dirty.ratio", "0", "segment.ms", "1"));
        try (Producer<byte[], byte[]> producer = clients.producer()) {
            for (String value : List.of("1", "2", "3")) {
                Clients.get(producer.send(record("a", value)));
            }
            // The active segment is not compacted: what comes later closes it.
            await().atMost(Duration.ofSeconds(60)).until(() -> {
                Clients.get(producer.send(record("b", "end")));
                return firstOffset() >= 2;
            });
        }
        ConsumerRecord<byte[], byte[]> first = clients.consume(PARTITION, 1).get(0);
        assertThat(first.offset()).isEqualTo(2);
        assertThat(text(first.value())).isEqualTo("3");
    }

    private long firstOffset() {
        var records = extension
                .broker()
                .log("t", 0)
                .read(0, BATCH_BYTES, true)
                .records()
                .records();
        return records.iterator().hasNext() ? records.iterator().next().offset() : -1;
    }

    @Test
    void aCompactedTopicTakesNoRecordWithoutAKeyAndSaysWhichOne() throws Exception {
        create(Map.of("cleanup.policy", "compact"));
        Clients batching = clients.with("linger.ms", 60_000).with("batch.size", BATCH_BYTES);
        try (Producer<byte[], byte[]> producer = batching.producer()) {
            Future<RecordMetadata> good = producer.send(record("a", "1"));
            Future<RecordMetadata> bad = producer.send(record(null, "2"));
            producer.flush();
            assertThat(failure(bad)).isInstanceOf(InvalidRecordException.class).hasMessageContaining("without a key");
            // The batch is refused as a whole; the client is told that this record was not the reason.
            assertThat(failure(good)).isNotNull().isNotInstanceOf(InvalidRecordException.class);
        }
    }

    @Test
    void recordsHaveTheTimeOfTheirAppendWhereTheTopicSaysSo() throws Exception {
        create(Map.of("message.timestamp.type", "LogAppendTime"));
        long before = System.currentTimeMillis();
        try (Producer<byte[], byte[]> producer = clients.producer()) {
            RecordMetadata sent = Clients.get(producer.send(new ProducerRecord<>("t", 0, 1_000L, null, bytes("1"))));
            assertThat(sent.timestamp()).isBetween(before, System.currentTimeMillis());
            ConsumerRecord<byte[], byte[]> read = clients.consume(PARTITION, 1).get(0);
            assertThat(read.timestamp()).isEqualTo(sent.timestamp());
            assertThat(read.timestampType()).isEqualTo(TimestampType.LOG_APPEND_TIME);
        }
    }

    @Test
    void batchesAreCompressedAsTheTopicSays() throws Exception {
        create(Map.of("compression.type", "zstd"));
        Clients gzip = clients.with("compression.type", "gzip");
        try (Producer<byte[], byte[]> producer = gzip.producer()) {
            for (int record = 0; record < 3; record++) {
                Clients.get(producer.send(record("a", Integer.toString(record))));
            }
        }
        assertThat(clients.consume(PARTITION, 3))
                .extracting(record -> text(record.value()))
                .containsExactly("0", "1", "2");
        List<CompressionType> stored = new ArrayList<>();
        for (RecordBatch batch : extension
                .broker()
                .log("t", 0)
                .read(0, BATCH_BYTES, true)
                .records()
                .batches()) {
            stored.add(batch.compressionType());
            // Still told from one that comes again.
            assertThat(batch.hasProducerId()).isTrue();
        }
        assertThat(stored).containsOnly(CompressionType.ZSTD);
    }

    @Test
    void theOffsetOfTheLargestTimestampIsThatOfItsRecord() throws Exception {
        create(Map.of());
        Clients batching = clients.with("linger.ms", 60_000).with("batch.size", BATCH_BYTES);
        try (Producer<byte[], byte[]> producer = batching.producer()) {
            for (long timestamp : List.of(100L, 400L, 250L)) {
                producer.send(new ProducerRecord<>("t", 0, timestamp, null, bytes("1")));
            }
        }
        var largest = Clients.get(
                admin.listOffsets(Map.of(PARTITION, OffsetSpec.maxTimestamp())).partitionResult(PARTITION));
        assertThat(largest.offset()).isEqualTo(1);
        assertThat(largest.timestamp()).isEqualTo(400);
    }

    @Test
    void aListIsAddedToAndTakenFrom() throws Exception {
        create(Map.of());
        alter(OpType.APPEND, "cleanup.policy", "compact");
        assertThat(described("cleanup.policy")).isEqualTo("delete,compact");
        alter(OpType.SUBTRACT, "cleanup.policy", "delete");
        assertThat(described("cleanup.policy")).isEqualTo("compact");
        assertThat(catchThrowable(() -> alter(OpType.APPEND, "segment.bytes", "1"))
                        .getCause())
                .isInstanceOf(InvalidConfigurationException.class);
    }

    private void create(Map<String, String> settings) throws Exception {
        Clients.get(admin.createTopics(List.of(new NewTopic("t", 1, (short) 1).configs(settings)))
                .all());
    }

    private void alter(OpType operation, String key, String value) throws Exception {
        Clients.get(admin.incrementalAlterConfigs(
                        Map.of(topic(), List.of(new AlterConfigOp(new ConfigEntry(key, value), operation))))
                .all());
    }

    private String described(String key) throws Exception {
        return Clients.get(admin.describeConfigs(List.of(topic())).all())
                .get(topic())
                .get(key)
                .value();
    }

    private static ConfigResource topic() {
        return new ConfigResource(ConfigResource.Type.TOPIC, "t");
    }

    private static ProducerRecord<byte[], byte[]> record(String key, String value) {
        return new ProducerRecord<>("t", 0, key == null ? null : bytes(key), bytes(value));
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.UTF_8);
    }

    private static Throwable failure(Future<?> result) {
        return catchThrowable(() -> Clients.get(result)).getCause();
    }
}
