package io.faultline.broker;

import static org.assertj.core.api.Assertions.assertThat;

import io.faultline.broker.junit.BrokerExtension;
import io.faultline.broker.log.TopicConfig;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.message.ApiVersionsRequestData;
import org.apache.kafka.common.message.ApiVersionsResponseData;
import org.apache.kafka.common.message.ApiVersionsResponseData.ApiVersion;
import org.apache.kafka.common.message.CreateTopicsRequestData;
import org.apache.kafka.common.message.CreateTopicsRequestData.CreatableTopic;
import org.apache.kafka.common.message.CreateTopicsResponseData;
import org.apache.kafka.common.message.MetadataRequestData;
import org.apache.kafka.common.message.MetadataRequestData.MetadataRequestTopic;
import org.apache.kafka.common.message.MetadataResponseData;
import org.apache.kafka.common.message.MetadataResponseData.MetadataResponseTopic;
import org.apache.kafka.common.message.ProduceRequestData;
import org.apache.kafka.common.message.ProduceResponseData;
import org.apache.kafka.common.message.ProduceResponseData.PartitionProduceResponse;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.common.record.internal.CompressionType;
import org.apache.kafka.common.record.internal.ControlRecordType;
import org.apache.kafka.common.record.internal.DefaultRecordBatch;
import org.apache.kafka.common.record.internal.EndTransactionMarker;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.MutableRecordBatch;
import org.apache.kafka.common.record.internal.RecordBatch;
import org.apache.kafka.common.record.internal.Records;
import org.apache.kafka.common.record.internal.SimpleRecord;
import org.apache.kafka.common.utils.internals.ByteUtils;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
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
            BROKER.broker().topics().create("large", 1);
            BROKER.broker().topics().create("bombs", 1);
            BROKER.broker().topics().create("small", 1, TopicConfig.NONE.change(Map.of("max.message.bytes", "1000")));
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
    void tlsOnThePlaintextListenerClosesItsConnection() throws IOException {
        // The beginning of a TLS record with a ClientHello: as a size it is 369,295,616.
        hostile.sendBytes(new byte[] {0x16, 0x03, 0x01, 0x02, 0x00, 0x01, 0x00, 0x01, (byte) 0xfc, 0x03, 0x03});
        assertThat(hostile.bytesUntilClosed()).isZero();
    }

    @Test
    void aTlsAlertClosesItsConnection() throws IOException {
        hostile.sendBytes(new byte[] {0x15, 0x03, 0x03, 0x00, 0x02, 0x02, 0x28});
        assertThat(hostile.bytesUntilClosed()).isZero();
    }

    @Test
    void whoSendsAByteAtATimeIsServedAndKeepsNobodyWaiting() throws IOException {
        ByteBuffer request = ByteBuffer.allocate(14)
                .putInt(10)
                .putShort(ApiKeys.API_VERSIONS.id)
                .putShort((short) 0)
                .putInt(0)
                .putShort((short) -1);
        for (byte one : request.array()) {
            bystanderIsAnswered();
            hostile.sendBytes(one);
        }
        assertThat(hostile.receiveSize()).isPositive();
    }

    private void bystanderIsAnswered() throws IOException {
        assertThat(bystander
                        .call(ApiKeys.API_VERSIONS, 0, new ApiVersionsRequestData(), ApiVersionsResponseData.class)
                        .errorCode())
                .isZero();
    }

    @Test
    void whoNeverReadsKeepsNobodyWaiting() throws IOException {
        byte[] value = new byte[90_000];
        for (int count = 0; count < 50; count++) {
            BROKER.broker()
                    .log("large", 0)
                    .append(MemoryRecords.withRecords(Compression.NONE, new SimpleRecord(1_000, value)));
        }
        List<RawClient> deaf = new ArrayList<>();
        try {
            for (int count = 0; count < 50; count++) {
                RawClient client = new RawClient(BROKER.broker().bootstrapServers());
                deaf.add(client);
                // Megabytes each, and further requests behind them that are not looked at before.
                for (int more = 0; more < 20; more++) {
                    client.send(ApiKeys.FETCH, Requests.FETCH_BY_NAME, Requests.fetch("large", 0, 50 << 20));
                }
            }
            bystanderIsAnswered();
            try (RawClient reader = new RawClient(BROKER.broker().bootstrapServers())) {
                reader.send(ApiKeys.FETCH, Requests.FETCH_BY_NAME, Requests.fetch("large", 0, 50 << 20));
                assertThat(reader.receiveSize()).isGreaterThan(50 * value.length);
            }
        } finally {
            for (RawClient client : deaf) {
                client.close();
            }
        }
    }

    @Test
    void metadataByTopicIdBeforeItIsSupportedIsRefused() throws IOException {
        for (int version : new int[] {10, 11}) {
            MetadataRequestData request = new MetadataRequestData()
                    .setTopics(List.of(new MetadataRequestTopic().setName(null).setTopicId(Uuid.randomUuid())));
            MetadataResponseTopic topic = hostile.call(ApiKeys.METADATA, version, request, MetadataResponseData.class)
                    .topics()
                    .iterator()
                    .next();
            assertThat(topic.errorCode()).isEqualTo(Errors.INVALID_REQUEST.code());
            assertThat(topic.name()).isEmpty();
        }
    }

    @Test
    void aNameThatIsTooLongToBeQuotedIsRefused() throws IOException {
        CreateTopicsRequestData request = new CreateTopicsRequestData();
        request.topics()
                .add(new CreatableTopic().setName("n".repeat(Short.MAX_VALUE)).setNumPartitions(1));
        CreateTopicsResponseData response =
                hostile.call(ApiKeys.CREATE_TOPICS, 2, request, CreateTopicsResponseData.class);
        assertThat(response.topics().iterator().next().errorCode()).isEqualTo(Errors.INVALID_TOPIC_EXCEPTION.code());
    }

    @Test
    void aNameThatIsNoTextAndCouldNotBeAnsweredClosesItsConnection() throws IOException {
        ByteBuffer request = ByteBuffer.allocate(20 + 20_000);
        request.putShort(ApiKeys.METADATA.id).putShort((short) 0).putInt(1).putShort((short) -1);
        request.putInt(1).putShort((short) 20_000);
        Arrays.fill(request.array(), request.position(), request.limit(), (byte) 0xff);
        hostile.sendBytes(frame(request.rewind()));
        assertThat(hostile.bytesUntilClosed()).isZero();
    }

    @Test
    void topicsThatCrowdOnePlaceOfATableCloseTheirConnection() throws IOException {
        // Three bytes for each: an empty name, no partitions, no tagged fields. It took minutes of a request thread.
        int topics = 1_300;
        ByteBuffer request = ByteBuffer.allocate(30 + 3 * topics);
        request.putShort(ApiKeys.PRODUCE.id)
                .putShort((short) 9)
                .putInt(1)
                .putShort((short) -1)
                .put((byte) 0);
        request.put((byte) 0).putShort((short) 1).putInt(1_000);
        ByteUtils.writeUnsignedVarint(topics + 1, request);
        for (int topic = 0; topic < topics; topic++) {
            request.put((byte) 1).put((byte) 1).put((byte) 0);
        }
        hostile.sendBytes(frame(request.put((byte) 0).flip()));
        assertThat(hostile.bytesUntilClosed()).isZero();
    }

    @ParameterizedTest
    @EnumSource(
            value = CompressionType.class,
            names = {"GZIP", "ZSTD"})
    void aBatchThatExpandsEnormouslyIsGoneThroughOnceAndTaken(CompressionType type) throws IOException {
        // As by Kafka: what it becomes is never held, and its size is what counts.
        MemoryRecords bomb =
                MemoryRecords.withRecords(Compression.of(type).build(), new SimpleRecord(1_000, new byte[64 << 20]));
        PartitionProduceResponse response = Requests.only(hostile.call(
                ApiKeys.PRODUCE,
                Requests.PRODUCE_BY_NAME,
                Requests.produce("bombs", Uuid.ZERO_UUID, bomb),
                ProduceResponseData.class));
        assertThat(response.errorCode()).isEqualTo(Errors.NONE.code());
    }

    @ParameterizedTest
    @ValueSource(strings = {"cleanup.policy=compact", "compression.type=uncompressed"})
    void aBatchThatExpandsEnormouslyIsRefusedWhereItWouldBeHeld(String setting) throws IOException {
        String topic = "held-" + setting.replace('=', '-');
        String[] parts = setting.split("=");
        BROKER.broker().topics().create(topic, 1, TopicConfig.NONE.change(Map.of(parts[0], parts[1])));
        MemoryRecords bomb = MemoryRecords.withRecords(
                Compression.gzip().build(), new SimpleRecord(1_000, new byte[] {1}, new byte[64 << 20]));
        PartitionProduceResponse response = Requests.only(hostile.call(
                ApiKeys.PRODUCE,
                Requests.PRODUCE_BY_NAME,
                Requests.produce(topic, Uuid.ZERO_UUID, bomb),
                ProduceResponseData.class));
        assertThat(response.errorCode()).isEqualTo(Errors.MESSAGE_TOO_LARGE.code());
    }

    @Test
    void anOldBatchThatExpandsEnormouslyIsRefused() throws IOException {
        MemoryRecords bomb = MemoryRecords.withRecords(
                RecordBatch.MAGIC_VALUE_V1, Compression.gzip().build(), new SimpleRecord(1_000, new byte[40 << 20]));
        assertThat(produceBeforeThree(bomb)).isEqualTo(Errors.MESSAGE_TOO_LARGE.code());
    }

    @Test
    void aSnappyChunkThatClaimsMoreThanItHasIsRefused() throws IOException {
        MemoryRecords records =
                MemoryRecords.withRecords(Compression.snappy().build(), new SimpleRecord(1_000, new byte[1_000]));
        MutableRecordBatch batch = records.batches().iterator().next();
        // Behind the sixteen bytes of its header: half a gigabyte, which the library would allocate.
        records.buffer().putInt(DefaultRecordBatch.RECORD_BATCH_OVERHEAD + 16, 500 << 20);
        batch.setMaxTimestamp(batch.timestampType(), 5_000); // computes the checksum again
        assertThat(produce(records).errorCode()).isEqualTo(Errors.INVALID_RECORD.code());
    }

    @Test
    void aSnappyChunkThatClaimsToBecomeMoreThanItCanIsRefused() throws IOException {
        MemoryRecords records =
                MemoryRecords.withRecords(Compression.snappy().build(), new SimpleRecord(1_000, new byte[1_000]));
        MutableRecordBatch batch = records.batches().iterator().next();
        records.buffer().put(DefaultRecordBatch.RECORD_BATCH_OVERHEAD + 20, new byte[] {-1, -1, -1, -1, 7});
        batch.setMaxTimestamp(batch.timestampType(), 5_000); // computes the checksum again
        assertThat(produce(records).errorCode()).isEqualTo(Errors.INVALID_RECORD.code());
    }

    private int produceBeforeThree(MemoryRecords records) throws IOException {
        ByteBuffer body = ByteBuffer.allocate(100 + records.sizeInBytes());
        body.putShort((short) 1).putInt(1_000).putInt(1).putShort((short) 1).put((byte) 't');
        body.putInt(1)
                .putInt(0)
                .putInt(records.sizeInBytes())
                .put(records.buffer().duplicate())
                .flip();
        // Behind topics, name, partitions and partition.
        return hostile.call(ApiKeys.PRODUCE, 2, body).getShort(8 + 4 + 2 + 1 + 4);
    }

    @Test
    void aBatchLargerThanTheTopicTakesIsRefused() throws IOException {
        MemoryRecords records = MemoryRecords.withRecords(Compression.NONE, new SimpleRecord(1_000, new byte[2_000]));
        PartitionProduceResponse response = Requests.only(hostile.call(
                ApiKeys.PRODUCE,
                Requests.PRODUCE_BY_NAME,
                Requests.produce("small", Uuid.ZERO_UUID, records),
                ProduceResponseData.class));
        assertThat(response.errorCode()).isEqualTo(Errors.MESSAGE_TOO_LARGE.code());
    }

    @Test
    void aBatchOfAnUnknownFormatIsRefused() throws IOException {
        MemoryRecords records = Requests.records("value");
        records.buffer().put(Records.MAGIC_OFFSET, (byte) 3);
        assertThat(produce(records).errorCode()).isNotEqualTo(Errors.NONE.code());
    }

    @Test
    void aBatchThatClaimsLogAppendTimeIsRefused() throws IOException {
        MemoryRecords records = Requests.records("value");
        MutableRecordBatch batch = records.batches().iterator().next();
        batch.setMaxTimestamp(TimestampType.LOG_APPEND_TIME, 5_000);
        assertThat(produce(records).errorCode()).isEqualTo(Errors.INVALID_TIMESTAMP.code());
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
