package io.faultline.client;

import static io.faultline.client.StubConsumers.SHORT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.faultline.client.stub.Reply;
import io.faultline.client.stub.StubCluster;
import io.faultline.client.stub.StubRequest;
import io.faultline.client.watchdog.Watchdog;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.protocol.ApiKeys;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * What made consumers wedge elsewhere, and does not here. Where one of this consumer's watchdogs is what makes the difference, the same is shown without it: then the wait goes
 * on.
 */
@Timeout(120)
class ConsumerOutageTest {

    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Duration GOES_ON = StubConsumer.REQUEST.multipliedBy(3);
    private static final Duration REBALANCE = Duration.ofMillis(5_600); // 5 s more than the rebalance time-out
    private static final Map<String, String> SHORT_REBALANCE = Map.of("max.poll.interval.ms", "600");

    private static final TopicPartition PARTITION = new TopicPartition("t", 0);

    @Test
    void aConsumerReconnectsByItselfWhenItsFetchIsNeverAnswered() throws Exception {
        try (StubCluster cluster = withRecords(1, "a");
                StubConsumer consumer = StubConsumer.assigned(cluster, Wiring.production())) {
            consumer.pollUntil(() -> consumer.got().size() == 1);
            StubRequest last = silenceOne(cluster, ApiKeys.FETCH, consumer);
            produce(cluster, "b");

            consumer.pollUntil(() -> consumer.got().size() == 2);

            assertThat(consumer.got()).containsExactly("a", "b");
            assertThat(cluster.isOpen(last.connection())).isFalse();
        }
    }

    @Test
    void withoutItsWatchdogAFetchIsWaitedForForEver() throws Exception {
        try (StubCluster cluster = withRecords(1, "a");
                StubConsumer consumer = StubConsumer.assigned(cluster, Wiring.without(Watchdog.REQUEST))) {
            consumer.pollUntil(() -> consumer.got().size() == 1);
            silenceOne(cluster, ApiKeys.FETCH, consumer);
            produce(cluster, "b");

            consumer.pollWhile(GOES_ON, () -> consumer.got().size() == 1);
        }
    }

    /** What an application waits for. */
    private enum Operation {
        POSITION(consumer -> consumer.position(PARTITION, SHORT)),
        BEGINNING(consumer -> consumer.beginningOffsets(List.of(PARTITION), SHORT)),
        END(consumer -> consumer.endOffsets(List.of(PARTITION), SHORT)),
        COMMITTED(consumer -> consumer.committed(Set.of(PARTITION), SHORT)),
        COMMIT(consumer -> consumer.commitSync(Map.of(PARTITION, new OffsetAndMetadata(1)), SHORT));

        private final java.util.function.Consumer<Consumer<?, ?>> call;

        Operation(java.util.function.Consumer<Consumer<?, ?>> call) {
            this.call = call;
        }
    }

    @ParameterizedTest
    @EnumSource
    void anOperationKeepsItsTimeoutWhileTheBrokerIsDown(Operation operation) throws Exception {
        try (StubConsumers consumers = new StubConsumers(1, 1)) {
            Consumer<String, String> consumer = whoseBrokerIsDown(consumers);

            assertThatThrownBy(() -> operation.call.accept(consumer)).isInstanceOf(TimeoutException.class);
        }
    }

    @Test
    void aPollKeepsItsTimeoutWhileTheBrokerIsDown() throws Exception {
        try (StubConsumers consumers = new StubConsumers(1, 1)) {
            assertThat(whoseBrokerIsDown(consumers).poll(SHORT)).isEmpty();
        }
    }

    /** None of its other time-outs would end a call within an hour. */
    private static Consumer<String, String> whoseBrokerIsDown(StubConsumers consumers) throws IOException {
        consumers.cluster().node(1).stop();
        Consumer<String, String> consumer =
                consumers.member(Map.of("request.timeout.ms", "3600000", "default.api.timeout.ms", "3600000"));
        consumer.assign(List.of(PARTITION));
        return consumer;
    }

    @Test
    void aMemberFindsItsCoordinatorAgainWhenThatHasDied() throws Exception {
        try (StubCluster cluster = withRecords(2, "a");
                StubConsumer consumer = StubConsumer.member(cluster, Wiring.production(), Map.of())) {
            consumer.pollUntil(() -> consumer.got().size() == 1);
            cluster.lead("t", 0, 2);
            cluster.coordinate(2);
            cluster.node(1).stop();

            consumer.pollUntil(() -> commits(consumer, 1));

            assertThat(cluster.committed("t", 0)).isEqualTo(1);
        }
    }

    @Test
    void aMemberFindsItsCoordinatorAgainWhenThatSaysNothingAnyMore() throws Exception {
        try (StubCluster cluster = withRecords(2, "a");
                StubConsumer consumer = StubConsumer.member(cluster, Wiring.production(), Map.of())) {
            consumer.pollUntil(() -> consumer.got().size() == 1);
            cluster.lead("t", 0, 2);
            cluster.coordinate(2);
            cluster.script().always(request -> request.node() == 1, Reply.SILENCE);

            consumer.pollUntil(() -> commits(consumer, 1));

            assertThat(cluster.committed("t", 0)).isEqualTo(1);
        }
    }

