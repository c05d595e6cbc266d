package io.faultline.client;

import static io.faultline.client.StubConsumers.PARTITION;
import static io.faultline.client.StubConsumers.PATIENCE;
import static io.faultline.client.StubConsumers.SHORT;
import static io.faultline.client.StubConsumers.neverWhilePolled;
import static io.faultline.client.StubConsumers.poll;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.faultline.client.stub.Reply;
import io.faultline.client.stub.StubCluster;
import io.faultline.client.stub.StubRequest;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.apache.kafka.clients.consumer.LogTruncationException;
import org.apache.kafka.clients.consumer.OffsetOutOfRangeException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.message.ListOffsetsResponseData;
import org.apache.kafka.common.message.OffsetForLeaderEpochResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What is fetched while the application, the leader or the log moves. */
@Timeout(180)
class FetchingTest {

    private StubConsumers consumers;
    private StubCluster cluster;

    @BeforeEach
    void start() throws IOException {
        consumers = new StubConsumers(2, 1, 1);
        cluster = consumers.cluster();
        consumers.produce("0", "1", "2", "3", "4", "5");
    }

    @AfterEach
    void close() throws IOException {
        consumers.close();
    }

    private Consumer<String, String> assigned(Map<String, String> more) {
        Consumer<String, String> consumer = consumers.consumer(Wiring.production(), more);
        consumer.assign(List.of(PARTITION));
        return consumer;
    }

    /** Has a fetch be on its way until the gate is opened. */
    private CompletableFuture<Void> holdFetch(Consumer<String, String> consumer) {
        CompletableFuture<Void> gate = new CompletableFuture<>();
        cluster.script().next(ApiKeys.FETCH, 1, new Reply.Hold(gate));
        await().atMost(PATIENCE).until(() -> {
            consumer.poll(Duration.ZERO);
            return !cluster.requests(ApiKeys.FETCH).isEmpty();
        });
        return gate;
    }

    @Test
    void whatIsOnItsWayWhenTheCallerSeeksIsDropped() {
        Consumer<String, String> consumer = assigned(Map.of());
        CompletableFuture<Void> gate = holdFetch(consumer);
        consumer.seek(PARTITION, 4);
        gate.complete(null);
        assertThat(poll(consumer, 2)).containsExactly("4", "5");
    }

    @Test
    void whatIsOnItsWayWhenThePartitionIsPausedIsKeptUntilItIsResumed() {
        Consumer<String, String> consumer = assigned(Map.of());
        CompletableFuture<Void> gate = holdFetch(consumer);
        consumer.pause(List.of(PARTITION));
        gate.complete(null);
        neverWhilePolled(consumer, Duration.ofMillis(500), () -> consumer.position(PARTITION) > 0);
        consumer.resume(List.of(PARTITION));
        assertThat(poll(consumer, 6)).containsExactly("0", "1", "2", "3", "4", "5");
    }

    @Test
    void whatIsOnItsWayWhenThePartitionIsTakenAwayIsDropped() {
        Consumer<String, String> consumer = assigned(Map.of());
        CompletableFuture<Void> gate = holdFetch(consumer);
        consumer.assign(List.of(new TopicPartition("t", 1)));
        gate.complete(null);
        neverWhilePolled(
                consumer, Duration.ofMillis(500), () -> consumer.assignment().contains(PARTITION));
        consumer.assign(List.of(PARTITION));
        assertThat(poll(consumer, 6)).containsExactly("0", "1", "2", "3", "4", "5");
    }

    @Test
    void whatIsBeingReadStaysWholeWhileMoreIsFetched() {
        List<String> expected = new ArrayList<>(List.of("0", "1", "2", "3", "4", "5"));
        List<String> polled = new ArrayList<>();
        Consumer<String, String> consumer = assigned(Map.of("max.poll.records", "1"));
        for (char letter = 'a'; letter <= 'j'; letter++) {
            String[] large = {
                String.valueOf(letter).repeat(100_000), String.valueOf(letter).repeat(70_000)
            };
            expected.addAll(List.of(large));
            consumers.produce(large);
            polled.addAll(poll(consumer, 1));
        }
        polled.addAll(poll(consumer, expected.size() - polled.size()));
        assertThat(polled).isEqualTo(expected);
    }

    @ParameterizedTest
    @EnumSource(names = {"FETCH_SESSION_ID_NOT_FOUND", "INVALID_FETCH_SESSION_EPOCH", "FETCH_SESSION_TOPIC_ID_ERROR"})
    void aFetchSessionThatTheBrokerHasForgottenBeginsAnew(Errors error) {
        cluster.script()
                .next(
                        ApiKeys.FETCH,
                        2,
                        Reply.changed(
                                FetchResponseData.class,
                                answer -> answer.setErrorCode(error.code()).setResponses(List.of())));
        assertThat(poll(assigned(Map.of()), 6)).hasSize(6);
    }

