package io.faultline.broker;

import static org.assertj.core.api.Assertions.assertThat;

import io.faultline.broker.junit.BrokerExtension;
import io.faultline.broker.log.Log;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.message.FetchResponseData.PartitionData;
import org.apache.kafka.common.message.ProduceResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.MutableRecordBatch;
import org.apache.kafka.common.record.internal.RecordBatch;
import org.apache.kafka.common.record.internal.SimpleRecord;
import org.assertj.core.api.ThrowingConsumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Fetches that wait, and responses that are in flight while the log below them changes. */
class FetchTest {

    private static final int BATCH_BYTES = 64 << 10;
    private static final int BATCHES = 128;
    private static final int LONG_WAIT_MS = 15_000;

    @RegisterExtension
    final BrokerExtension extension = new BrokerExtension(builder -> builder.segmentBytes(64 << 20));

    private EmbeddedBroker broker;
    private RawClient client;

    @BeforeEach
    void connect() throws IOException {
        broker = extension.broker();
        broker.topics().create("t", 1);
        client = new RawClient(broker.bootstrapServers());
    }

    @AfterEach
    void disconnect() throws IOException {
        client.close();
    }

    @Test
    void aWaitingFetchIsCompletedByAnAppend() throws Exception {
        client.send(ApiKeys.FETCH, Requests.FETCH_BY_NAME, waiting(1));
        CompletableFuture<FetchResponseData> response = receiveLater();
        try (RawClient producer = new RawClient(broker.bootstrapServers())) {
            producer.call(
                    ApiKeys.PRODUCE,
                    Requests.PRODUCE_BY_NAME,
                    Requests.produce("t", "value"),
                    ProduceResponseData.class);
        }
        assertThat(Requests.only(response.get(10, TimeUnit.SECONDS)).records().sizeInBytes())
                .isPositive();
    }

    @Test
    void aWaitingFetchIsCompletedByItsTime() throws Exception {
        FetchRequestData request = waiting(1_000_000).setMaxWaitMs(100);
        long start = System.nanoTime();
        FetchResponseData response =
                client.call(ApiKeys.FETCH, Requests.FETCH_BY_NAME, request, FetchResponseData.class);
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThan(Duration.ofMillis(99));
        assertThat(Requests.only(response).errorCode()).isZero();
    }

    @Test
    void aWaitingFetchIsCompletedByTheEndOfItsTopic() throws Exception {
        client.send(ApiKeys.FETCH, Requests.FETCH_BY_NAME, waiting(1));
        CompletableFuture<FetchResponseData> response = receiveLater();
        broker.topics().delete("t");
        assertThat(Requests.only(response.get(10, TimeUnit.SECONDS)).errorCode())
                .isEqualTo(Errors.UNKNOWN_TOPIC_OR_PARTITION.code());
    }

    @Test
    void waitingFetchesHoldNoThread() throws Exception {
        RawClient[] waiters = new RawClient[20];
        try {
            for (int index = 0; index < waiters.length; index++) {
                waiters[index] = new RawClient(broker.bootstrapServers());
                waiters[index].send(ApiKeys.FETCH, Requests.FETCH_BY_NAME, waiting(1));
            }
            // There are four request threads.
            FetchResponseData response = client.call(
                    ApiKeys.FETCH, Requests.FETCH_BY_NAME, waiting(1).setMaxWaitMs(0), FetchResponseData.class);
            assertThat(Requests.only(response).errorCode()).isZero();
        } finally {
            for (RawClient waiter : waiters) {
                if (waiter != null) {
                    waiter.close();
                }
            }
        }
    }

    @Test
    void anOffsetWithinABatchIsAnsweredWithThatBatch() throws Exception {
        broker.log("t", 0).append(Requests.records("a", "b", "c"));
        broker.log("t", 0).append(Requests.records("d", "e"));
        assertThat(firstBatch(fetch(1)).baseOffset()).isZero();
        assertThat(firstBatch(fetch(4)).baseOffset()).isEqualTo(3);
    }

