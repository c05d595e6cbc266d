package io.faultline.client;

import static io.faultline.client.StubProducer.failure;
import static io.faultline.client.StubProducer.outcome;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.faultline.client.stub.Reply;
import io.faultline.client.stub.StubCluster;
import io.faultline.client.stub.StubRequest;
import io.faultline.client.watchdog.Watchdog;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.message.MetadataResponseData;
import org.apache.kafka.common.message.ProduceResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * What made producers wedge elsewhere, and does not here. Where one of this producer's watchdogs is what makes the difference, the same is shown without it: then the record
 * stays pending.
 */
@Timeout(120)
class ProducerOutageTest {

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    /** Twice what the delivery watchdog would have taken. */
    private static final Duration GOES_ON = StubProducer.DELIVERY.multipliedBy(2);

    private static final Map<String, String> LONG_DELIVERY =
            Map.of("delivery.timeout.ms", "3600000", "loop.timeout.ms", "2000");

    @Test
    void aRecordFailsAtItsDeliveryTimeoutThoughTheBrokerSaysNothingAtAll() throws Exception {
        try (StubCluster cluster = silentlyProducing();
                StubProducer producer = StubProducer.of(cluster)) {
            long began = System.nanoTime();

            assertThat(failure(producer.send("lost"))).isInstanceOf(TimeoutException.class);

            assertThat(Duration.ofNanos(System.nanoTime() - began)).isGreaterThanOrEqualTo(StubProducer.DELIVERY);
            assertThat(producer.trips(Watchdog.DELIVERY)).isPositive();
        }
    }

    @Test
    void withoutItsWatchdogARecordIsPendingForEver() throws Exception {
        try (StubCluster cluster = silentlyProducing();
                StubProducer producer = StubProducer.of(cluster, Wiring.without(Watchdog.DELIVERY))) {
            CompletableFuture<RecordMetadata> sent = producer.send("lost");

            await().atMost(PATIENCE).during(GOES_ON).until(() -> !sent.isDone());
        }
    }

    @Test
    void aRecordForAPartitionWithoutALeaderFailsAtItsDeliveryTimeout() throws Exception {
        try (StubCluster cluster = StubCluster.plaintext(1).topic("t", -1);
                StubProducer producer = StubProducer.of(cluster)) {
            assertThat(failure(producer.send("nowhere to go"))).isInstanceOf(TimeoutException.class);
        }
    }

    @Test
    void recordsBehindAnExpiredBatchAreAcked() throws Exception {
        try (StubCluster cluster = silentlyProducing();
                StubProducer producer = StubProducer.of(cluster)) {
            assertThat(failure(producer.send("expired"))).isInstanceOf(TimeoutException.class);
            cluster.script().clear();

            outcome(producer.send("next"));
            outcome(producer.send("and the one behind it"));

            assertThat(cluster.partition("t", 0).values()).endsWith("next", "and the one behind it");
            assertThat(cluster.partition("t", 0).values()).doesNotHaveDuplicates();
        }
    }

    @Test
    void recordsBehindAnExpiredBatchThatIsInTheLogAreAckedOnce() throws Exception {
        try (StubCluster cluster = StubCluster.plaintext(1).topic("t", 1);
                StubProducer producer = StubProducer.of(cluster)) {
            producer.deliver("before");
            cluster.script().always(ApiKeys.PRODUCE, new Reply.Swallow());
            assertThat(failure(producer.send("expired"))).isInstanceOf(TimeoutException.class);
            cluster.script().clear();

            outcome(producer.send("next"));

            assertThat(cluster.partition("t", 0).values()).containsExactly("before", "expired", "next");
        }
    }

    @Test
    void whatWaitsForABrokerThatIsGoneGoesToTheNewLeaderAtOnce() throws Exception {
        try (StubCluster cluster = StubCluster.plaintext(2).topic("t", 1);
                StubProducer producer = StubProducer.of(cluster)) {
            producer.deliver("before");
            cluster.node(1).stop();
            CompletableFuture<RecordMetadata> waiting = producer.send("waiting");

            cluster.lead("t", 0, 2);

            outcome(waiting);
            assertThat(cluster.partition("t", 0).values()).containsExactly("before", "waiting");
        }
    }

