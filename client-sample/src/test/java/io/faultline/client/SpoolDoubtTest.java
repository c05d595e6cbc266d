package io.faultline.client;

import static io.faultline.client.StubProducer.failure;
import static io.faultline.client.StubProducer.outcome;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.faultline.client.spool.RecoveredBatch;
import io.faultline.client.spool.RecoveryListener;
import io.faultline.client.spool.SpoolHooks;
import io.faultline.client.spool.UndecidedException;
import io.faultline.client.spool.VerdictSource;
import io.faultline.client.stub.Reply;
import io.faultline.client.stub.StubCluster;
import io.faultline.client.stub.StubPartition;
import io.faultline.client.watchdog.Watchdog;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Records in the spool of which nobody knows whether they are in the log: they are looked for there, and what cannot be known is never sent. */
@Timeout(120)
class SpoolDoubtTest {

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    /** Half of the default of {@code delivery.timeout.ms}, and a little. */
    private static final Duration UNTIL_SPOOLED = Duration.ofSeconds(61);

    private static final Map<String, String> LONG_REQUESTS = Map.of("request.timeout.ms", "100000");

    @TempDir
    Path folder;

    private final JumpingClock clock = new JumpingClock();
    private final List<String> undecided = new CopyOnWriteArrayList<>();
    private final List<String> reasons = new CopyOnWriteArrayList<>();
    private StubCluster cluster;

    @BeforeEach
    void start() throws IOException {
        cluster = StubCluster.plaintext(1).topic("t", 1);
    }

    @AfterEach
    void stop() throws IOException {
        cluster.close();
    }

    private Producer<String, String> producer(Map<String, String> more) {
        Map<String, String> config = new HashMap<>(Map.of(
                "bootstrap.servers",
                cluster.bootstrap(),
                "spool.dir",
                folder.resolve("spool").toString(),
                "spool.timeout.ms",
                "3600000",
                "linger.ms",
                "0"));
        config.putAll(more);
        RecoveryListener listener = new RecoveryListener() {
            @Override
            public void onUndecided(RecoveredBatch batch, String why, List<ProducerRecord<byte[], byte[]>> records) {
                reasons.add(why);
                records.forEach(each -> undecided.add(new String(each.value(), StandardCharsets.UTF_8)));
            }
        };
        return new Producer<>(
                config,
                new StringSerializer(),
                new StringSerializer(),
                new SpoolHooks(listener, VerdictSource.agent()),
                new Wiring(clock, EnumSet.of(Watchdog.LOOP))); // it would take a skip for a loop that is stuck
    }

    private static Delivery send(Producer<String, String> producer, String value) {
        return producer.send(new ProducerRecord<>("t", 0, null, value));
    }

    private static void deliver(Producer<String, String> producer, String value) {
        outcome(send(producer, value).delivered());
    }

    private void skip(Duration time, Producer<String, String> producer) {
        clock.skip(time, producer.runtime().core().loop());
    }

    private StubPartition log() {
        return cluster.partition("t", 0);
    }

    /** A record that was sent, is in the spool, and got no answer. */
    private Delivery leaveInDoubt(Producer<String, String> producer, Reply reply) {
        deliver(producer, "0");
        cluster.script().always(ApiKeys.PRODUCE, reply);
        Delivery delivery = send(producer, "1");
        cluster.await(ApiKeys.PRODUCE, 2);
        skip(UNTIL_SPOOLED, producer);
        outcome(delivery.accepted());
        assertThat(delivery.delivered()).isNotDone();
        return delivery;
    }

    /** The brokers are well again, and the request without an answer has timed out. */
    private void heal(Producer<String, String> producer) {
        cluster.script().clear();
        skip(UNTIL_SPOOLED, producer);
    }

    static Stream<Reply> lostAnswers() {
        return Stream.of(Reply.SILENCE, new Reply.Swallow());
    }

    @ParameterizedTest
    @MethodSource("lostAnswers")
    void aBatchThatIsInFlightWhenItsTimeComesIsSpooledAndDeliveredOnce(Reply reply) {
        try (Producer<String, String> producer = producer(LONG_REQUESTS)) {
            Delivery delivery = leaveInDoubt(producer, reply);
            heal(producer);
            assertThat(outcome(delivery.delivered()).offset()).isEqualTo(1);
            deliver(producer, "2");
            assertThat(log().values()).containsExactly("0", "1", "2");
        }
    }

    @Test
    void aBatchThatIsAckedWhileItIsBeingSpooledIsDelivered() {
        try (Producer<String, String> producer = producer(LONG_REQUESTS)) {
            Delivery delivery = leaveInDoubt(producer, Reply.SILENCE);
            cluster.script().clear();
            cluster.node(1).closeConnections();
            assertThat(outcome(delivery.delivered()).offset()).isEqualTo(1);
            assertThat(log().values()).containsExactly("0", "1");
        }
    }

