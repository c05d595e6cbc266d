package io.faultline.client;

import static io.faultline.client.StubConsumers.PARTITION;
import static io.faultline.client.StubConsumers.PATIENCE;
import static io.faultline.client.StubConsumers.neverWhilePolled;
import static io.faultline.client.StubConsumers.poll;
import static io.faultline.client.StubConsumers.pollUntil;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.faultline.client.stub.Reply;
import io.faultline.client.stub.StubCluster;
import io.faultline.client.watchdog.Watchdog;
import java.io.IOException;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.message.JoinGroupResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** For each watchdog of a consumer what it is there for, and that without it the consumer would wait for ever. */
@Timeout(180)
class ConsumerWatchdogTest {

    private StubConsumers consumers;
    private StubCluster cluster;

    @BeforeEach
    void start() throws IOException {
        consumers = new StubConsumers(1, 1);
        cluster = consumers.cluster();
        consumers.produce("0");
    }

    @AfterEach
    void close() throws IOException {
        consumers.close();
    }

    private static long trips(Consumer<?, ?> consumer, Watchdog watchdog) {
        return consumer.runtime().core().trips().count(watchdog);
    }

    private Consumer<String, String> member(Wiring wiring, Map<String, String> more) {
        Consumer<String, String> consumer = consumers.member(wiring, more);
        consumer.subscribe(List.of("t"));
        return consumer;
    }

    private Consumer<String, String> whoseQuestionForTheCoordinatorIsNotAnswered(Wiring wiring) {
        cluster.script().next(ApiKeys.FIND_COORDINATOR, 1, Reply.SILENCE);
        return member(wiring, Map.of("request.timeout.ms", "1000"));
    }

    @Test
    void theCoordinatorWatchdogAsksAgain() {
        Consumer<String, String> consumer = whoseQuestionForTheCoordinatorIsNotAnswered(Wiring.production());
        assertThat(poll(consumer, 1)).containsExactly("0");
        assertThat(trips(consumer, Watchdog.COORDINATOR)).isPositive();
    }

    @Test
    void withoutTheCoordinatorWatchdogNoCoordinatorIsEverFound() {
        Consumer<String, String> consumer =
                whoseQuestionForTheCoordinatorIsNotAnswered(Wiring.without(Watchdog.COORDINATOR));
        neverWhilePolled(
                consumer,
                Duration.ofSeconds(4),
                () -> !cluster.requests(ApiKeys.JOIN_GROUP).isEmpty());
    }

    private Consumer<String, String> whoseJoinIsNotAnswered(Wiring wiring) {
        cluster.script().next(ApiKeys.JOIN_GROUP, 1, Reply.SILENCE);
        return member(wiring, Map.of("max.poll.interval.ms", "1000"));
    }

    @Test
    void theRebalanceWatchdogJoinsAgain() {
        Consumer<String, String> consumer = whoseJoinIsNotAnswered(Wiring.production());
        assertThat(poll(consumer, 1)).containsExactly("0");
        assertThat(trips(consumer, Watchdog.REBALANCE)).isEqualTo(1);
    }

    @Test
    void withoutTheRebalanceWatchdogAJoinThatIsNotAnsweredIsTheLast() {
        Consumer<String, String> consumer = whoseJoinIsNotAnswered(Wiring.without(Watchdog.REBALANCE));
        neverWhilePolled(
                consumer,
                Duration.ofSeconds(8), // 1 s, and 5 s more
                () -> cluster.requests(ApiKeys.JOIN_GROUP).size() > 1);
    }

    private Consumer<String, String> whoseHeartbeatsAreNotAnswered(Wiring wiring, AtomicBoolean lost) {
        Consumer<String, String> consumer = consumers.member(wiring, Map.of("session.timeout.ms", "2000"));
        consumer.subscribe(List.of("t"), new ConsumerRebalanceListener() {
            @Override
            public void onPartitionsRevoked(Collection<TopicPartition> partitions) {
                // Does not happen here.
            }

            @Override
            public void onPartitionsAssigned(Collection<TopicPartition> partitions) {
                // Is of no interest here.
            }

            @Override
            public void onPartitionsLost(Collection<TopicPartition> partitions) {
                lost.set(true);
            }
        });
        poll(consumer, 1);
        cluster.script().always(ApiKeys.HEARTBEAT, Reply.SILENCE);
        return consumer;
    }

    @Test
    void theHeartbeatWatchdogEndsAMembershipThatNobodyConfirms() {
        AtomicBoolean lost = new AtomicBoolean();
        Consumer<String, String> consumer = whoseHeartbeatsAreNotAnswered(Wiring.production(), lost);
        pollUntil(consumer, lost::get);
        assertThat(trips(consumer, Watchdog.HEARTBEAT)).isEqualTo(1);
    }