    @Test
    void anOffsetThatTheLogDoesNotHaveIsRefused() throws Exception {
        broker.log("t", 0).append(Requests.records("a", "b", "c"));
        assertThat(fetch(4).errorCode()).isEqualTo(Errors.OFFSET_OUT_OF_RANGE.code());
        assertThat(fetch(3).errorCode()).isZero();
        assertThat(fetch(-1).errorCode()).isEqualTo(Errors.OFFSET_OUT_OF_RANGE.code());
    }

    @Test
    void theFirstBatchIsSentEvenIfItIsTooLargeAndTheLimitIsKeptBehindIt() throws Exception {
        fillSegment();
        assertThat(fetch(0, 10).records().sizeInBytes()).isEqualTo(batch().sizeInBytes());
        assertThat(fetch(0, 3 * BATCH_BYTES).records().sizeInBytes()).isEqualTo(3 * BATCH_BYTES);
    }

    @Test
    void unknownTopicsAndEpochsAreAnsweredAsInKafka() throws Exception {
        assertThat(fetch(Requests.fetch("other", 0, 1), Requests.FETCH_BY_NAME).errorCode())
                .isEqualTo(Errors.UNKNOWN_TOPIC_OR_PARTITION.code());
        assertThat(fetch(Requests.fetch("t", Uuid.randomUuid(), 0, 1), 13).errorCode())
                .isEqualTo(Errors.UNKNOWN_TOPIC_ID.code());
        FetchRequestData future = Requests.fetch("t", 0, 1);
        future.topics().get(0).partitions().get(0).setCurrentLeaderEpoch(5);
        assertThat(fetch(future, Requests.FETCH_BY_NAME).errorCode()).isEqualTo(Errors.UNKNOWN_LEADER_EPOCH.code());
    }

    @Test
    void whoHasReadRecordsThatAreGoneIsToldSo() throws Exception {
        broker.log("t", 0).append(Requests.records("a", "b", "c"));
        FetchRequestData request = Requests.fetch("t", 3, 1 << 20);
        request.topics().get(0).partitions().get(0).setLastFetchedEpoch(0);
        assertThat(fetch(request, Requests.FETCH_BY_NAME).divergingEpoch().endOffset())
                .isEqualTo(-1);
        broker.log("t", 0).truncateTo(0);
        PartitionData diverging = fetch(request, Requests.FETCH_BY_NAME);
        assertThat(diverging.divergingEpoch().epoch()).isZero();
        assertThat(diverging.divergingEpoch().endOffset()).isZero();
        assertThat(diverging.errorCode()).isZero();
    }

    @Test
    void aFetchSessionThatWasNeverOpenedIsRefused() throws Exception {
        FetchRequestData request = Requests.fetch("t", 0, 1).setSessionId(7).setSessionEpoch(3);
        FetchResponseData response =
                client.call(ApiKeys.FETCH, Requests.FETCH_BY_NAME, request, FetchResponseData.class);
        assertThat(response.errorCode()).isEqualTo(Errors.FETCH_SESSION_ID_NOT_FOUND.code());
    }

    @Test
    void aResponseInFlightIsSentToItsEndWhileTheLogRolls() throws Exception {
        assertIntactInFlight(Log::roll);
    }

    @Test
    void aResponseInFlightIsSentToItsEndWhileItsSegmentIsDeleted() throws Exception {
        assertIntactInFlight(log -> {
            log.roll();
            log.deleteSegmentsBefore(log.end().offset());
            assertThat(log.startOffset()).isEqualTo(log.end().offset());
            assertThat(log.segmentFiles()).hasSize(1);
        });
    }

    @Test
    void aResponseInFlightIsSentToItsEndWhileItsTopicIsDeleted() throws Exception {
        assertIntactInFlight(log -> {
            broker.topics().delete("t");
            assertThat(log.toString()).endsWith("-delete");
        });
    }

    @Test
    void aResponseInFlightIsSentToItsEndWhileRecordsAreAppended() throws Exception {
        assertIntactInFlight(log -> log.append(batch()));
    }

