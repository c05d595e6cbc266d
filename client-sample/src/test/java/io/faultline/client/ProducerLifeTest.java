package io.faultline.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.faultline.broker.EmbeddedBroker;
import io.faultline.client.watchdog.TripCause;
import io.faultline.client.watchdog.Watchdog;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A producer's threads, its callbacks, and its end. */
class ProducerLifeTest {

    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final Duration NO_TIME = Duration.ofMillis(50);

    private EmbeddedBroker broker;

    @BeforeEach
    void start() throws IOException {
        broker = EmbeddedBroker.builder().start();
    }

    @AfterEach
    void stop() {
        broker.close();
    }

    private Producer<String, String> producer(Wiring wiring, String... more) {
        Map<String, String> config = new HashMap<>(Map.of("bootstrap.servers", broker.bootstrapServers()));
        for (int index = 0; index < more.length; index += 2) {
            config.put(more[index], more[index + 1]);
        }
        return new Producer<>(config, new StringSerializer(), new StringSerializer(), wiring);
    }

    private Producer<String, String> producer(String... more) {
        return producer(Wiring.production(), more);
    }

    private static ProducerRecord<String, String> aRecord() {
        return new ProducerRecord<>("t", 0, "key", "value");
    }

    /** Of which a memory of 20,000 bytes has one. */
    private static ProducerRecord<String, String> aLargeRecord() {
        return new ProducerRecord<>("t", 0, "key", "x".repeat(15_000));
    }

    private static RecordMetadata result(Delivery delivery) throws Exception {
        return delivery.delivered().get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    }

    private static void result(CompletableFuture<?> future) throws Exception {
        future.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    }

    /** A record for a topic that is known, and that cannot be acked, since the broker has gone. No time-out of the producer, however short, is at stake before. */
    private Delivery pending(Producer<String, String> producer) {
        ClientCore core = producer.runtime().core();
        core.loop().execute(() -> core.metadata().want("t"));
        await().atMost(PATIENCE).until(() -> core.metadata().view().topic("t").isPresent());
        broker.close();
        return producer.send(aRecord());
    }

    @Test
    void anErrorThatKillsTheLoopFailsWhatIsPendingAndClosesTheClient() throws Exception {
        Producer<String, String> producer = producer();
        Delivery delivery = pending(producer);
        producer.runtime().core().loop().execute(() -> {
            throw new AssertionError("injected");
        });
        assertThatThrownBy(() -> result(delivery))
                .isInstanceOf(ExecutionException.class)
                .cause()
                .isInstanceOf(KafkaException.class)
                .hasRootCauseMessage("injected");
        assertThatThrownBy(() -> producer.send(aRecord())).isInstanceOf(IllegalStateException.class);
        assertThat(producer.runtime().core().trips().count(Watchdog.LOOP, TripCause.DIED))
                .isEqualTo(1);
        assertThat(producer.counts().pending()).isZero();
        producer.close(PATIENCE);
        assertNoThreads(producer.runtime().clientId());
    }

    @Test
    void aLoopThatIsStuckFailsWhatIsPendingAndTellsWhereItIs() throws Exception {
        Producer<String, String> producer = producer("loop.timeout.ms", "2000");
        Delivery delivery = pending(producer);
        CountDownLatch stuck = new CountDownLatch(1);
        producer.runtime().core().loop().execute(() -> holdUp(stuck));
        try {
            assertThatThrownBy(() -> result(delivery))
                    .isInstanceOf(ExecutionException.class)
                    .cause()
                    .satisfies(cause -> assertThat(cause.getStackTrace())
                            .anySatisfy(
                                    frame -> assertThat(frame.getMethodName()).isEqualTo("holdUp")));
            assertThat(producer.runtime().core().trips().count(Watchdog.LOOP, TripCause.STUCK))
                    .isEqualTo(1);
            assertThatThrownBy(() -> producer.send(aRecord())).isInstanceOf(IllegalStateException.class);
            producer.close(PATIENCE);
        } finally {
            stuck.countDown();
        }
        assertNoThreads(producer.runtime().clientId());
    }

    @Test
    void withoutTheLoopWatchdogWhatIsPendingStaysSo() throws Exception {
        Producer<String, String> producer = producer(Wiring.without(Watchdog.LOOP), "loop.timeout.ms", "2000");
        Producer<String, String> watched = producer("loop.timeout.ms", "2000");
        Delivery delivery = pending(producer);
        CountDownLatch stuck = new CountDownLatch(1);
        producer.runtime().core().loop().execute(() -> holdUp(stuck));
        for (int twice = 0; twice < 2; twice++) { // by then the other one's time is up for certain
            Producer<String, String> another = twice == 0 ? watched : producer("loop.timeout.ms", "2000");
            another.runtime().core().loop().execute(() -> holdUp(stuck));
            await().atMost(PATIENCE).until(() -> another.runtime().core().lost() != null);
        }
        assertThat(delivery.delivered()).isNotDone();
        stuck.countDown();
        producer.close(Duration.ZERO);
    }