    @Test
    void whatAFrozenBrokerHasGoesToTheNewLeaderWhenItsRequestExpires() throws Exception {
        try (StubCluster cluster = StubCluster.plaintext(2).topic("t", 1);
                StubProducer producer = StubProducer.of(cluster)) {
            producer.deliver("before");
            cluster.script().always(request -> request.node() == 1, Reply.SILENCE);
            CompletableFuture<RecordMetadata> waiting = producer.send("waiting");
            cluster.await(ApiKeys.PRODUCE, 2);

            cluster.lead("t", 0, 2);

            outcome(waiting);
            assertThat(cluster.requests(ApiKeys.PRODUCE))
                    .last()
                    .extracting(StubRequest::node)
                    .isEqualTo(2);
        }
    }

    @Test
    void anAckThatWasLostWithItsConnectionMakesNoDuplicate() throws Exception {
        try (StubCluster cluster = StubCluster.plaintext(1).topic("t", 1);
                StubProducer producer = StubProducer.of(cluster)) {
            cluster.script().next(ApiKeys.PRODUCE, 1, new Reply.DoAndClose());

            outcome(producer.send("once"));

            assertThat(cluster.requests(ApiKeys.PRODUCE)).hasSize(2);
            assertThat(cluster.partition("t", 0).values()).containsExactly("once");
        }
    }

    @Test
    void aBrokerThatRefusesForAMomentIsAskedAgain() throws Exception {
        try (StubCluster cluster = StubCluster.plaintext(1).topic("t", 1);
                StubProducer producer = StubProducer.of(cluster)) {
            cluster.script().next(ApiKeys.PRODUCE, 1, refusal(Errors.NOT_ENOUGH_REPLICAS));

            outcome(producer.send("taken at last"));
        }
    }

    @Test
    void withoutItsPauseNothingIsSentASecondTime() throws Exception {
        try (StubCluster cluster = StubCluster.plaintext(1).topic("t", 1);
                StubProducer producer =
                        StubProducer.of(cluster, Wiring.without(Watchdog.RETRY_BACKOFF, Watchdog.DELIVERY))) {
            cluster.script().next(ApiKeys.PRODUCE, 1, refusal(Errors.NOT_ENOUGH_REPLICAS));

            CompletableFuture<RecordMetadata> sent = producer.send("never taken");

            await().atMost(PATIENCE).during(GOES_ON).until(() -> !sent.isDone());
        }
    }

    @Test
    void flushKeepsItsTimeoutWhileTheBrokerIsDown() throws Exception {
        try (StubCluster cluster = StubCluster.plaintext(1).topic("t", 1);
                StubProducer producer = StubProducer.of(cluster)) {
            producer.deliver("before");
            cluster.node(1).stop();
            producer.send("pending");

            assertThatThrownBy(() -> producer.producer().flush(Duration.ofMillis(100)))
                    .isInstanceOf(TimeoutException.class);
        }
    }

    @Test
    void closeKeepsItsTimeoutWhileTheBrokerIsSilentAndFailsWhatIsPending() throws Exception {
        try (StubCluster cluster = silentlyProducing();
                StubProducer producer = StubProducer.of(cluster, Wiring.production(), LONG_DELIVERY)) {
            CompletableFuture<RecordMetadata> sent = producer.send("pending");
            cluster.await(ApiKeys.PRODUCE, 1);

            producer.producer().close(Duration.ofMillis(100));

            assertThatOnlyTheCloseHasEnded(producer, sent);
            await().atMost(PATIENCE).until(() -> cluster.openConnections() == 0);
        }
    }

    @Test
    void closeKeepsItsTimeoutWhileThePortOfTheLeaderIsBlocked() throws Exception {
        try (SilentPort blocked = SilentPort.thatAnswersNoSyn();
                StubCluster cluster = StubCluster.plaintext(1).topic("t", 1);
                StubProducer producer = StubProducer.of(cluster, Wiring.production(), LONG_DELIVERY)) {
            cluster.script()
                    .always(
                            ApiKeys.METADATA,
                            Reply.changed(
                                    MetadataResponseData.class,
                                    answer -> answer.brokers().forEach(broker -> broker.setPort(blocked.port()))));
            CompletableFuture<RecordMetadata> sent = producer.send("pending");
            await().atMost(PATIENCE).until(() -> producer.trips(Watchdog.CONNECT) > 0);

            producer.producer().close(Duration.ofMillis(100));

            assertThatOnlyTheCloseHasEnded(producer, sent);
            await().atMost(PATIENCE).until(() -> cluster.openConnections() == 0);
        }
    }

