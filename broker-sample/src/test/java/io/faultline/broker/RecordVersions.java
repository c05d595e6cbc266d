package io.faultline.broker;

import static org.assertj.core.api.Assertions.assertThat;

import io.faultline.broker.log.Log;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.stream.StreamSupport;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.apache.kafka.common.message.DeleteRecordsRequestData;
import org.apache.kafka.common.message.DeleteRecordsRequestData.DeleteRecordsPartition;
import org.apache.kafka.common.message.DeleteRecordsRequestData.DeleteRecordsTopic;
import org.apache.kafka.common.message.DeleteRecordsResponseData;
import org.apache.kafka.common.message.DeleteRecordsResponseData.DeleteRecordsPartitionResult;
import org.apache.kafka.common.message.DescribeProducersRequestData;
import org.apache.kafka.common.message.DescribeProducersResponseData;
import org.apache.kafka.common.message.DescribeProducersResponseData.PartitionResponse;
import org.apache.kafka.common.message.DescribeProducersResponseData.ProducerState;
import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.message.FetchResponseData.PartitionData;
import org.apache.kafka.common.message.InitProducerIdRequestData;
import org.apache.kafka.common.message.InitProducerIdResponseData;
import org.apache.kafka.common.message.ListOffsetsRequestData;
import org.apache.kafka.common.message.ListOffsetsRequestData.ListOffsetsPartition;
import org.apache.kafka.common.message.ListOffsetsRequestData.ListOffsetsTopic;
import org.apache.kafka.common.message.ListOffsetsResponseData;
import org.apache.kafka.common.message.ListOffsetsResponseData.ListOffsetsPartitionResponse;
import org.apache.kafka.common.message.OffsetForLeaderEpochRequestData;
import org.apache.kafka.common.message.OffsetForLeaderEpochRequestData.OffsetForLeaderPartition;
import org.apache.kafka.common.message.OffsetForLeaderEpochRequestData.OffsetForLeaderTopic;
import org.apache.kafka.common.message.OffsetForLeaderEpochResponseData;
import org.apache.kafka.common.message.OffsetForLeaderEpochResponseData.EpochEndOffset;
import org.apache.kafka.common.message.ProduceResponseData;
import org.apache.kafka.common.message.ProduceResponseData.PartitionProduceResponse;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.Record;
import org.apache.kafka.common.record.internal.RecordBatch;
import org.apache.kafka.common.record.internal.SimpleRecord;

/** That the APIs for records do what they are for, in one version of the API in question; each has a topic of its own. */
final class RecordVersions {

    private static final short FETCHES_BY_ID = 13;
    private static final short PRODUCES_BY_ID = 13;
    private static final long FIRST_TIMESTAMP = 1_000;

    private final EmbeddedBroker broker;
    private final RawClient client;
    private final int version;
    private final String topic;
    private final Uuid topicId;
    private final Log log;

    RecordVersions(EmbeddedBroker broker, RawClient client, ApiKeys api, int version) {
        this.broker = broker;
        this.client = client;
        this.version = version;
        topic = api.name + "-v" + version;
        topicId = broker.topics().create(topic, 1).id();
        log = broker.log(topic, 0);
        log.append(Requests.records("before"));
    }

    /** What a record is for a client. */
    private record Sent(long offset, long timestamp, String key, String value, List<String> headers) {

        static Sent of(Record record) {
            return new Sent(
                    record.offset(),
                    record.timestamp(),
                    text(record.hasKey() ? record.key() : null),
                    text(record.hasValue() ? record.value() : null),
                    Arrays.stream(record.headers())
                            .map(header -> header.key() + "=" + new String(header.value(), StandardCharsets.UTF_8))
                            .toList());
        }

        private static String text(ByteBuffer bytes) {
            return bytes == null ? null : StandardCharsets.UTF_8.decode(bytes).toString();
        }
    }