    private static void holdUp(CountDownLatch until) {
        boolean interrupted = false;
        while (until.getCount() > 0) {
            try {
                until.await();
            } catch (InterruptedException again) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void aSenderThatWaitsForMemoryIsLetGoWhenTheLoopDies() throws Exception {
        Producer<String, String> producer = producer("buffer.memory", "20000", "batch.size", "16384");
        pending(producer);
        producer.send(aLargeRecord());
        AtomicReference<Delivery> blocked = new AtomicReference<>();
        Thread sender = new Thread(() -> blocked.set(producer.send(aLargeRecord())), "test-sender");
        sender.start();
        await().atMost(PATIENCE).until(() -> sender.getState() == Thread.State.TIMED_WAITING);
        producer.runtime().core().loop().execute(() -> {
            throw new AssertionError("injected");
        });
        await().atMost(PATIENCE).until(() -> !sender.isAlive());
        assertThatThrownBy(() -> result(blocked.get())).isInstanceOf(ExecutionException.class);
        producer.close(PATIENCE);
    }

    @Test
    void aSendFindsNoRoomWithinMaxBlock() throws Exception {
        try (Producer<String, String> producer =
                producer("buffer.memory", "20000", "batch.size", "16384", "max.block.ms", "100")) {
            pending(producer);
            producer.send(aLargeRecord());
            Delivery delivery = producer.send(aLargeRecord());
            assertThatThrownBy(() -> result(delivery)).hasCauseInstanceOf(TimeoutException.class);
            producer.close(Duration.ZERO);
        }
    }

    @Test
    void aSleepingCallbackDelaysCallbacksOnly() throws Exception {
        try (Producer<String, String> producer = producer()) {
            CountDownLatch asleep = new CountDownLatch(1);
            producer.send(aRecord()).delivered().thenAccept(metadata -> holdUp(asleep));
            for (int index = 0; index < 100; index++) {
                producer.send(aRecord());
                producer.flush(PATIENCE);
            }
            assertThat(producer.counts().acked()).isEqualTo(101);
            asleep.countDown();
        }
    }

    @Test
    void aThrowingCallbackHarmsNoOther() throws Exception {
        try (Producer<String, String> producer = producer()) {
            producer.send(aRecord()).delivered().thenAccept(metadata -> {
                throw new AssertionError("expected by the test");
            });
            producer.onTrip(trip -> {
                throw new AssertionError("expected by the test");
            });
            result(producer.send(aRecord()));
        }
    }

    @Test
    void futuresCompleteInTheOrderOfTheirSending() throws Exception {
        try (Producer<String, String> producer = producer()) {
            List<Integer> completed = new ArrayList<>();
            List<CompletableFuture<Boolean>> noted = new ArrayList<>();
            for (int index = 0; index < 500; index++) {
                int number = index;
                noted.add(producer.send(aRecord()).delivered().thenApply(metadata -> completed.add(number)));
            }
            result(CompletableFuture.allOf(noted.toArray(CompletableFuture[]::new)));
            assertThat(completed).isSorted().hasSize(500);
        }
    }

    @Test
    void flushInACallbackThrows() throws Exception {
        try (Producer<String, String> producer = producer()) {
            CompletableFuture<Void> inCallback =
                    producer.send(aRecord()).delivered().thenAccept(metadata -> producer.flush(PATIENCE));
            assertThatThrownBy(() -> result(inCallback)).hasCauseInstanceOf(IllegalStateException.class);
        }
    }

    @Test
    void joinInACallbackThrows() throws Exception {
        try (Producer<String, String> producer = producer()) {
            CompletableFuture<RecordMetadata> inCallback = producer.send(aRecord())
                    .delivered()
                    .thenApply(metadata -> producer.send(aRecord()).delivered().join());
            assertThatThrownBy(() -> result(inCallback)).hasCauseInstanceOf(IllegalStateException.class);
        }
    }

    @Test
    void closeInACallbackReturns() throws Exception {
        Producer<String, String> producer = producer();
        CompletableFuture<Void> inCallback =
                producer.send(aRecord()).delivered().thenAccept(metadata -> producer.close(PATIENCE));
        result(inCallback);
        assertNoThreads(producer.runtime().clientId());
    }

    @Test
    void whatTheCallerDoesToItsFutureTouchesNothing() throws Exception {
        try (Producer<String, String> producer = producer("linger.ms", "200")) {
            Delivery delivery = producer.send(aRecord());
            delivery.delivered().cancel(true);
            delivery.delivered().complete(null);
            delivery.accepted().obtrudeException(new IllegalStateException("expected by the test"));
            assertThat(result(delivery).offset()).isZero();
            assertThat(producer.counts().acked()).isEqualTo(1);
        }
    }

    @Test
    void flushKeepsItsTimeAndTrips() throws Exception {
        Producer<String, String> producer = producer();
        pending(producer);
        assertThatThrownBy(() -> producer.flush(NO_TIME)).isInstanceOf(TimeoutException.class);
        assertThat(producer.runtime().core().trips().count(Watchdog.FLUSH)).isEqualTo(1);
        producer.close(Duration.ZERO);
    }

    @Test
    void withoutTheFlushWatchdogFlushWaitsOn() throws Exception {
        Producer<String, String> producer = producer(Wiring.without(Watchdog.FLUSH));
        pending(producer);
        assertThatItWaitsOn(() -> producer.flush(NO_TIME), "flush");
        producer.runtime().core().shutDown();
    }

    @Test
    void withoutTheCloseWatchdogCloseWaitsOn() throws Exception {
        Producer<String, String> producer = producer(Wiring.without(Watchdog.CLOSE));
        pending(producer);
        assertThatItWaitsOn(() -> producer.close(NO_TIME), "close");
        producer.runtime().core().shutDown();
    }

    /** It is seen in its wait long after its time. */
    private static void assertThatItWaitsOn(Runnable call, String name) {
        long begun = System.nanoTime();
        Thread caller = new Thread(
                () -> {
                    try {
                        call.run();
                    } catch (KafkaException ignored) {
                        // Of what is given up when the test ends.
                    }
                },
                "test-" + name);
        caller.start();
        await().atMost(PATIENCE)
                .until(() -> caller.getState() == Thread.State.WAITING
                        && System.nanoTime() - begun > 20 * NO_TIME.toNanos());
    }

    @Test
    void flushTellsOfARecordThatFailed() throws Exception {
        try (Producer<String, String> producer =
                producer("linger.ms", "0", "request.timeout.ms", "100", "delivery.timeout.ms", "300")) {
            pending(producer);
            assertThatThrownBy(() -> producer.flush(PATIENCE))
                    .isInstanceOf(KafkaException.class)
                    .isNotInstanceOf(TimeoutException.class)
                    .hasMessageContaining("not acked within");
        }
    }

    @Test
    void ofARecordThatFailedBeforeNeitherSendNorFlushTells() throws Exception {
        try (Producer<String, String> producer =
                producer("linger.ms", "0", "request.timeout.ms", "100", "delivery.timeout.ms", "300")) {
            Delivery lost = pending(producer);
            assertThatThrownBy(() -> result(lost)).hasCauseInstanceOf(TimeoutException.class);
            producer.flush(PATIENCE);
            assertThat(producer.send(aRecord()).delivered()).isNotDone();
            producer.close(Duration.ZERO);
        }
    }

    /** Of the batch's many records the first is told of while the others are seen to. */
    @Test
    void whoHearsOfAFailureAndFlushesIsNotToldOfItAgain() throws Exception {
        try (Producer<String, String> producer = producer(
                "linger.ms",
                "3000",
                "request.timeout.ms",
                "100",
                "delivery.timeout.ms",
                "3200",
                "batch.size",
                "4000000")) {
            Delivery lost = pending(producer);
            for (int index = 0; index < 50_000; index++) {
                producer.send(aRecord()).delivered();
            }
            assertThatThrownBy(() -> result(lost)).hasCauseInstanceOf(TimeoutException.class);
            producer.flush(PATIENCE);
        }
    }

    @Test
    void itsMetersHaveItsClientId() throws Exception {
        MeterRegistry registry = new SimpleMeterRegistry();
        try (Producer<String, String> producer = producer("client.id", "me")) {
            producer.deliveryMetrics().bindTo(registry);
            producer.loopMetrics().bindTo(registry);
            producer.watchdogMetrics().bindTo(registry);
            pending(producer);
            assertThat(gauge(registry, "faultline.pending.deliveries")).isEqualTo(1);
            assertThat(gauge(registry, "faultline.oldest.delivery.age.seconds")).isPositive();
            assertThat(gauge(registry, "faultline.loop.age.seconds")).isPositive();
            producer.close(Duration.ZERO);
            assertThat(registry.get("faultline.watchdog.trips")
                            .tags("client.id", "me", "watchdog", "close", "cause", "silence")
                            .functionCounter()
                            .count())
                    .isEqualTo(1);
        }
    }

    private static double gauge(MeterRegistry registry, String name) {
        return registry.get(name).tag("client.id", "me").gauge().value();
    }

    @Test
    void closeKeepsItsTimeFailsWhatIsPendingAndTrips() throws Exception {
        Producer<String, String> producer = producer();
        Delivery delivery = pending(producer);
        producer.close(NO_TIME);
        assertThatThrownBy(() -> result(delivery)).hasCauseInstanceOf(KafkaException.class);
        assertThat(producer.runtime().core().trips().count(Watchdog.CLOSE)).isEqualTo(1);
        assertNoThreads(producer.runtime().clientId());
    }

    @Test
    void whenCloseReturnsWhatItGaveUpIsSettledAndTold() throws Exception {
        Producer<String, String> producer = producer();
        List<Delivery> deliveries = new ArrayList<>(List.of(pending(producer)));
        AtomicInteger told = new AtomicInteger();
        for (int index = 0; index < 500; index++) {
            deliveries.add(producer.send(aRecord()));
        }
        deliveries.forEach(each -> each.delivered().whenComplete((none, failure) -> told.incrementAndGet()));
        producer.close(Duration.ZERO);
        assertThat(deliveries).allSatisfy(each -> assertThat(each.delivered()).isCompletedExceptionally());
        assertThat(told).hasValue(501);
    }

    @Test
    void aCallbackThatWaitsForTheCloseDoesNotHoldItUp() throws Exception {
        Producer<String, String> producer = producer();
        CountDownLatch closed = new CountDownLatch(1);
        producer.send(aRecord()).delivered().thenAccept(metadata -> holdUp(closed));
        producer.close(Duration.ofMillis(Long.MAX_VALUE));
        closed.countDown();
        assertNoThreads(producer.runtime().clientId());
    }

    @Test
    void closeWaitsForWhatWasSent() throws Exception {
        Producer<String, String> producer = producer("linger.ms", "10000");
        Delivery delivery = producer.send(aRecord());
        producer.close(Duration.ofMillis(Long.MAX_VALUE));
        assertThat(result(delivery).offset()).isZero();
    }

    @Test
    void aProducerThatCannotBeReachedAnyMoreGivesBackItsThreadsAndSockets() throws Exception {
        String clientId = "dropped";
        WeakReference<Producer<String, String>> dropped = dropped(clientId);
        await().atMost(PATIENCE).until(() -> {
            System.gc();
            return dropped.get() == null && threads(clientId).isEmpty();
        });
    }

    private WeakReference<Producer<String, String>> dropped(String clientId) throws Exception {
        Producer<String, String> producer = producer("client.id", clientId);
        result(producer.send(aRecord()));
        assertThat(threads(clientId)).hasSizeGreaterThanOrEqualTo(3);
        return new WeakReference<>(producer);
    }

    private static void assertNoThreads(String clientId) {
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(threads(clientId)).isEmpty());
    }

    private static List<String> threads(String clientId) {
        return Thread.getAllStackTraces().keySet().stream()
                .map(Thread::getName)
                .filter(name -> name.startsWith("faultline-" + clientId + "-"))
                .toList();
    }

    @Test
    void anUnknownKeyIsOneClearError() {
        assertThatThrownBy(() -> producer("lingre.ms", "5"))
                .hasMessageContaining("lingre.ms")
                .hasMessageContaining("with value 5")
                .hasMessageContaining("linger.ms");
    }

    @Test
    void aWrongValueNamesKeyValueAndWhatIsAccepted() {
        assertThatThrownBy(() -> producer("security.protocol", "SASL_SSL"))
                .hasMessageContaining("security.protocol")
                .hasMessageContaining("SASL_SSL")
                .hasMessageContaining("PLAINTEXT");
        assertThatThrownBy(() -> producer("bootstrap.servers", "nowhere"))
                .hasMessageContaining("bootstrap.servers")
                .hasMessageContaining("nowhere")
                .hasMessageContaining("host:port");
        assertThatThrownBy(() -> producer("enable.idempotence", "true", "acks", "1"))
                .hasMessageContaining("acks")
                .hasMessageContaining("acks=all");
        assertThatThrownBy(() -> producer("delivery.timeout.ms", "1000"))
                .hasMessageContaining("delivery.timeout.ms")
                .hasMessageContaining("1000")
                .hasMessageContaining("30005");
    }
}
