package io.faultline.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.faultline.broker.EmbeddedBroker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.ConcurrentModificationException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.regex.Pattern;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.CooperativeStickyAssignor;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.RangeAssignor;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.common.errors.InvalidGroupIdException;
import org.apache.kafka.common.errors.RecordDeserializationException;
import org.apache.kafka.common.errors.WakeupException;
import org.apache.kafka.common.serialization.IntegerDeserializer;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ConsumerTest {

    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Duration SHORT = Duration.ofMillis(100);
    private static final int PARTITIONS = 3;

    private EmbeddedBroker broker;
    private final List<AutoCloseable> open = new CopyOnWriteArrayList<>();

    @BeforeEach
    void startBroker() throws Exception {
        broker = EmbeddedBroker.builder().defaultPartitions(PARTITIONS).start();
    }

    @AfterEach
    void closeAll() throws Exception {
        for (AutoCloseable closeable : open) {
            closeable.close();
        }
        broker.close();
    }

    @ParameterizedTest
    @ValueSource(strings = {"none", "gzip", "snappy", "lz4", "zstd"})
    void anAssignedConsumerReadsEverythingInOrder(String compression) {
        produce(compression, 0, 3_000);
        Consumer<String, String> consumer = consumer(Map.of("auto.offset.reset", "earliest"));
        consumer.assign(partitions());
        Map<Integer, List<Integer>> read = new HashMap<>();
        until(
                () -> read.values().stream().mapToInt(List::size).sum() == 3_000,
                consumer,
                record -> read.computeIfAbsent(record.partition(), same -> new ArrayList<>())
                        .add(Integer.parseInt(record.value())));
        read.values().forEach(values -> assertThat(values).isSorted());
    }

    @Test
    void aMemberReadsCommitsAndAnotherReadsOnFromThere() {
        produce("none", 0, 100);
        Consumer<String, String> first = member(Map.of("enable.auto.commit", "false"));
        first.subscribe(List.of("t"));
        Set<String> read = new HashSet<>();
        until(() -> read.size() == 100, first, record -> read.add(record.value()));
        first.commitSync();
        assertThat(first.committed(Set.copyOf(partitions()), PATIENCE).values().stream()
                        .filter(offset -> offset != null)
                        .mapToLong(OffsetAndMetadata::offset)
                        .sum())
                .isEqualTo(100);
        first.close();
        produce("none", 100, 50);
        Consumer<String, String> second = member(Map.of());
        second.subscribe(List.of("t"));
        Set<String> more = new TreeSet<>();
        until(() -> more.size() == 50, second, record -> more.add(record.value()));
        assertThat(more).doesNotContainAnyElementsOf(read);
    }

    @Test
    void whatWasPolledIsCommittedByItselfWhenTheConsumerIsClosed() {
        produce("none", 0, 30);
        Consumer<String, String> first = member(Map.of());
        first.subscribe(List.of("t"));
        Set<String> read = new HashSet<>();
        until(() -> read.size() == 30, first, record -> read.add(record.value()));
        first.close();
        Consumer<String, String> second = member(Map.of());
        second.assign(partitions());
        long committed = second.committed(Set.copyOf(partitions()), PATIENCE).values().stream()
                .filter(offset -> offset != null)
                .mapToLong(OffsetAndMetadata::offset)
                .sum();
        assertThat(committed).isEqualTo(30);
    }

    @ParameterizedTest
    @ValueSource(classes = {RangeAssignor.class, CooperativeStickyAssignor.class})
    void membersShareThePartitionsAndTakeOverFromThoseWhoLeave(Class<?> assignor) {
        produce("none", 0, 10);
        Map<String, String> config = Map.of("partition.assignment.strategy", assignor.getName());
        Polled one = polled(member(config));
        await().atMost(PATIENCE).untilAsserted(() -> assertThat(one.owned).hasSize(PARTITIONS));
        Polled other = polled(member(config));
        // What each has is looked at after its own poll, so the two are of one generation only when the group is at
        // rest.
        await().atMost(PATIENCE).untilAsserted(() -> {
            Set<TopicPartition> ones = one.owned;
            Set<TopicPartition> others = other.owned;
            assertThat(others).isNotEmpty().doesNotContainAnyElementsOf(ones);
            assertThat(union(ones, others)).hasSize(PARTITIONS);
        });
        one.end();
        await().atMost(PATIENCE).untilAsserted(() -> assertThat(other.owned).hasSize(PARTITIONS));
        other.end();
    }

    @ParameterizedTest
    @ValueSource(classes = {RangeAssignor.class, CooperativeStickyAssignor.class})
    void aGroupIsSharedWithMembersOfTheJavaClientWhoeverLeads(Class<?> assignor) throws Exception {
        produce("none", 0, 10);
        Polled ours = polled(member(Map.of("partition.assignment.strategy", assignor.getName())));
        await().atMost(PATIENCE).untilAsserted(() -> assertThat(ours.owned).hasSize(PARTITIONS));
        Map<String, Object> config = new HashMap<>(config(Map.of()));
        config.putAll(Map.of(
                "group.id", "g",
                "partition.assignment.strategy", assignor.getName(),
                "auto.offset.reset", "earliest"));
        AtomicBoolean running = new AtomicBoolean(true);
        Set<TopicPartition> javas = java.util.concurrent.ConcurrentHashMap.newKeySet();
        CompletableFuture<Void> java = CompletableFuture.runAsync(() -> {
            try (KafkaConsumer<String, String> theirs =
                    new KafkaConsumer<>(config, new StringDeserializer(), new StringDeserializer())) {
                theirs.subscribe(List.of("t"));
                while (running.get()) {
                    theirs.poll(SHORT);
                    javas.retainAll(theirs.assignment());
                    javas.addAll(theirs.assignment());
                }
            }
        });
        await().atMost(PATIENCE).untilAsserted(() -> assertThat(javas).isNotEmpty());
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(union(ours.owned, javas)).hasSize(PARTITIONS));
        ours.end();
        await().atMost(PATIENCE).untilAsserted(() -> assertThat(javas).hasSize(PARTITIONS));
        Polled again = polled(member(Map.of("partition.assignment.strategy", assignor.getName())));
        await().atMost(PATIENCE).untilAsserted(() -> assertThat(again.owned).isNotEmpty()); // theirs leads
        running.set(false);
        java.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        await().atMost(PATIENCE).untilAsserted(() -> assertThat(again.owned).hasSize(PARTITIONS));
        again.end();
    }

    @Test
    void aMemberReadsOnWhenTheBrokerHasStartedAgain() throws Exception {
        produce("none", 0, 10);
        Consumer<String, String> consumer = member(Map.of());
        consumer.subscribe(List.of("t"));
        Set<String> read = new HashSet<>();
        until(() -> read.size() == 10, consumer, record -> read.add(record.value()));
        broker.restart();
        produce("none", 10, 10);
        until(() -> read.size() == 20, consumer, record -> read.add(record.value()));
    }

    @Test
    void aMemberThatDoesNotPollLeavesAndIsToldSoWhenItDoes() {
        produce("none", 0, 10);
        Polled diligent = polled(member(Map.of()));
        await().atMost(PATIENCE).untilAsserted(() -> assertThat(diligent.owned).hasSize(PARTITIONS));
        List<String> told = new ArrayList<>();
        Consumer<String, String> lazy = member(Map.of("max.poll.interval.ms", "3000", "session.timeout.ms", "6000"));
        lazy.subscribe(List.of("t"), new Recorder(told));
        await().atMost(PATIENCE).until(() -> {
            lazy.poll(SHORT);
            return !lazy.assignment().isEmpty();
        });
        await().atMost(PATIENCE).untilAsserted(() -> assertThat(diligent.owned).hasSize(PARTITIONS));
        told.clear();
        lazy.poll(SHORT);
        assertThat(told).first().asString().startsWith("lost");
        await().atMost(PATIENCE).until(() -> {
            lazy.poll(SHORT);
            return !lazy.assignment().isEmpty();
        });
        diligent.end();
    }

    @Test
    void aPatternTakesTopicsThatCome() throws Exception {
        produce("none", 0, 10);
        Consumer<String, String> consumer = member(Map.of("metadata.max.age.ms", "500"));
        consumer.subscribe(Pattern.compile("t.*"), null);
        await().atMost(PATIENCE).until(() -> {
            consumer.poll(SHORT);
            return consumer.assignment().size() == PARTITIONS;
        });
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", broker.bootstrapServers()))) {
            admin.createTopics(List.of(new NewTopic("t2", 1, (short) 1))).all().get();
        }
        await().atMost(PATIENCE).until(() -> {
            consumer.poll(SHORT);
            return consumer.assignment().contains(new TopicPartition("t2", 0));
        });
    }

    @Test
    void itGoesWhereItIsSentAndDeliversNothingOfPausedPartitions() {
        produce("none", 0, 300);
        Consumer<String, String> consumer = consumer(Map.of("auto.offset.reset", "earliest", "max.poll.records", "10"));
        TopicPartition zero = new TopicPartition("t", 0);
        consumer.assign(partitions());
        Map<TopicPartition, Long> ends = consumer.endOffsets(partitions(), PATIENCE);
        assertThat(ends.values().stream().mapToLong(Long::longValue).sum()).isEqualTo(300);
        assertThat(consumer.beginningOffsets(partitions(), PATIENCE).values()).containsOnly(0L);
        await().atMost(PATIENCE).until(() -> !consumer.poll(SHORT).isEmpty());
        consumer.seekToEnd(List.of());
        assertThat(consumer.position(zero)).isEqualTo(ends.get(zero));
        assertThat(consumer.poll(SHORT)).isEmpty();
        consumer.pause(List.of(zero));
        consumer.seek(zero, 1);
        consumer.seekToBeginning(partitions().subList(1, PARTITIONS));
        Set<Integer> from = new HashSet<>();
        Set<String> read = new HashSet<>();
        until(() -> read.size() == 300 - ends.get(zero), consumer, record -> {
            from.add(record.partition());
            read.add(record.value());
        });
        assertThat(from).doesNotContain(0);
        assertThat(consumer.paused()).containsExactly(zero);
        consumer.resume(List.of(zero));
        List<Long> offsets = new ArrayList<>();
        until(() -> offsets.size() == ends.get(zero) - 1, consumer, record -> offsets.add(record.offset()));
        assertThat(offsets).first().isEqualTo(1L);
    }

    @Test
    void aRecordThatCannotBeDeserializedIsNamedAndCanBeSkipped() {
        produce("none", 0, 1);
        Consumer<String, Integer> consumer = new Consumer<>(
                config(Map.of("auto.offset.reset", "earliest")), new StringDeserializer(), new IntegerDeserializer());
        open.add(consumer);
        consumer.assign(partitions());
        RecordDeserializationException failure = await().atMost(PATIENCE)
                .until(
                        () -> {
                            try {
                                consumer.poll(SHORT);
                                return null;
                            } catch (RecordDeserializationException unreadable) {
                                return unreadable;
                            }
                        },
                        caught -> caught != null);
        consumer.seek(failure.topicPartition(), failure.offset() + 1);
        assertThat(consumer.poll(SHORT)).isEmpty();
        assertThat(consumer.position(failure.topicPartition())).isEqualTo(1);
    }

    @Test
    void aPollWithoutEndIsEndedByAWakeup() {
        Consumer<String, String> consumer = consumer(Map.of());
        consumer.assign(partitions());
        CompletableFuture.runAsync(consumer::wakeup);
        assertThatExceptionOfType(WakeupException.class)
                .isThrownBy(() -> consumer.poll(Duration.ofMillis(Long.MAX_VALUE)));
    }

    @Test
    void aSecondThreadIsRefused() throws Exception {
        Consumer<String, String> consumer = consumer(Map.of());
        consumer.assign(partitions());
        CompletableFuture<Void> poll = CompletableFuture.runAsync(() -> {
            try {
                consumer.poll(Duration.ofMillis(Long.MAX_VALUE));
            } catch (WakeupException expected) {
                // The end of the test.
            }
        });
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThatExceptionOfType(ConcurrentModificationException.class)
                        .isThrownBy(() -> consumer.paused()));
        consumer.wakeup();
        poll.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    }

    @Test
    void aListenerThatThrowsHoldsUpNoRebalance() {
        produce("none", 0, 10);
        Consumer<String, String> consumer = member(Map.of());
        consumer.subscribe(List.of("t"), new ConsumerRebalanceListener() {
            @Override
            public void onPartitionsRevoked(Collection<TopicPartition> partitions) {
                // Of no interest here.
            }

            @Override
            public void onPartitionsAssigned(Collection<TopicPartition> partitions) {
                throw new IllegalStateException("a fault of the application");
            }
        });
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThatExceptionOfType(org.apache.kafka.common.KafkaException.class)
                        .isThrownBy(() -> consumer.poll(SHORT))
                        .withStackTraceContaining("a fault of the application"));
        Set<String> read = new HashSet<>();
        until(() -> read.size() == 10, consumer, record -> read.add(record.value()));
    }

    @Test
    void aSubscriptionWithoutAGroupIsAnError() {
        Consumer<String, String> consumer = consumer(Map.of());
        assertThatExceptionOfType(InvalidGroupIdException.class)
                .isThrownBy(() -> consumer.subscribe(List.of("t")))
                .withMessageContaining("group.id");
    }

    @Test
    void aWrongValueIsNamedWithWhatIsAccepted() {
        assertThatExceptionOfType(ConfigException.class)
                .isThrownBy(() -> member(Map.of("partition.assignment.strategy", "my.Assignor")))
                .withMessageContainingAll("partition.assignment.strategy", "my.Assignor", "RangeAssignor");
        assertThatExceptionOfType(ConfigException.class)
                .isThrownBy(() -> consumer(Map.of("group.id", "g", "heartbeat.interval.ms", "45000")))
                .withMessageContainingAll("heartbeat.interval.ms", "45000", "session.timeout.ms");
    }

    private static final class Recorder implements ConsumerRebalanceListener {

        private final List<String> told;

        Recorder(List<String> told) {
            this.told = told;
        }

        @Override
        public void onPartitionsRevoked(Collection<TopicPartition> partitions) {
            told.add("revoked " + partitions);
        }

        @Override
        public void onPartitionsAssigned(Collection<TopicPartition> partitions) {
            told.add("assigned " + partitions);
        }

        @Override
        public void onPartitionsLost(Collection<TopicPartition> partitions) {
            told.add("lost " + partitions);
        }
    }

    /** A member with a thread that polls. */
    private static final class Polled {

        private final Consumer<String, String> consumer;
        private final AtomicBoolean running = new AtomicBoolean(true);
        private final CompletableFuture<Void> thread;
        private volatile Set<TopicPartition> owned = Set.of();

        Polled(Consumer<String, String> consumer) {
            this.consumer = consumer;
            consumer.subscribe(List.of("t"));
            thread = CompletableFuture.runAsync(() -> {
                while (running.get()) {
                    consumer.poll(SHORT);
                    owned = consumer.assignment();
                }
                consumer.close();
            });
        }

        void end() {
            running.set(false);
            thread.join();
        }
    }

    private static Polled polled(Consumer<String, String> consumer) {
        return new Polled(consumer);
    }

    private static Set<TopicPartition> union(Set<TopicPartition> some, Set<TopicPartition> others) {
        Set<TopicPartition> all = new HashSet<>(some);
        all.addAll(others);
        return all;
    }

    private static void until(
            java.util.concurrent.Callable<Boolean> done,
            Consumer<String, String> consumer,
            java.util.function.Consumer<ConsumerRecord<String, String>> each) {
        await().atMost(PATIENCE).until(() -> {
            ConsumerRecords<String, String> records = consumer.poll(SHORT);
            records.forEach(each);
            return done.call();
        });
    }

    private void produce(String compression, int from, int count) {
        Map<String, Object> config = new HashMap<>(config(Map.of("compression.type", compression)));
        try (Producer<String, String> producer =
                new Producer<>(config, new StringSerializer(), new StringSerializer())) {
            for (int index = from; index < from + count; index++) {
                producer.send(new ProducerRecord<>("t", index % PARTITIONS, null, String.valueOf(index)));
            }
            producer.flush(PATIENCE);
        }
    }

    private static List<TopicPartition> partitions() {
        List<TopicPartition> all = new ArrayList<>();
        for (int index = 0; index < PARTITIONS; index++) {
            all.add(new TopicPartition("t", index));
        }
        return all;
    }

    private Map<String, String> config(Map<String, String> more) {
        Map<String, String> config = new HashMap<>(more);
        config.put("bootstrap.servers", broker.bootstrapServers());
        return config;
    }

    private Consumer<String, String> consumer(Map<String, String> more) {
        Consumer<String, String> consumer =
                new Consumer<>(config(more), new StringDeserializer(), new StringDeserializer());
        open.add(consumer);
        return consumer;
    }

    private Consumer<String, String> member(Map<String, String> more) {
        Map<String, String> config = new HashMap<>(more);
        config.put("group.id", "g");
        config.put("auto.offset.reset", "earliest");
        return consumer(config);
    }
}