    void produce() throws IOException {
        if (version < 3) {
            produceBeforeThree();
            return;
        }
        MemoryRecords records = MemoryRecords.withRecords(
                Compression.gzip().build(),
                new SimpleRecord(
                        7, "key".getBytes(), "one".getBytes(), new Header[] {new RecordHeader("name", "text".getBytes())
                        }),
                new SimpleRecord(8, null, "two".getBytes()));
        ProduceResponseData response = client.call(
                ApiKeys.PRODUCE, version, Requests.produce(topic, topicId, records), ProduceResponseData.class);

        assertThat(response.responses()).singleElement().satisfies(answer -> {
            assertThat(answer.name()).isEqualTo(version < PRODUCES_BY_ID ? topic : "");
            assertThat(answer.topicId()).isEqualTo(version < PRODUCES_BY_ID ? Uuid.ZERO_UUID : topicId);
        });
        PartitionProduceResponse result = Requests.only(response);
        assertThat(Errors.forCode(result.errorCode())).isEqualTo(Errors.NONE);
        assertThat(result.baseOffset()).isEqualTo(1);
        assertThat(result.logAppendTimeMs()).isEqualTo(-1);
        assertThat(result.logStartOffset()).isEqualTo(version < 5 ? -1 : 0);
        assertThat(result.recordErrors()).isEmpty();
        assertThat(fetched(1))
                .containsExactly(
                        new Sent(1, 7, "key", "one", List.of("name=text")), new Sent(2, 8, null, "two", List.of()));

        ProduceResponseData refused = client.call(
                ApiKeys.PRODUCE,
                version,
                Requests.produce("no such topic", Uuid.randomUuid(), records),
                ProduceResponseData.class);
        assertThat(Errors.forCode(Requests.only(refused).errorCode()))
                .isEqualTo(version < PRODUCES_BY_ID ? Errors.UNKNOWN_TOPIC_OR_PARTITION : Errors.UNKNOWN_TOPIC_ID);
    }

    /** Spelled out, because the codec has no such version any more. */
    private void produceBeforeThree() throws IOException {
        byte magic = version < 2 ? RecordBatch.MAGIC_VALUE_V0 : RecordBatch.MAGIC_VALUE_V1;
        ByteBuffer records = MemoryRecords.withRecords(
                        magic,
                        Compression.gzip().build(),
                        new SimpleRecord(7, "key".getBytes(), "one".getBytes()),
                        new SimpleRecord(8, null, "two".getBytes()))
                .buffer();
        byte[] name = topic.getBytes(StandardCharsets.UTF_8);
        ByteBuffer body = ByteBuffer.allocate(100 + name.length + records.remaining());
        body.putShort((short) 1)
                .putInt(1_000)
                .putInt(1)
                .putShort((short) name.length)
                .put(name);
        body.putInt(1).putInt(0).putInt(records.remaining()).put(records).flip();

        ByteBuffer response = client.call(ApiKeys.PRODUCE, version, body);

        assertThat(response.getInt()).as("topics").isOne();
        byte[] answeredName = new byte[response.getShort()];
        response.get(answeredName);
        assertThat(answeredName).isEqualTo(name);
        assertThat(response.getInt()).as("partitions").isOne();
        assertThat(response.getInt()).as("partition").isZero();
        assertThat(response.getShort()).as("error").isZero();
        assertThat(response.getLong()).as("offset").isEqualTo(1);
        if (version >= 2) {
            assertThat(response.getLong()).as("append time").isEqualTo(-1);
        }
        if (version >= 1) {
            assertThat(response.getInt()).as("throttle time").isZero();
        }
        assertThat(response.hasRemaining()).isFalse();
        // The first format of all has no timestamps.
        boolean timed = magic >= RecordBatch.MAGIC_VALUE_V1;
        assertThat(fetched(1))
                .containsExactly(
                        new Sent(1, timed ? 7 : -1, "key", "one", List.of()),
                        new Sent(2, timed ? 8 : -1, null, "two", List.of()));
    }

    /** What a client of today is sent. */
    private List<Sent> fetched(long offset) throws IOException {
        return sent(Requests.only(client.call(
                ApiKeys.FETCH,
                FETCHES_BY_ID,
                Requests.fetch(topic, topicId, offset, 1 << 20),
                FetchResponseData.class)));
    }

    private static List<Sent> sent(PartitionData data) {
        return StreamSupport.stream(((MemoryRecords) data.records()).records().spliterator(), false)
                .map(Sent::of)
                .toList();
    }

