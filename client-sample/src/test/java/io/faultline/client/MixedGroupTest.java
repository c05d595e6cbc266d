package io.faultline.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.faultline.broker.EmbeddedBroker;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.CooperativeStickyAssignor;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.RangeAssignor;
import org.apache.kafka.common.Cluster;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Groups whose members are not all alike. */
@Timeout(180)
class MixedGroupTest {

    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Duration SHORT = Duration.ofMillis(100);
    private static final Duration REQUEST = Duration.ofSeconds(1);

    /** How often a member of the Java client was the leader. */
    private static final AtomicInteger LED_BY_JAVA = new AtomicInteger();

    private EmbeddedBroker broker;
    private final List<Polled> polled = new ArrayList<>();

    @BeforeEach
    void start() throws IOException {
        broker = EmbeddedBroker.builder().start();
    }

    @AfterEach
    void stop() {
        polled.forEach(Polled::end);
        broker.close();
    }

    /** A consumer of either client with a thread that polls. */
    private static final class Polled {

        /** One turn of that thread. */
        interface Turn {
            Set<TopicPartition> poll(Polled self);
        }

        private final CompletableFuture<Void> thread;
        private volatile boolean ending;
        private volatile Set<TopicPartition> owned = Set.of();
        private volatile int generation;

        Polled(Turn turn, Runnable close) {
            thread = CompletableFuture.runAsync(() -> {
                try {
                    while (!ending) {
                        owned = turn.poll(this);
                    }
                } finally {
                    close.run();
                }
            });
        }

        void end() {
            ending = true;
            thread.join();
        }
    }

    private Map<String, Object> config(Map<String, ?> more) {
        Map<String, Object> config = new HashMap<>(Map.of(
                "bootstrap.servers", broker.bootstrapServers(), "group.id", "g", "auto.offset.reset", "earliest"));
        config.putAll(more);
        return config;
    }

    private Consumer<String, String> member(Map<String, String> more) {
        return new Consumer<>(config(more), new StringDeserializer(), new StringDeserializer());
    }

    private Polled polled(Consumer<String, String> consumer) {
        Polled made = new Polled(
                self -> {
                    consumer.poll(SHORT);
                    self.generation = consumer.generation();
                    return consumer.assignment();
                },
                consumer::close);
        polled.add(made);
        return made;
    }

    private Polled polledByJava(String topic, Class<?> assignor) {
        KafkaConsumer<String, String> consumer = new KafkaConsumer<>(
                config(Map.of("partition.assignment.strategy", assignor.getName())),
                new StringDeserializer(),
                new StringDeserializer());
        consumer.subscribe(List.of(topic));
        Polled made = new Polled(
                self -> {
                    consumer.poll(SHORT);
                    return Set.copyOf(consumer.assignment());
                },
                consumer::close);
        polled.add(made);
        return made;
    }

    private static Set<TopicPartition> bothOf(String topic) {
        return Set.of(new TopicPartition(topic, 0), new TopicPartition(topic, 1));
    }

    /** That notes when it is called, as only a leader's is. */
    public static final class NotingRangeAssignor extends RangeAssignor {
        @Override
        public GroupAssignment assign(Cluster cluster, GroupSubscription subscriptions) {
            LED_BY_JAVA.incrementAndGet();
            return super.assign(cluster, subscriptions);
        }
    }

    /** Likewise. */
    public static final class NotingCooperativeAssignor extends CooperativeStickyAssignor {
        @Override
        public GroupAssignment assign(Cluster cluster, GroupSubscription subscriptions) {
            LED_BY_JAVA.incrementAndGet();
            return super.assign(cluster, subscriptions);
        }
    }