    @Test
    void aMemberRejoinsWhenTheGroupMovedToAnotherBroker() throws Exception {
        try (StubCluster cluster = withRecords(2, "a");
                StubConsumer consumer = StubConsumer.member(cluster, Wiring.production(), Map.of())) {
            consumer.pollUntil(() -> consumer.got().size() == 1);

            cluster.coordinate(2);

            consumer.pollUntil(
                    () -> cluster.requests(ApiKeys.HEARTBEAT).stream().anyMatch(request -> request.node() == 2));
        }
    }

    @Test
    void anotherBrokerIsAskedForTheCoordinatorWhenOneSaysNothing() throws Exception {
        try (StubCluster cluster = withRecords(2, "a")) {
            cluster.script().next(ApiKeys.FIND_COORDINATOR, 1, Reply.SILENCE);
            try (StubConsumer consumer = StubConsumer.member(cluster, Wiring.production(), Map.of())) {
                consumer.pollUntil(() -> consumer.got().size() == 1);
            }
        }
    }

    @Test
    void aSearchForTheCoordinatorThatIsNotAnsweredIsBegunAnew() throws Exception {
        try (StubCluster cluster = withRecords(1, "a")) {
            cluster.script().next(ApiKeys.FIND_COORDINATOR, 1, Reply.SILENCE);
            try (StubConsumer consumer = StubConsumer.member(cluster, Wiring.production(), Map.of())) {
                consumer.pollUntil(() -> consumer.got().size() == 1);

                assertThat(consumer.trips(Watchdog.COORDINATOR)).isPositive();
            }
        }
    }

    @Test
    void withoutItsWatchdogASearchForTheCoordinatorGoesOnForEver() throws Exception {
        try (StubCluster cluster = withRecords(1, "a")) {
            cluster.script().next(ApiKeys.FIND_COORDINATOR, 1, Reply.SILENCE);
            try (StubConsumer consumer = StubConsumer.member(cluster, Wiring.without(Watchdog.COORDINATOR), Map.of())) {
                consumer.pollUntil(
                        () -> !cluster.requests(ApiKeys.FIND_COORDINATOR).isEmpty());

                consumer.pollWhile(GOES_ON, () -> consumer.got().isEmpty());
            }
        }
    }

    @Test
    void aJoinThatTheCoordinatorHoldsForLongerThanTheRequestTimeoutIsOneJoin() throws Exception {
        CompletableFuture<Void> gate = new CompletableFuture<>();
        try (StubCluster cluster = withRecords(1, "a")) {
            cluster.script().always(ApiKeys.JOIN_GROUP, new Reply.Hold(gate));
            try (StubConsumer consumer =
                    StubConsumer.member(cluster, Wiring.production(), Map.of("session.timeout.ms", "20000"))) {
                consumer.pollUntil(() -> !cluster.requests(ApiKeys.JOIN_GROUP).isEmpty());
                consumer.pollWhile(
                        GOES_ON, () -> cluster.requests(ApiKeys.JOIN_GROUP).size() == 1);

                gate.complete(null);

                consumer.pollUntil(() -> consumer.got().size() == 1);
                assertThat(cluster.requests(ApiKeys.JOIN_GROUP)).hasSize(1);
            }
        }
    }

    @Test
    void aJoinThatIsNeverAnsweredIsRepeatedAfterTheRebalanceTimeout() throws Exception {
        try (StubCluster cluster = withRecords(1, "a")) {
            cluster.script().next(ApiKeys.JOIN_GROUP, 1, Reply.SILENCE);
            try (StubConsumer consumer = StubConsumer.member(cluster, Wiring.production(), SHORT_REBALANCE)) {
                consumer.pollUntil(() -> consumer.got().size() == 1);

                assertThat(consumer.trips(Watchdog.REBALANCE)).isPositive();
            }
        }
    }

    @Test
    void withoutItsWatchdogAJoinIsWaitedForForEver() throws Exception {
        try (StubCluster cluster = withRecords(1, "a")) {
            cluster.script().next(ApiKeys.JOIN_GROUP, 1, Reply.SILENCE);
            try (StubConsumer consumer =
                    StubConsumer.member(cluster, Wiring.without(Watchdog.REBALANCE), SHORT_REBALANCE)) {
                consumer.pollUntil(() -> !cluster.requests(ApiKeys.JOIN_GROUP).isEmpty());

                consumer.pollWhile(REBALANCE.plus(GOES_ON), () -> consumer.got().isEmpty());
            }
        }
    }