    void fetch() throws IOException {
        log.append(MemoryRecords.withRecords(
                Compression.lz4().build(),
                new SimpleRecord(
                        7, "key".getBytes(), "one".getBytes(), new Header[] {new RecordHeader("name", "text".getBytes())
                        }),
                new SimpleRecord(8, null, "two".getBytes())));
        log.append(MemoryRecords.withRecords(
                Compression.NONE,
                new SimpleRecord(9, "key".getBytes(), null),
                new SimpleRecord(10, "three".getBytes())));
        List<Sent> all = List.of(
                new Sent(0, FIRST_TIMESTAMP, null, "before", List.of()),
                new Sent(1, 7, "key", "one", List.of("name=text")),
                new Sent(2, 8, null, "two", List.of()),
                new Sent(3, 9, "key", null, List.of()),
                new Sent(4, 10, null, "three", List.of()));
        assertThat(sent(fetchedFrom(0))).isEqualTo(all);
        // What is sent begins with a whole batch.
        assertThat(sent(fetchedFrom(2))).isEqualTo(all.subList(1, 5));
        assertThat(sent(fetchedFrom(5))).isEmpty();

        PartitionData outside = only(fetchResponse(Requests.fetch(topic, topicId, 6, 1 << 20)));
        assertThat(Errors.forCode(outside.errorCode())).isEqualTo(Errors.OFFSET_OUT_OF_RANGE);
        PartitionData unknown = only(fetchResponse(Requests.fetch("no such topic", Uuid.randomUuid(), 0, 1 << 20)));
        assertThat(Errors.forCode(unknown.errorCode()))
                .isEqualTo(version < FETCHES_BY_ID ? Errors.UNKNOWN_TOPIC_OR_PARTITION : Errors.UNKNOWN_TOPIC_ID);
        if (version >= 7) {
            fetchInSession();
        }
    }

    private PartitionData fetchedFrom(long offset) throws IOException {
        FetchResponseData response = fetchResponse(Requests.fetch(topic, topicId, offset, 1 << 20));
        assertThat(response.responses()).singleElement().satisfies(answer -> {
            assertThat(answer.topic()).isEqualTo(version < FETCHES_BY_ID ? topic : "");
            assertThat(answer.topicId()).isEqualTo(version < FETCHES_BY_ID ? Uuid.ZERO_UUID : topicId);
        });
        assertThat(response.sessionId()).isZero();
        PartitionData data = only(response);
        assertThat(Errors.forCode(data.errorCode())).isEqualTo(Errors.NONE);
        assertThat(data.partitionIndex()).isZero();
        assertThat(data.highWatermark()).isEqualTo(5);
        assertThat(data.lastStableOffset()).isEqualTo(5);
        assertThat(data.logStartOffset()).isEqualTo(version < 5 ? -1 : 0);
        assertThat(data.abortedTransactions()).isNullOrEmpty();
        assertThat(data.preferredReadReplica()).isEqualTo(-1);
        return data;
    }

    /** The first fetch of a session names what is wanted, the next one nothing, and is sent what has come since. */
    private void fetchInSession() throws IOException {
        FetchResponseData opened =
                fetchResponse(Requests.fetch(topic, topicId, 5, 1 << 20).setSessionEpoch(0));
        assertThat(opened.sessionId()).isPositive();
        log.append(Requests.records("since"));
        FetchResponseData next = fetchResponse(new FetchRequestData()
                .setMaxBytes(1 << 20)
                .setSessionId(opened.sessionId())
                .setSessionEpoch(1));
        assertThat(next.sessionId()).isEqualTo(opened.sessionId());
        assertThat(sent(only(next))).containsExactly(new Sent(5, FIRST_TIMESTAMP, null, "since", List.of()));
    }

    private FetchResponseData fetchResponse(FetchRequestData request) throws IOException {
        FetchResponseData response = client.call(ApiKeys.FETCH, version, request, FetchResponseData.class);
        assertThat(Errors.forCode(response.errorCode())).isEqualTo(Errors.NONE);
        return response;
    }