    @Test
    void withoutTheHeartbeatWatchdogNobodyIsToldThatPartitionsAreLost() {
        AtomicBoolean lost = new AtomicBoolean();
        Consumer<String, String> consumer = whoseHeartbeatsAreNotAnswered(Wiring.without(Watchdog.HEARTBEAT), lost);
        neverWhilePolled(consumer, Duration.ofSeconds(4), lost::get);
    }

    private Consumer<String, String> whoseFetchIsNotAnswered(Wiring wiring) {
        cluster.script().next(ApiKeys.FETCH, 1, Reply.SILENCE);
        Consumer<String, String> consumer = consumers.consumer(wiring, Map.of());
        consumer.assign(List.of(PARTITION));
        return consumer;
    }

    @Test
    void theRequestWatchdogFetchesAgain() {
        Consumer<String, String> consumer = whoseFetchIsNotAnswered(Wiring.production());
        assertThat(poll(consumer, 1)).containsExactly("0");
        assertThat(trips(consumer, Watchdog.REQUEST)).isPositive();
    }

    @Test
    void withoutTheRequestWatchdogAFetchThatIsNotAnsweredIsTheLast() {
        Consumer<String, String> consumer = whoseFetchIsNotAnswered(Wiring.without(Watchdog.REQUEST));
        pollUntil(consumer, () -> !cluster.requests(ApiKeys.FETCH).isEmpty());
        neverWhilePolled(
                consumer,
                Duration.ofSeconds(4),
                () -> cluster.requests(ApiKeys.FETCH).size() > 1);
    }

    private Consumer<String, String> whoIsToJoinLater(Wiring wiring) {
        cluster.script()
                .next(
                        ApiKeys.JOIN_GROUP,
                        1,
                        new Reply.Answer(
                                new JoinGroupResponseData().setErrorCode(Errors.COORDINATOR_LOAD_IN_PROGRESS.code())));
        return member(wiring, Map.of());
    }

    @Test
    void theRetryBackoffEndsByItself() {
        Consumer<String, String> consumer = whoIsToJoinLater(Wiring.production());
        assertThat(poll(consumer, 1)).containsExactly("0");
        assertThat(trips(consumer, Watchdog.RETRY_BACKOFF)).isPositive();
    }

    @Test
    void withoutTheRetryBackoffsEndTheGroupIsNeverJoined() {
        Consumer<String, String> consumer = whoIsToJoinLater(Wiring.without(Watchdog.RETRY_BACKOFF));
        pollUntil(consumer, () -> !cluster.requests(ApiKeys.JOIN_GROUP).isEmpty());
        neverWhilePolled(
                consumer,
                Duration.ofSeconds(3),
                () -> cluster.requests(ApiKeys.JOIN_GROUP).size() > 1);
    }

    /** A thread in a close of one second, whose last commit is not answered. */
    private static final class Closing {

        private final CountDownLatch closed = new CountDownLatch(1);
        private final Thread thread;

        Closing(Consumer<?, ?> consumer) {
            thread = new Thread(() -> {
                try {
                    consumer.close(Duration.ofSeconds(1));
                } catch (InterruptException expected) {
                    // Of the test without the watchdog.
                } finally {
                    closed.countDown();
                }
            });
            thread.start();
        }

        boolean isClosed() {
            return closed.getCount() == 0;
        }
    }

    private Consumer<String, String> whoseLastCommitIsNotAnswered(Wiring wiring) {
        Consumer<String, String> consumer =
                consumers.member(wiring, Map.of("enable.auto.commit", "true", "auto.commit.interval.ms", "600000"));
        consumer.subscribe(List.of("t"));
        poll(consumer, 1);
        cluster.script().always(ApiKeys.OFFSET_COMMIT, Reply.SILENCE);
        return consumer;
    }

    @Test
    void theCloseWatchdogEndsAClose() {
        Consumer<String, String> consumer = whoseLastCommitIsNotAnswered(Wiring.production());
        Closing closing = new Closing(consumer);
        await().atMost(PATIENCE).until(closing::isClosed);
        assertThat(trips(consumer, Watchdog.CLOSE)).isEqualTo(1);
    }

    @Test
    void withoutTheCloseWatchdogACloseGoesOn() {
        Closing closing = new Closing(whoseLastCommitIsNotAnswered(Wiring.without(Watchdog.CLOSE)));
        await().during(Duration.ofSeconds(3)).atMost(PATIENCE).until(() -> !closing.isClosed());
        closing.thread.interrupt();
        await().atMost(PATIENCE).until(closing::isClosed);
    }
}
