package io.faultline.broker;

import static org.assertj.core.api.Assertions.assertThat;

import io.faultline.broker.junit.BrokerExtension;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.message.ApiVersionsRequestData;
import org.apache.kafka.common.message.ApiVersionsResponseData;
import org.apache.kafka.common.message.ApiVersionsResponseData.ApiVersion;
import org.apache.kafka.common.message.ProduceRequestData;
import org.apache.kafka.common.message.ProduceResponseData;
import org.apache.kafka.common.message.ProduceResponseData.PartitionProduceResponse;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.record.internal.ControlRecordType;
import org.apache.kafka.common.record.internal.DefaultRecordBatch;
import org.apache.kafka.common.record.internal.EndTransactionMarker;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.MutableRecordBatch;
import org.apache.kafka.common.record.internal.SimpleRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What no client of good will sends. */
class HostileClientTest {

    @RegisterExtension
    static final BrokerExtension BROKER =
            new BrokerExtension(builder -> builder.tls().property("socket.request.max.bytes", "100000"));

    private RawClient bystander;
    private RawClient hostile;

    @BeforeEach
    void connect() throws IOException {
        if (BROKER.broker().topics().byName("t").isEmpty()) {
            BROKER.broker().topics().create("t", 1);
        }
        bystander = new RawClient(BROKER.broker().bootstrapServers());
        hostile = new RawClient(BROKER.broker().bootstrapServers());
    }