    /** It returned because its own time was up: nothing else would have settled the record within an hour. */
    private static void assertThatOnlyTheCloseHasEnded(StubProducer producer, CompletableFuture<?> sent) {
        assertThat(failure(sent)).isInstanceOf(KafkaException.class);
        assertThat(producer.trips(Watchdog.CLOSE)).isEqualTo(1);
        assertThat(producer.trips(Watchdog.DELIVERY)).isZero();
    }

    static Stream<Reply> nonsense() {
        return Stream.of(
                new Reply.WrongCorrelationId(),
                new Reply.Truncated(),
                new Reply.Garbage("HTTP/1.1 400 Bad Request\r\n\r\n".getBytes(StandardCharsets.US_ASCII)),
                new Reply.Garbage(new byte[] {0x15, 0x03, 0x03, 0x00, 0x02, 0x02, 0x50})); // a TLS alert
    }

    @ParameterizedTest
    @MethodSource("nonsense")
    void anAnswerThatIsNoneEndsItsConnectionAndTheRecordIsSentAgain(Reply nonsense) throws Exception {
        try (StubCluster cluster = StubCluster.plaintext(1).topic("t", 1);
                StubProducer producer = StubProducer.of(cluster, Wiring.without(Watchdog.REQUEST), LONG_DELIVERY)) {
            producer.deliver("before");
            cluster.script().next(ApiKeys.PRODUCE, 1, nonsense);

            outcome(producer.send("once"));

            List<StubRequest> requests = cluster.requests(ApiKeys.PRODUCE);
            assertThat(requests).hasSize(3);
            assertThat(cluster.isOpen(requests.get(1).connection())).isFalse();
            assertThat(requests.get(2).connection())
                    .isNotEqualTo(requests.get(1).connection());
            assertThat(cluster.partition("t", 0).values()).containsExactly("before", "once");
        }
    }

    @Test
    void sendKeepsMaxBlockWhileNobodyKnowsTheTopic() throws Exception {
        try (StubCluster cluster = StubCluster.plaintext(1);
                StubProducer producer = StubProducer.of(cluster, Wiring.production(), Map.of("max.block.ms", "500"))) {
            assertThat(failure(producer.send("to no topic"))).isInstanceOf(TimeoutException.class);
        }
    }

    @Test
    void aCallbackMayCloseWhileSomebodyElseClosesAndWaitsForTheCallback() throws Exception {
        try (StubCluster cluster = StubCluster.plaintext(1).topic("t", 1);
                StubProducer producer = StubProducer.of(cluster)) {
            CountDownLatch inCallback = new CountDownLatch(1);
            CountDownLatch closing = new CountDownLatch(1);
            CompletableFuture<Void> callback = producer.send("acked").thenAccept(metadata -> {
                inCallback.countDown();
                awaitUninterruptibly(closing);
                producer.producer().close();
            });
            awaitUninterruptibly(inCallback);

            CompletableFuture<Void> closed = CompletableFuture.runAsync(() -> {
                closing.countDown();
                producer.producer().close(Duration.ofSeconds(30));
            });

            outcome(callback);
            outcome(closed);
        }
    }

    @Test
    void flushInACallbackThrowsInsteadOfWaitingForItself() throws Exception {
        try (StubCluster cluster = StubCluster.plaintext(1).topic("t", 1);
                StubProducer producer = StubProducer.of(cluster)) {
            CompletableFuture<Void> callback = producer.send("acked")
                    .thenAccept(metadata -> producer.producer().flush(Duration.ofHours(1)));

            assertThat(failure(callback)).isInstanceOf(IllegalStateException.class);
        }
    }

