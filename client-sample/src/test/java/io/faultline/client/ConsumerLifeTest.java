package io.faultline.client;

import static io.faultline.client.StubConsumers.PATIENCE;
import static io.faultline.client.StubConsumers.poll;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.faultline.client.stub.Reply;
import io.faultline.client.stub.StubCluster;
import io.faultline.client.watchdog.TripCause;
import io.faultline.client.watchdog.Watchdog;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.protocol.ApiKeys;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What becomes of a consumer whose loop dies or is stuck. */
@Timeout(120)
class ConsumerLifeTest {

    private static final Duration GOES_ON = Duration.ofSeconds(4); // twice what the loop's watchdog would take

    private final CompletableFuture<Void> stuck = new CompletableFuture<>();
    private final CompletableFuture<Exception> commit = new CompletableFuture<>();
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
        stuck.complete(null);
        consumers.close();
    }

    private Consumer<String, String> whoseCommitIsNotAnswered(Wiring wiring) {
        cluster.script().always(ApiKeys.OFFSET_COMMIT, Reply.SILENCE);
        Consumer<String, String> consumer = consumers.member(wiring, Map.of("loop.timeout.ms", "2000"));
        consumer.subscribe(List.of("t"));
        poll(consumer, 1);
        consumer.commitAsync(null, (offsets, failure) -> commit.complete(failure));
        cluster.await(ApiKeys.OFFSET_COMMIT, 1);
        return consumer;
    }

    private static void onLoop(Consumer<?, ?> consumer, Runnable task) {
        consumer.runtime().core().loop().execute(task);
    }

    private static Exception outcome(CompletableFuture<Exception> of) throws Exception {
        return of.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    }

    private static long trips(Consumer<?, ?> consumer, TripCause cause) {
        return consumer.runtime().core().trips().count(Watchdog.LOOP, cause);
    }

    private void assertThatAllIsOver(Consumer<String, String> consumer) throws Exception {
        Exception told = outcome(commit);
        assertThat(told).isInstanceOf(KafkaException.class);
        assertThatExceptionOfType(KafkaException.class)
                .isThrownBy(() -> consumer.poll(PATIENCE))
                .isSameAs(told);
        CompletableFuture<Exception> later = new CompletableFuture<>();
        consumer.commitAsync(null, (offsets, failure) -> later.complete(failure));
        assertThat(outcome(later)).isSameAs(told);
        await().atMost(PATIENCE).until(() -> cluster.openConnections() == 0);
    }

    @Test
    void anErrorInTheLoopFailsWhatIsPendingAndEndsTheConsumer() throws Exception {
        Consumer<String, String> consumer = whoseCommitIsNotAnswered(Wiring.production());
        onLoop(consumer, () -> {
            throw new OutOfMemoryError("injected");
        });
        assertThat(outcome(commit)).hasRootCauseMessage("injected");
        assertThatAllIsOver(consumer);
        assertThat(trips(consumer, TripCause.DIED)).isEqualTo(1);
    }

    @Test
    void aLoopThatIsStuckFailsWhatIsPendingAndEndsTheConsumer() throws Exception {
        Consumer<String, String> consumer = whoseCommitIsNotAnswered(Wiring.production());
        onLoop(consumer, stuck::join);
        assertThatAllIsOver(consumer);
        assertThat(trips(consumer, TripCause.STUCK)).isEqualTo(1);
    }

    @Test
    void withoutItsWatchdogALoopThatIsStuckLeavesEverythingPending() {
        Consumer<String, String> consumer = whoseCommitIsNotAnswered(Wiring.without(Watchdog.LOOP));
        onLoop(consumer, stuck::join);
        await().during(GOES_ON).atMost(PATIENCE).until(() -> !commit.isDone());
    }
}