    private void assertIntactInFlight(ThrowingConsumer<Log> change) throws Exception {
        fillSegment();
        client.send(ApiKeys.FETCH, Requests.FETCH_BY_NAME, Requests.fetch("t", 0, 64 << 20));
        int size = client.receiveSize();
        change.accept(broker.log("t", 0));
        FetchResponseData response = RawClient.read(
                client.receiveRest(size, ApiKeys.FETCH, Requests.FETCH_BY_NAME),
                Requests.FETCH_BY_NAME,
                ApiKeys.FETCH,
                FetchResponseData.class);
        int batches = 0;
        for (RecordBatch batch : ((MemoryRecords) Requests.only(response).records()).batches()) {
            batch.ensureValid();
            batches++;
        }
        assertThat(batches).isEqualTo(BATCHES);
        assertThat(broker.offlineDirectories()).isEmpty();
    }

    @Test
    void aTruncatedResponseClosesItsConnectionAndNothingElse() throws Exception {
        fillSegment();
        client.send(ApiKeys.FETCH, Requests.FETCH_BY_NAME, Requests.fetch("t", 0, 64 << 20));
        int size = client.receiveSize();
        broker.log("t", 0).truncateTo(2);
        assertThat(client.bytesUntilClosed()).isLessThan(size);

        try (RawClient next = new RawClient(broker.bootstrapServers())) {
            FetchResponseData response = next.call(
                    ApiKeys.FETCH, Requests.FETCH_BY_NAME, Requests.fetch("t", 0, 64 << 20), FetchResponseData.class);
            assertThat(Requests.only(response).highWatermark()).isEqualTo(2);
            assertThat(Requests.only(response).records().sizeInBytes()).isEqualTo(2 * batch().sizeInBytes());
        }
        assertThat(broker.offlineDirectories()).isEmpty();
    }

    @Test
    void aClientThatVanishesInFlightHarmsNothing() throws Exception {
        fillSegment();
        client.send(ApiKeys.FETCH, Requests.FETCH_BY_NAME, Requests.fetch("t", 0, 64 << 20));
        client.receiveSize();
        client.close();
        try (RawClient next = new RawClient(broker.bootstrapServers())) {
            FetchResponseData response = next.call(
                    ApiKeys.FETCH, Requests.FETCH_BY_NAME, Requests.fetch("t", 0, 1), FetchResponseData.class);
            assertThat(Requests.only(response).errorCode()).isZero();
        }
        assertThat(broker.offlineDirectories()).isEmpty();
    }

    private void fillSegment() {
        for (int count = 0; count < BATCHES; count++) {
            broker.log("t", 0).append(batch());
        }
    }

    private static MemoryRecords batch() {
        return MemoryRecords.withRecords(Compression.NONE, new SimpleRecord(1_000, new byte[BATCH_BYTES]));
    }

    private static FetchRequestData waiting(int minBytes) {
        return Requests.fetch("t", 0, 1 << 20).setMaxWaitMs(LONG_WAIT_MS).setMinBytes(minBytes);
    }

    private PartitionData fetch(long offset) throws IOException {
        return fetch(offset, 1 << 20);
    }

    private PartitionData fetch(long offset, int maxBytes) throws IOException {
        return fetch(Requests.fetch("t", offset, maxBytes), Requests.FETCH_BY_NAME);
    }

    private PartitionData fetch(FetchRequestData request, int version) throws IOException {
        return Requests.only(client.call(ApiKeys.FETCH, version, request, FetchResponseData.class));
    }

    private static MutableRecordBatch firstBatch(PartitionData data) {
        return ((MemoryRecords) data.records()).batches().iterator().next();
    }

    private CompletableFuture<FetchResponseData> receiveLater() {
        return CompletableFuture.supplyAsync(() -> {
            try {
                return client.receive(ApiKeys.FETCH, Requests.FETCH_BY_NAME, FetchResponseData.class);
            } catch (IOException failure) {
                throw new AssertionError(failure);
            }
        });
    }
}