    @Test
    void anErrorInTheLoopFailsWhatIsPendingAndClosesTheProducer() throws Exception {
        try (StubCluster cluster = silentlyProducing();
                StubProducer producer = StubProducer.of(cluster)) {
            CompletableFuture<RecordMetadata> sent = producer.send("pending");
            cluster.await(ApiKeys.PRODUCE, 1);

            producer.producer().runtime().core().loop().execute(() -> {
                throw new OutOfMemoryError("injected");
            });

            assertThat(failure(sent)).isInstanceOf(KafkaException.class).hasRootCauseMessage("injected");
            assertThatThrownBy(() -> producer.producer().send(new ProducerRecord<>("t", "later")))
                    .isInstanceOf(IllegalStateException.class);
            assertThat(producer.trips(Watchdog.LOOP)).isEqualTo(1);
            await().atMost(PATIENCE).until(() -> cluster.openConnections() == 0);
        }
    }

    @Test
    void aLoopThatIsStuckFailsWhatIsPendingAndClosesTheProducer() throws Exception {
        CountDownLatch stuck = new CountDownLatch(1);
        try (StubCluster cluster = silentlyProducing();
                StubProducer producer = StubProducer.of(cluster, Wiring.production(), LONG_DELIVERY)) {
            CompletableFuture<RecordMetadata> sent = producer.send("pending");
            cluster.await(ApiKeys.PRODUCE, 1);

            producer.producer().runtime().core().loop().execute(() -> awaitUninterruptibly(stuck));

            assertThat(failure(sent)).isInstanceOf(KafkaException.class);
            assertThat(producer.trips(Watchdog.LOOP)).isEqualTo(1);
            await().atMost(PATIENCE).until(() -> cluster.openConnections() == 0);
        } finally {
            stuck.countDown();
        }
    }

    @Test
    void withoutItsWatchdogAStuckLoopLeavesEverythingPending() throws Exception {
        CountDownLatch stuck = new CountDownLatch(1);
        try (StubCluster cluster = silentlyProducing();
                StubProducer producer = StubProducer.of(cluster, Wiring.without(Watchdog.LOOP), LONG_DELIVERY)) {
            CompletableFuture<RecordMetadata> sent = producer.send("pending");
            cluster.await(ApiKeys.PRODUCE, 1);

            producer.producer().runtime().core().loop().execute(() -> awaitUninterruptibly(stuck));

            await().atMost(PATIENCE).during(GOES_ON).until(() -> !sent.isDone());
        } finally {
            stuck.countDown();
        }
    }

    @Test
    void everythingIsAcknowledgedInOrderAfterAStormOfClosedConnections() throws Exception {
        try (StubCluster cluster = StubCluster.plaintext(2).topic("t", 1);
                StubProducer producer = StubProducer.of(cluster, Wiring.production(), LONG_DELIVERY)) {
            int[] turn = {0};
            cluster.script().when(request -> request.api() == ApiKeys.PRODUCE, request -> switch (turn[0]++ % 4) {
                case 0 -> new Reply.DoAndClose();
                case 1 -> new Reply.Reset();
                case 2 -> new Reply.Truncated();
                default -> Reply.USUAL;
            });
            List<CompletableFuture<RecordMetadata>> sent = new ArrayList<>();
            List<String> values = new ArrayList<>();
            for (int number = 0; number < 20; number++) {
                values.add("record " + number);
                sent.add(producer.send("record " + number));
            }

            sent.forEach(StubProducer::outcome);

            assertThat(cluster.partition("t", 0).values()).containsExactlyElementsOf(values);
        }
    }

    /** A broker that takes batches and neither appends nor answers. */
    private static StubCluster silentlyProducing() throws Exception {
        StubCluster cluster = StubCluster.plaintext(1).topic("t", 1);
        cluster.script().always(ApiKeys.PRODUCE, Reply.SILENCE);
        return cluster;
    }

    private static Reply refusal(Errors error) {
        ProduceResponseData response = new ProduceResponseData();
        ProduceResponseData.TopicProduceResponse topic = new ProduceResponseData.TopicProduceResponse().setName("t");
        topic.partitionResponses()
                .add(new ProduceResponseData.PartitionProduceResponse()
                        .setIndex(0)
                        .setErrorCode(error.code())
                        .setBaseOffset(-1));
        response.responses().add(topic);
        return new Reply.Answer(response);
    }

    private static void awaitUninterruptibly(CountDownLatch latch) {
        boolean interrupted = false;
        while (true) {
            try {
                latch.await();
                break;
            } catch (InterruptedException later) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