    private static PartitionData only(FetchResponseData response) {
        assertThat(response.responses()).hasSize(1);
        return Requests.only(response);
    }

    void listOffsets() throws IOException {
        log.append(Requests.records("one", "two"));
        assertThat(listOffset(-1).offset()).isEqualTo(3);
        assertThat(listOffset(-1).leaderEpoch()).isEqualTo(version < 4 ? -1 : 0);
        assertThat(listOffset(-2).offset()).isZero();
        ListOffsetsPartitionResponse first = listOffset(FIRST_TIMESTAMP);
        assertThat(first.offset()).isZero();
        assertThat(first.timestamp()).isEqualTo(FIRST_TIMESTAMP);
        ListOffsetsPartitionResponse later = listOffset(FIRST_TIMESTAMP + 1);
        assertThat(later.offset()).isEqualTo(2);
        assertThat(later.timestamp()).isEqualTo(FIRST_TIMESTAMP + 1);
        assertThat(listOffset(FIRST_TIMESTAMP + 2).offset()).isEqualTo(-1);
        ListOffsetsPartitionResponse largest = listOffset(-3);
        ListOffsetsPartitionResponse local = listOffset(-4);
        ListOffsetsPartitionResponse tiered = listOffset(-5);
        assertThat(largest.errorCode()).isEqualTo(errorBefore(7));
        assertThat(largest.offset()).isEqualTo(version < 7 ? -1 : 2);
        assertThat(local.errorCode()).isEqualTo(errorBefore(8));
        assertThat(local.offset()).isEqualTo(version < 8 ? -1 : 0);
        // Nothing is in a tier below.
        assertThat(tiered.errorCode()).isEqualTo(errorBefore(9));
        assertThat(tiered.offset()).isEqualTo(-1);
        assertThat(listOffset(-99).errorCode()).isEqualTo(Errors.UNSUPPORTED_VERSION.code());
    }

    private short errorBefore(int first) {
        return (version < first ? Errors.UNSUPPORTED_VERSION : Errors.NONE).code();
    }

    private ListOffsetsPartitionResponse listOffset(long timestamp) throws IOException {
        ListOffsetsRequestData request = new ListOffsetsRequestData()
                .setReplicaId(-1)
                .setTopics(List.of(new ListOffsetsTopic()
                        .setName(topic)
                        .setPartitions(List.of(
                                new ListOffsetsPartition().setPartitionIndex(0).setTimestamp(timestamp)))));
        return client.call(ApiKeys.LIST_OFFSETS, version, request, ListOffsetsResponseData.class)
                .topics()
                .get(0)
                .partitions()
                .get(0);
    }

    void deleteRecords() throws IOException {
        log.append(Requests.records("b", "c"));
        for (long offset : new long[] {2, 1, 99, -1}) {
            DeleteRecordsRequestData request = new DeleteRecordsRequestData()
                    .setTopics(List.of(new DeleteRecordsTopic()
                            .setName(topic)
                            .setPartitions(List.of(new DeleteRecordsPartition().setOffset(offset)))));
            DeleteRecordsPartitionResult result = client.call(
                            ApiKeys.DELETE_RECORDS, version, request, DeleteRecordsResponseData.class)
                    .topics()
                    .find(topic)
                    .partitions()
                    .find(0);
            long start = offset == -1 ? 3 : 2;
            assertThat(Errors.forCode(result.errorCode()))
                    .isEqualTo(offset == 99 ? Errors.OFFSET_OUT_OF_RANGE : Errors.NONE);
            assertThat(result.lowWatermark()).isEqualTo(offset == 99 ? -1 : start);
            assertThat(log.startOffset()).isEqualTo(start);
        }
    }

    void offsetForLeaderEpoch() throws IOException {
        for (int epoch : new int[] {0, 7}) {
            OffsetForLeaderEpochRequestData request = new OffsetForLeaderEpochRequestData();
            request.topics()
                    .add(new OffsetForLeaderTopic()
                            .setTopic(topic)
                            .setPartitions(List.of(new OffsetForLeaderPartition().setLeaderEpoch(epoch))));
            EpochEndOffset end = client.call(
                            ApiKeys.OFFSET_FOR_LEADER_EPOCH, version, request, OffsetForLeaderEpochResponseData.class)
                    .topics()
                    .find(topic)
                    .partitions()
                    .get(0);
            assertThat(Errors.forCode(end.errorCode())).isEqualTo(Errors.NONE);
            assertThat(end.endOffset()).isEqualTo(epoch == 0 ? 1 : -1);
            assertThat(end.leaderEpoch()).isEqualTo(epoch == 0 ? 0 : -1);
        }
    }