    @Test
    void severalBatchesInFlightAreSpooledAndDeliveredInTheirOrder() {
        try (Producer<String, String> producer = producer(LONG_REQUESTS)) {
            deliver(producer, "0");
            cluster.script().always(ApiKeys.PRODUCE, new Reply.Swallow());
            List<Delivery> deliveries = List.of(send(producer, "1"), send(producer, "2"), send(producer, "3"));
            cluster.await(ApiKeys.PRODUCE, 2);
            skip(UNTIL_SPOOLED, producer);
            deliveries.forEach(each -> outcome(each.accepted()));
            heal(producer);
            deliveries.forEach(each -> outcome(each.delivered()));
            assertThat(log().values()).containsExactly("0", "1", "2", "3");
        }
    }

    @Test
    void anOutageOfFiveMinutesFailsNothingWithTheDefaultTimeouts() {
        try (Producer<String, String> producer = producer(Map.of())) {
            deliver(producer, "0");
            cluster.script().always(request -> true, Reply.SILENCE);
            Delivery delivery = send(producer, "1");
            skip(UNTIL_SPOOLED, producer);
            outcome(delivery.accepted());
            skip(Duration.ofMinutes(4), producer);
            assertThat(delivery.delivered()).isNotDone();
            cluster.script().clear();
            cluster.node(1).closeConnections(); // on some of them an answer is owed for good
            outcome(delivery.delivered());
            assertThat(log().values()).containsExactly("0", "1");
            assertThat(producer.counts().failed()).isZero();
        }
    }

    @ParameterizedTest
    @MethodSource("lostAnswers")
    void whatABrokerHasForgottenIsLookedForInItsLog(Reply reply) {
        try (Producer<String, String> producer = producer(LONG_REQUESTS)) {
            Delivery delivery = leaveInDoubt(producer, reply);
            log().forgetProducers();
            heal(producer);
            assertThat(outcome(delivery.delivered()).offset()).isEqualTo(1);
            deliver(producer, "2");
            assertThat(log().values()).containsExactly("0", "1", "2");
        }
    }

    @Test
    void whatALogHasLostThatEndsEarlierNowIsSentAgain() {
        try (Producer<String, String> producer = producer(LONG_REQUESTS)) {
            Delivery delivery = leaveInDoubt(producer, new Reply.Swallow());
            log().truncateTo(0);
            heal(producer);
            outcome(delivery.delivered());
            assertThat(log().values()).containsExactly("1");
        }
    }

    @Test
    void whatMayHaveBeenDeletedSinceIsUndecidedAndNeverSent() {
        try (Producer<String, String> producer = producer(LONG_REQUESTS)) {
            Delivery delivery = leaveInDoubt(producer, new Reply.Swallow());
            log().forgetProducers();
            log().deleteBefore(2);
            heal(producer);
            assertThatItIsUndecided(delivery, producer, "has deleted a part of the log");
        }
        assertThatItIsToldOfAtTheNextStart();
    }

    @Test
    void whatWasSentToATopicThatWasMadeAnewIsUndecidedAndNeverSent() {
        try (Producer<String, String> producer = producer(LONG_REQUESTS)) {
            Delivery delivery = leaveInDoubt(producer, new Reply.Swallow());
            cluster.topic("t", 1);
            heal(producer);
            assertThatItIsUndecided(delivery, producer, "not there any more");
        }
        assertThatItIsToldOfAtTheNextStart();
    }

    @Test
    void whatWasSentToAnotherClusterIsUndecidedAndNeverSent() {
        Producer<String, String> before = producer(LONG_REQUESTS);
        leaveInDoubt(before, new Reply.Swallow());
        before.close(Duration.ofSeconds(1));
        cluster.script().clear();
        cluster.clusterId("another one");
        try (Producer<String, String> producer = producer(LONG_REQUESTS)) {
            await().atMost(PATIENCE).untilAsserted(() -> assertThat(undecided).containsExactly("1"));
            assertThat(reasons).singleElement().asString().contains("not there any more");
            deliver(producer, "2");
            assertThat(log().values()).containsExactly("0", "1", "2");
        }
        assertThatItIsToldOfAtTheNextStart();
    }

    private void assertThatItIsUndecided(Delivery delivery, Producer<String, String> producer, String why) {
        assertThat(failure(delivery.delivered()))
                .isInstanceOf(UndecidedException.class)
                .hasMessageContaining(why);
        assertThat(producer.spool().orElseThrow().undecided()).isEqualTo(1);
        List<String> before = log().values();
        deliver(producer, "2");
        assertThat(log().values()).endsWith("2").hasSize(before.size() + 1);
    }

    private void assertThatItIsToldOfAtTheNextStart() {
        List<String> before = log().values();
        undecided.clear();
        try (Producer<String, String> next = producer(LONG_REQUESTS)) {
            await().atMost(PATIENCE).untilAsserted(() -> assertThat(undecided).containsExactly("1"));
            deliver(next, "3");
            assertThat(log().values()).endsWith("3").hasSize(before.size() + 1);
        }
    }
}