    @Test
    void aMemberThatIsNotHeardForItsSessionLosesItsPartitions() throws Exception {
        try (StubCluster cluster = withRecords(1, "a");
                StubConsumer consumer = StubConsumer.member(cluster, Wiring.production(), Map.of())) {
            consumer.pollUntil(() -> consumer.got().size() == 1);
            cluster.script().always(ApiKeys.HEARTBEAT, Reply.SILENCE);

            consumer.pollUntil(() -> consumer.lost() == 1);
        }
    }

    @Test
    void withoutItsWatchdogAMemberThatIsNotHeardGoesOnAsIfItWere() throws Exception {
        try (StubCluster cluster = withRecords(1, "a");
                StubConsumer consumer = StubConsumer.member(cluster, Wiring.without(Watchdog.HEARTBEAT), Map.of())) {
            consumer.pollUntil(() -> consumer.got().size() == 1);
            cluster.script().always(ApiKeys.HEARTBEAT, Reply.SILENCE);

            consumer.pollWhile(StubConsumer.SESSION.multipliedBy(3), () -> consumer.lost() == 0);
        }
    }

    @Test
    void pendingCommitsFailWhenTheConsumerIsClosedWhileThereIsNoCoordinator() throws Exception {
        try (StubCluster cluster = withRecords(2, "a")) {
            StubConsumer consumer = StubConsumer.member(cluster, Wiring.production(), Map.of());
            consumer.pollUntil(() -> consumer.got().size() == 1);
            cluster.lead("t", 0, 2);
            cluster.coordinate(-1);
            cluster.node(1).stop();
            CompletableFuture<Exception> outcome = new CompletableFuture<>();
            consumer.consumer()
                    .commitAsync(
                            Map.of(PARTITION, new OffsetAndMetadata(1)),
                            (offsets, failure) -> outcome.complete(failure));

            consumer.consumer().close(Duration.ofMillis(500));

            assertThat(outcome.get(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isInstanceOf(KafkaException.class);
            assertThat(cluster.committed("t", 0)).isEqualTo(-1);
            await().atMost(PATIENCE).until(() -> cluster.openConnections() == 0);
        }
    }

    @Test
    void aListenerMayCommitWhileItsPartitionsAreGivenUpInAClose() throws Exception {
        try (StubCluster cluster = withRecords(1, "a")) {
            StubConsumer consumer = StubConsumer.member(cluster, Wiring.production(), Map.of());
            consumer.pollUntil(() -> consumer.got().size() == 1);
            consumer.atRevocation(
                    () -> consumer.consumer().commitSync(Map.of(PARTITION, new OffsetAndMetadata(1)), PATIENCE));

            consumer.consumer().close(PATIENCE);

            assertThat(cluster.committed("t", 0)).isEqualTo(1);
        }
    }

    @Test
    void closeIsBoundedWhileNobodyKnowsTheCoordinator() throws Exception {
        try (StubCluster cluster = withRecords(1, "a")) {
            cluster.coordinate(-1);
            StubConsumer consumer = StubConsumer.member(cluster, Wiring.production(), Map.of());
            consumer.pollUntil(() -> cluster.requests(ApiKeys.FIND_COORDINATOR).size() > 1);

            consumer.consumer().close(Duration.ofMillis(500));

            await().atMost(PATIENCE).until(() -> cluster.openConnections() == 0);
        }
    }

    @Test
    void closeIsBoundedWhileTheBrokersSayNothing() throws Exception {
        try (StubCluster cluster = withRecords(1, "a")) {
            StubConsumer consumer = StubConsumer.member(cluster, Wiring.production(), Map.of());
            consumer.pollUntil(() -> consumer.got().size() == 1);
            cluster.script().always(request -> true, Reply.SILENCE);

            consumer.consumer().close(Duration.ofMillis(500));

            await().atMost(PATIENCE).until(() -> cluster.openConnections() == 0);
        }
    }

    private static StubCluster withRecords(int nodes, String... values) throws Exception {
        StubCluster cluster = StubCluster.plaintext(nodes).topic("t", 1);
        produce(cluster, values);
        return cluster;
    }

    private static void produce(StubCluster cluster, String... values) {
        try (StubProducer producer = StubProducer.of(cluster)) {
            List.of(values).forEach(producer::deliver);
        }
    }

    /** Lets the next request of a kind be the last one on its connection that anybody hears of; returns it once it came. */
    private static StubRequest silenceOne(StubCluster cluster, ApiKeys api, StubConsumer consumer) {
        cluster.script().next(api, 1, Reply.SILENCE);
        int before = cluster.requests(api).size();
        consumer.pollUntil(() -> cluster.requests(api).size() > before);
        return cluster.requests(api).get(before);
    }

    private static boolean commits(StubConsumer consumer, long offset) {
        try {
            consumer.consumer().commitSync(Map.of(PARTITION, new OffsetAndMetadata(offset)), Duration.ofMillis(500));
            return true;
        } catch (KafkaException notYet) {
            return false;
        }
    }
}