    void initProducerId() throws IOException {
        InitProducerIdRequestData request =
                new InitProducerIdRequestData().setTransactionalId(null).setTransactionTimeoutMs(1_000);
        InitProducerIdResponseData first =
                client.call(ApiKeys.INIT_PRODUCER_ID, version, request, InitProducerIdResponseData.class);
        InitProducerIdResponseData second =
                client.call(ApiKeys.INIT_PRODUCER_ID, version, request, InitProducerIdResponseData.class);
        assertThat(first.errorCode()).isZero();
        assertThat(first.producerId()).isNotNegative();
        assertThat(first.producerEpoch()).isZero();
        assertThat(second.producerId()).isNotNegative().isNotEqualTo(first.producerId());
        InitProducerIdResponseData transactional = client.call(
                ApiKeys.INIT_PRODUCER_ID, version, request.setTransactionalId("any"), InitProducerIdResponseData.class);
        assertThat(transactional.errorCode()).isEqualTo(Errors.TRANSACTIONAL_ID_AUTHORIZATION_FAILED.code());
        assertThat(transactional.producerId()).isEqualTo(-1);

        // What is given can be used, and is told apart from what another one is given.
        for (InitProducerIdResponseData given : List.of(first, second)) {
            MemoryRecords batch = MemoryRecords.withIdempotentRecords(
                    Compression.NONE,
                    given.producerId(),
                    given.producerEpoch(),
                    0,
                    new SimpleRecord(7, ("of " + given.producerId()).getBytes()));
            for (int attempt = 0; attempt < 2; attempt++) {
                ProduceResponseData produced = client.call(
                        ApiKeys.PRODUCE,
                        Requests.PRODUCE_BY_NAME,
                        Requests.produce(topic, topicId, batch),
                        ProduceResponseData.class);
                assertThat(Errors.forCode(Requests.only(produced).errorCode())).isEqualTo(Errors.NONE);
            }
        }
        assertThat(fetched(1))
                .extracting(Sent::value)
                .containsExactly("of " + first.producerId(), "of " + second.producerId());
    }

    void describeProducers() throws IOException {
        for (int sequence = 0; sequence < 2; sequence++) {
            log.append(MemoryRecords.withIdempotentRecords(
                    Compression.NONE, 77, (short) 3, sequence, new SimpleRecord(7 + sequence, "any".getBytes())));
        }
        DescribeProducersRequestData request = new DescribeProducersRequestData();
        request.topics()
                .add(new DescribeProducersRequestData.TopicRequest()
                        .setName(topic)
                        .setPartitionIndexes(List.of(0, 9)));
        DescribeProducersResponseData response =
                client.call(ApiKeys.DESCRIBE_PRODUCERS, version, request, DescribeProducersResponseData.class);
        assertThat(response.topics()).hasSize(1);
        assertThat(response.topics().get(0).name()).isEqualTo(topic);
        List<PartitionResponse> partitions = response.topics().get(0).partitions();
        assertThat(partitions)
                .extracting(partition -> Errors.forCode(partition.errorCode()))
                .containsExactly(Errors.NONE, Errors.UNKNOWN_TOPIC_OR_PARTITION);
        assertThat(partitions).extracting(PartitionResponse::partitionIndex).containsExactly(0, 9);
        assertThat(partitions.get(0).activeProducers())
                .containsExactly(new ProducerState()
                        .setProducerId(77)
                        .setProducerEpoch(3)
                        .setLastSequence(1)
                        .setLastTimestamp(8)
                        .setCoordinatorEpoch(-1)
                        .setCurrentTxnStartOffset(-1));
        assertThat(partitions.get(1).activeProducers()).isEmpty();
    }
}