    @AfterEach
    void bystanderIsServedStill() throws IOException {
        hostile.close();
        try (RawClient client = bystander) {
            assertThat(client.call(ApiKeys.API_VERSIONS, 0, new ApiVersionsRequestData(), ApiVersionsResponseData.class)
                            .errorCode())
                    .isZero();
            assertThat(BROKER.broker().offlineDirectories()).isEmpty();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {100_001, Integer.MAX_VALUE, -1, Integer.MIN_VALUE})
    void aFrameOfAnUnacceptableSizeClosesItsConnection(int size) throws IOException {
        hostile.sendBytes(ByteBuffer.allocate(Integer.BYTES).putInt(size).array());
        assertThat(hostile.bytesUntilClosed()).isZero();
    }

    @Test
    void anEmptyFrameClosesItsConnection() throws IOException {
        hostile.sendBytes(new byte[Integer.BYTES]);
        assertThat(hostile.bytesUntilClosed()).isZero();
    }

    @Test
    void anotherProtocolClosesItsConnection() throws IOException {
        hostile.sendBytes("GET / HTTP/1.1\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
        assertThat(hostile.bytesUntilClosed()).isZero();
    }

    @Test
    void randomFramesCloseTheirConnections() throws IOException {
        Random random = new Random(7);
        for (int attempt = 0; attempt < 200; attempt++) {
            try (RawClient client = new RawClient(BROKER.broker().bootstrapServers())) {
                byte[] body = new byte[random.nextInt(300)];
                random.nextBytes(body);
                client.sendBytes(frame(ByteBuffer.wrap(body)));
                assertThat(client.bytesUntilClosed()).isZero();
            }
        }
    }

    @Test
    void aKnownRequestWithARandomBodyIsRefusedOrAnswered() throws IOException {
        Random random = new Random(8);
        ApiVersionsResponseData announced =
                bystander.call(ApiKeys.API_VERSIONS, 0, new ApiVersionsRequestData(), ApiVersionsResponseData.class);
        for (ApiVersion api : announced.apiKeys()) {
            for (int attempt = 0; attempt < 20; attempt++) {
                try (RawClient client = new RawClient(BROKER.broker().bootstrapServers())) {
                    byte[] body = new byte[random.nextInt(100)];
                    random.nextBytes(body);
                    ByteBuffer request = ByteBuffer.allocate(200);
                    request.putShort(api.apiKey())
                            .putShort((short) random.nextInt(api.minVersion(), api.maxVersion() + 1))
                            .putInt(attempt)
                            .putShort((short) -1);
                    client.sendBytes(frame(request.put(body).flip()));
                }
            }
        }
    }

    @Test
    void anUnannouncedRequestClosesItsConnection() throws IOException {
        ByteBuffer endTransaction = ByteBuffer.allocate(40).putShort(ApiKeys.END_TXN.id);
        hostile.sendBytes(frame(endTransaction.rewind()));
        assertThat(hostile.bytesUntilClosed()).isZero();
    }

    @Test
    void plaintextOnTheTlsListenerClosesItsConnection() throws IOException {
        try (RawClient client = new RawClient(BROKER.broker().sslBootstrapServers())) {
            client.sendBytes(frame(ByteBuffer.allocate(40)));
            // A TLS alert may come first.
            assertThat(client.bytesUntilClosed()).isLessThan(100);
        }
    }

    @Test
    void aBatchWithAWrongChecksumIsRefused() throws IOException {
        MemoryRecords records = Requests.records("value");
        records.buffer().put(DefaultRecordBatch.RECORDS_COUNT_OFFSET + 6, (byte) 99);
        assertThat(produce(records).errorCode()).isEqualTo(Errors.CORRUPT_MESSAGE.code());
    }

    @Test
    void aBatchThatClaimsMoreRecordsThanItHasIsRefused() throws IOException {
        MemoryRecords records = Requests.records("value");
        MutableRecordBatch batch = records.batches().iterator().next();
        records.buffer().putInt(DefaultRecordBatch.LAST_OFFSET_DELTA_OFFSET, 1_000_000);
        batch.setMaxTimestamp(batch.timestampType(), 5_000); // computes the checksum again
        assertThat(produce(records).errorCode()).isEqualTo(Errors.INVALID_RECORD.code());
    }

    @Test
    void aCompressedBatchThatDoesNotDecompressIsRefused() throws IOException {
        MemoryRecords records =
                MemoryRecords.withRecords(Compression.gzip().build(), new SimpleRecord(1_000, new byte[1_000]));
        MutableRecordBatch batch = records.batches().iterator().next();
        records.buffer().put(DefaultRecordBatch.RECORD_BATCH_OVERHEAD, (byte) 0);
        batch.setMaxTimestamp(batch.timestampType(), 5_000);
        assertThat(produce(records).errorCode()).isEqualTo(Errors.INVALID_RECORD.code());
    }

    @Test
    void aTransactionalBatchIsRefusedForGood() throws IOException {
        MemoryRecords records = MemoryRecords.withTransactionalRecords(
                Compression.NONE, 42L, (short) 0, 0, new SimpleRecord(1_000, "value".getBytes()));
        assertThat(produce(records).errorCode()).isEqualTo(Errors.TRANSACTIONAL_ID_AUTHORIZATION_FAILED.code());
    }

    @Test
    void anIdempotentBatchWithoutASequenceIsRefused() throws IOException {
        MemoryRecords records = MemoryRecords.withIdempotentRecords(
                Compression.NONE, 42L, (short) 0, 0, new SimpleRecord(1_000, "value".getBytes()));
        MutableRecordBatch batch = records.batches().iterator().next();
        records.buffer().putInt(DefaultRecordBatch.LAST_OFFSET_DELTA_OFFSET + 30, -7);
        batch.setMaxTimestamp(batch.timestampType(), 5_000); // computes the checksum again
        assertThat(batch.baseSequence()).isEqualTo(-7);
        assertThat(produce(records).errorCode()).isEqualTo(Errors.INVALID_RECORD.code());
    }

    @Test
    void aControlBatchIsRefused() throws IOException {
        MemoryRecords records = MemoryRecords.withEndTransactionMarker(
                42L, (short) 0, new EndTransactionMarker(ControlRecordType.COMMIT, 0));
        assertThat(produce(records).errorCode()).isNotEqualTo(Errors.NONE.code());
    }

    @Test
    void aPartialBatchIsRefused() throws IOException {
        ByteBuffer whole = Requests.records("value").buffer();
        whole.limit(whole.limit() - 1);
        assertThat(produce(MemoryRecords.readableRecords(whole)).errorCode()).isEqualTo(Errors.CORRUPT_MESSAGE.code());
    }

    @Test
    void unknownAcksAreRefused() throws IOException {
        ProduceRequestData request = Requests.produce("t", "value").setAcks((short) 2);
        assertThat(produce(request).errorCode()).isEqualTo(Errors.INVALID_REQUIRED_ACKS.code());
    }

    @Test
    void aFailedProduceWithoutAcksClosesItsConnection() throws IOException {
        ProduceRequestData request = Requests.produce("no such topic", "value").setAcks((short) 0);
        hostile.send(ApiKeys.PRODUCE, Requests.PRODUCE_BY_NAME, request);
        assertThat(hostile.bytesUntilClosed()).isZero();
    }

    private PartitionProduceResponse produce(MemoryRecords records) throws IOException {
        return produce(Requests.produce("t", Uuid.ZERO_UUID, records));
    }

    private PartitionProduceResponse produce(ProduceRequestData request) throws IOException {
        long before = BROKER.broker().log("t", 0).end().offset();
        PartitionProduceResponse response = Requests.only(
                hostile.call(ApiKeys.PRODUCE, Requests.PRODUCE_BY_NAME, request, ProduceResponseData.class));
        assertThat(BROKER.broker().log("t", 0).end().offset()).isEqualTo(before);
        return response;
    }

    private static byte[] frame(ByteBuffer body) {
        ByteBuffer frame = ByteBuffer.allocate(Integer.BYTES + body.remaining());
        return frame.putInt(body.remaining()).put(body).array();
    }
}