    @Test
    void aFetchThatIsNotAnsweredIsAskedAgainOnAnotherConnection() {
        cluster.script().next(ApiKeys.FETCH, 1, Reply.SILENCE);
        assertThat(poll(assigned(Map.of()), 6)).hasSize(6);
        List<StubRequest> fetches = cluster.requests(ApiKeys.FETCH);
        assertThat(fetches.get(1).connection()).isNotEqualTo(fetches.get(0).connection());
    }

    @Test
    void anOffsetThatTheLogDoesNotHaveLeadsToWhereTheConfigurationSays() {
        Consumer<String, String> consumer = assigned(Map.of());
        consumer.seek(PARTITION, 100);
        assertThat(poll(consumer, 6)).first().isEqualTo("0");
    }

    @Test
    void anOffsetThatTheLogDoesNotHaveIsSaidIfThatIsWanted() {
        Consumer<String, String> consumer = assigned(Map.of("auto.offset.reset", "none"));
        consumer.seek(PARTITION, 100);
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThatExceptionOfType(OffsetOutOfRangeException.class)
                        .isThrownBy(() -> consumer.poll(SHORT)));
        consumer.seek(PARTITION, 4);
        assertThat(poll(consumer, 2)).containsExactly("4", "5");
    }

    @Test
    void aTopicThatMayBeReadLaterIsReadThen() {
        cluster.script()
                .next(
                        ApiKeys.LIST_OFFSETS,
                        1,
                        Reply.changed(
                                ListOffsetsResponseData.class,
                                answer -> answer.topics()
                                        .forEach(topic -> topic.partitions()
                                                .forEach(partition -> partition.setErrorCode(
                                                        Errors.TOPIC_AUTHORIZATION_FAILED.code())))));
        Consumer<String, String> consumer = assigned(Map.of());
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThatExceptionOfType(org.apache.kafka.common.KafkaException.class)
                        .isThrownBy(() -> consumer.poll(SHORT))
                        .withCauseInstanceOf(TopicAuthorizationException.class));
        assertThat(poll(consumer, 6)).hasSize(6);
    }

    /** From now on the leader's log is said to end, for the epoch that was read, here. */
    private void truncateTo(long end) {
        cluster.script()
                .always(
                        ApiKeys.OFFSET_FOR_LEADER_EPOCH,
                        Reply.changed(
                                OffsetForLeaderEpochResponseData.class,
                                answer -> answer.topics()
                                        .forEach(topic -> topic.partitions()
                                                .forEach(partition -> partition
                                                        .setEndOffset(end)
                                                        .setLeaderEpoch(0)))));
    }

    /** Lets the other broker lead, and waits until it was asked about its log. */
    private void moveTheLeader() {
        int before = cluster.requests(ApiKeys.OFFSET_FOR_LEADER_EPOCH).size();
        cluster.lead("t", 0, 2);
        cluster.await(ApiKeys.OFFSET_FOR_LEADER_EPOCH, before + 1);
    }

    @Test
    void aLogThatWasTruncatedIsReadOnFromWhereItDiverged() {
        Consumer<String, String> consumer = assigned(Map.of("metadata.max.age.ms", "300"));
        poll(consumer, 6);
        truncateTo(3);
        moveTheLeader();
        assertThat(poll(consumer, 3)).containsExactly("3", "4", "5");
    }

    @Test
    void aTruncationSkipsNothingThatWasFetchedAndNotDelivered() {
        Consumer<String, String> consumer = assigned(Map.of("metadata.max.age.ms", "300", "max.poll.records", "1"));
        List<String> read = new ArrayList<>(poll(consumer, 1));
        truncateTo(3);
        moveTheLeader();
        read.addAll(poll(consumer, 5));
        assertThat(read).containsExactly("0", "1", "2", "3", "4", "5");
    }

    @Test
    void aTruncationIsSaidIfThatIsWanted() {
        Consumer<String, String> consumer = assigned(Map.of("metadata.max.age.ms", "300", "auto.offset.reset", "none"));
        consumer.seek(PARTITION, 0);
        poll(consumer, 6);
        truncateTo(3);
        moveTheLeader();
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThatExceptionOfType(LogTruncationException.class)
                        .isThrownBy(() -> consumer.poll(SHORT))
                        .satisfies(truncation -> assertThat(truncation
                                        .divergentOffsets()
                                        .get(PARTITION)
                                        .offset())
                                .isEqualTo(3)));
    }

    /** Broker 2 does not run, and 7 is none. */
    @ParameterizedTest
    @ValueSource(ints = {2, 7})
    void aPreferredReplicaThatIsOutOfReachHoldsUpNothing(int replica) throws IOException {
        cluster.node(2).stop();
        cluster.script()
                .always(
                        request -> request.api() == ApiKeys.FETCH
                                && !request.body(FetchRequestData.class)
                                        .rackId()
                                        .isEmpty(),
                        Reply.changed(
                                FetchResponseData.class,
                                answer -> answer.responses()
                                        .forEach(topic -> topic.partitions()
                                                .forEach(partition -> partition
                                                        .setPreferredReadReplica(replica)
                                                        .setRecords(MemoryRecords.EMPTY)))));
        assertThat(poll(assigned(Map.of("client.rack", "here")), 6)).hasSize(6);
    }
}