    private void assertThatOursSharesOutWhatItDoesNotRead(Class<?> assignor, Class<?> javas) throws IOException {
        LED_BY_JAVA.set(0);
        broker.topics().create("ours", 2);
        broker.topics().create("theirs", 2);
        Consumer<String, String> consumer = member(Map.of("partition.assignment.strategy", assignor.getName()));
        consumer.subscribe(List.of("ours"));
        Polled ours = polled(consumer);
        await().atMost(PATIENCE).until(() -> ours.owned.equals(bothOf("ours")));
        Polled theirs = polledByJava("theirs", javas);
        await().atMost(PATIENCE).until(() -> theirs.owned.equals(bothOf("theirs")));
        await().atMost(PATIENCE).until(() -> ours.owned.equals(bothOf("ours")));
        assertThat(LED_BY_JAVA).hasValue(0);
    }

    @Test
    void asLeaderOfARangeGroupItSharesOutTopicsThatOnlyJavaMembersRead() throws IOException {
        assertThatOursSharesOutWhatItDoesNotRead(RangeAssignor.class, NotingRangeAssignor.class);
    }

    @Test
    void asLeaderOfACooperativeGroupItSharesOutTopicsThatOnlyJavaMembersRead() throws IOException {
        assertThatOursSharesOutWhatItDoesNotRead(CooperativeStickyAssignor.class, NotingCooperativeAssignor.class);
    }

    /** The session time-out is longer than the request time-out, as by default. */
    @Test
    void threeMembersAndAFreshOneJoinInOneRoundThoughOneTakesLongerThanARequest() throws Exception {
        broker.topics().create("t", 4);
        Map<String, String> config = Map.of(
                "request.timeout.ms",
                Long.toString(REQUEST.toMillis()),
                "session.timeout.ms",
                "20000",
                "heartbeat.interval.ms",
                "200");
        Holding holding = new Holding();
        List<Polled> three = new ArrayList<>();
        for (int number = 0; number < 3; number++) {
            Consumer<String, String> consumer = member(config);
            consumer.subscribe(List.of("t"), number == 0 ? holding : null);
            three.add(polled(consumer));
        }
        await().atMost(PATIENCE).until(() -> shared(three, 3));
        int generation = three.get(0).generation;
        holding.hold();
        Consumer<String, String> consumer = member(config);
        consumer.subscribe(List.of("t"));
        List<Polled> four = new ArrayList<>(three);
        four.add(polled(consumer));
        assertThat(holding.reached.await(PATIENCE.toSeconds(), TimeUnit.SECONDS))
                .isTrue();
        await().during(REQUEST.multipliedBy(3))
                .atMost(PATIENCE)
                .until(() -> four.get(3).owned.isEmpty());
        holding.letGo();
        await().atMost(PATIENCE).until(() -> shared(four, 4));
        await().atMost(PATIENCE)
                .untilAsserted(() ->
                        assertThat(four).extracting(each -> each.generation).containsOnly(generation + 1));
    }

    private static boolean shared(List<Polled> members, int among) {
        List<TopicPartition> all =
                members.stream().flatMap(each -> each.owned.stream()).toList();
        return all.size() == 4
                && Set.copyOf(all).size() == 4
                && members.stream()
                                .filter(each -> !each.owned.isEmpty())
                                .collect(Collectors.toSet())
                                .size()
                        == among;
    }

    /** A listener that takes its time when it is told to. */
    private static final class Holding implements ConsumerRebalanceListener {

        private final CountDownLatch reached = new CountDownLatch(1);
        private final CountDownLatch released = new CountDownLatch(1);
        private volatile boolean holds;

        void hold() {
            holds = true;
        }

        void letGo() {
            released.countDown();
        }

        @Override
        public void onPartitionsRevoked(Collection<TopicPartition> partitions) {
            if (holds) {
                reached.countDown();
                try {
                    released.await();
                } catch (InterruptedException ended) {
                    Thread.currentThread().interrupt();
                }
            }
        }

        @Override
        public void onPartitionsAssigned(Collection<TopicPartition> partitions) {
            // Goes on.
        }
    }
}
