package io.faultline.broker;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Future;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.message.InitProducerIdRequestData;
import org.apache.kafka.common.message.InitProducerIdResponseData;
import org.apache.kafka.common.message.ProduceResponseData;
import org.apache.kafka.common.message.ProduceResponseData.PartitionProduceResponse;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.SimpleRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a producer is told that sends a batch again. */
class IdempotenceTest {

    private static final long PRODUCER = 42;

    @TempDir
    Path scratch;

    private EmbeddedBroker broker;

    @BeforeEach
    void start() throws IOException {
        start("86400000");
    }

    private void start(String expirationMs) throws IOException {
        broker = EmbeddedBroker.builder()
                .directories(scratch.resolve("a"), scratch.resolve("b"))
                .property("producer.id.expiration.ms", expirationMs)
                .start();
        if (broker.topics().byName("t").isEmpty()) {
            broker.topics().create("t", 1);
        }
    }

    @AfterEach
    void stop() {
        broker.close();
    }

    private void restart() throws IOException {
        broker.close();
        start();
    }

    @Test
    void aBatchThatIsSentAgainIsAcknowledgedWithItsFirstOffsetAndNotAppended() throws Exception {
        appendSeven();
        assertThat(produce(PRODUCER, 0, 3).baseOffset()).isEqualTo(6);
        assertThat(broker.log("t", 0).end().offset()).isEqualTo(14);
    }

    @Test
    void allFiveBatchesAreKnownAfterARestart() throws Exception {
        appendSeven();
        restart();
        for (int sequence = 2; sequence < 7; sequence++) {
            PartitionProduceResponse again = produce(PRODUCER, 0, sequence);
            assertThat(again.errorCode()).isZero();
            assertThat(again.baseOffset()).isEqualTo(sequence * 2L);
        }
        assertThat(error(produce(PRODUCER, 0, 1))).isEqualTo(Errors.OUT_OF_ORDER_SEQUENCE_NUMBER);
        assertThat(broker.log("t", 0).end().offset()).isEqualTo(14);
        assertThat(produce(PRODUCER, 0, 7).baseOffset()).isEqualTo(14);
    }

    @Test
    void batchesAreKnownAfterARestartThatComesBehindARoll() throws Exception {
        appendSeven();
        broker.log("t", 0).roll();
        restart();
        assertThat(produce(PRODUCER, 0, 6).baseOffset()).isEqualTo(12);
    }

    @Test
    void aTruncatedBatchIsNoDuplicate() throws Exception {
        appendSeven();
        broker.log("t", 0).truncateTo(10);
        assertThat(produce(PRODUCER, 0, 1).baseOffset()).isEqualTo(2);
        assertThat(produce(PRODUCER, 0, 5).baseOffset()).isEqualTo(10);
        assertThat(broker.log("t", 0).end().offset()).isEqualTo(12);
    }

    @Test
    void aGapAndAnEpochThatIsOverAreRefused() throws Exception {
        appendSeven();
        assertThat(error(produce(PRODUCER, 0, 9))).isEqualTo(Errors.OUT_OF_ORDER_SEQUENCE_NUMBER);
        assertThat(error(produce(PRODUCER, 1, 7))).isEqualTo(Errors.OUT_OF_ORDER_SEQUENCE_NUMBER);
        assertThat(produce(PRODUCER, 1, 0).baseOffset()).isEqualTo(14);
        assertThat(error(produce(PRODUCER, 0, 7))).isEqualTo(Errors.INVALID_PRODUCER_EPOCH);
    }

    @Test
    void anUnknownProducerStartsWithAnySequence() throws Exception {
        assertThat(error(produce(4_711, 3, 1_000))).isEqualTo(Errors.NONE);
    }

    @Test
    void anExpiredProducerStartsWithAnySequence() throws Exception {
        broker.close();
        start("1");
        appendSeven();
        org.awaitility.Awaitility.await()
                .until(() -> broker.log("t", 0).activeProducers().isEmpty());
        assertThat(error(produce(PRODUCER, 0, 100))).isEqualTo(Errors.NONE);
    }

    @Test
    void producerIdsAreNotIssuedAgainAfterARestart() throws Exception {
        List<Long> ids = new ArrayList<>();
        for (int run = 0; run < 3; run++) {
            for (int count = 0; count < 3; count++) {
                ids.add(initProducerId());
            }
            restart();
        }
        assertThat(ids).doesNotHaveDuplicates();
    }

    @Test
    void aJavaProducerGoesOnThroughARestartAndEachRecordIsInTheLogOnce() throws Exception {
        TopicPartition partition = new TopicPartition("t", 0);
        int port = Integer.parseInt(broker.bootstrapServers().split(":")[1]);
        try (Producer<byte[], byte[]> producer = Clients.plaintext(broker).producer()) {
            List<Future<RecordMetadata>> sent = new ArrayList<>();
            for (int record = 0; record < 2_000; record++) {
                sent.add(producer.send(new ProducerRecord<>(
                        "t", 0, null, Integer.toString(record).getBytes())));
                if (record == 1_000) {
                    broker.close();
                    broker = EmbeddedBroker.builder()
                            .directories(scratch.resolve("a"), scratch.resolve("b"))
                            .property("listeners", "PLAINTEXT://127.0.0.1:" + port)
                            .start();
                }
            }
            for (Future<RecordMetadata> one : sent) {
                Clients.get(one);
            }
        }
        List<String> expected = new ArrayList<>();
        for (int record = 0; record < 2_000; record++) {
            expected.add(Integer.toString(record));
        }
        assertThat(Clients.plaintext(broker).consume(partition, 2_000))
                .extracting(record -> new String(record.value()))
                .isEqualTo(expected);
        assertThat(broker.log("t", 0).end().offset()).isEqualTo(2_000);
    }

    /** Of two records each, so that sequence and offset differ. */
    private void appendSeven() throws IOException {
        for (int sequence = 0; sequence < 7; sequence++) {
            assertThat(produce(PRODUCER, 0, sequence).baseOffset()).isEqualTo(sequence * 2L);
        }
    }

    private PartitionProduceResponse produce(long producer, int epoch, int batch) throws IOException {
        SimpleRecord record = new SimpleRecord(1_000, "value".getBytes());
        MemoryRecords records = MemoryRecords.withIdempotentRecords(
                Compression.NONE, producer, (short) epoch, batch * 2, record, record);
        try (RawClient client = new RawClient(broker.bootstrapServers())) {
            return Requests.only(client.call(
                    ApiKeys.PRODUCE,
                    Requests.PRODUCE_BY_NAME,
                    Requests.produce("t", Uuid.ZERO_UUID, records),
                    ProduceResponseData.class));
        }
    }

    private static Errors error(PartitionProduceResponse response) {
        return Errors.forCode(response.errorCode());
    }

    private long initProducerId() throws IOException {
        try (RawClient client = new RawClient(broker.bootstrapServers())) {
            return client.call(
                            ApiKeys.INIT_PRODUCER_ID,
                            4,
                            new InitProducerIdRequestData()
                                    .setTransactionalId(null)
                                    .setTransactionTimeoutMs(1_000),
                            InitProducerIdResponseData.class)
                    .producerId();
        }
    }
}
