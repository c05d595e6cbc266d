package io.faultline.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.faultline.broker.EmbeddedBroker;
import io.faultline.client.spool.RecoveredBatch;
import io.faultline.client.spool.RecoveryListener;
import io.faultline.client.spool.SpoolHooks;
import io.faultline.client.spool.VerdictSource;
import io.faultline.client.watchdog.Watchdog;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a spool does for records that cannot wait in memory. */
class SpoolTest {

    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final String TOPIC = "t";

    @TempDir
    Path folder;

    private EmbeddedBroker broker;

    @BeforeEach
    void start() throws IOException {
        broker = EmbeddedBroker.builder().start();
        broker.topics().create(TOPIC, 2);
    }

    @AfterEach
    void stop() {
        broker.close();
    }

    private Map<String, String> config(String... more) {
        Map<String, String> config = new HashMap<>(Map.of(
                "bootstrap.servers",
                broker.bootstrapServers(),
                "spool.dir",
                spoolDirectory().toString(),
                "buffer.memory",
                "40000",
                "linger.ms",
                "0"));
        for (int index = 0; index < more.length; index += 2) {
            config.put(more[index], more[index + 1]);
        }
        return config;
    }

    private Path spoolDirectory() {
        return folder.resolve("spool");
    }

    private Producer<String, String> producer(String... more) {
        return new Producer<>(config(more), new StringSerializer(), new StringSerializer());
    }

    private Producer<String, String> producer(RecoveryListener listener) {
        return new Producer<>(
                config(),
                new StringSerializer(),
                new StringSerializer(),
                new SpoolHooks(listener, VerdictSource.agent()));
    }

    /** Of which the memory holds two, and a batch one. */
    private static ProducerRecord<String, String> aLargeRecord(int number) {
        return new ProducerRecord<>(TOPIC, 0, String.valueOf(number), "x".repeat(15_000));
    }

    private static void result(Delivery delivery) throws Exception {
        delivery.delivered().get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    }

    private static boolean hasFailed(Delivery delivery) {
        return delivery.delivered().isCompletedExceptionally();
    }

    private static void accepted(Delivery delivery) throws Exception {
        delivery.accepted().get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    }

    /** Sends records that fill the memory several times; those in front are in the spool then. */
    private static List<Delivery> fill(Producer<String, String> producer, int from, int to) throws Exception {
        List<Delivery> deliveries = new ArrayList<>();
        for (int number = from; number < to; number++) {
            deliveries.add(producer.send(aLargeRecord(number)));
        }
        accepted(deliveries.get(0));
        return deliveries;
    }

    private List<String> keysInLog() throws IOException {
        return Keys.read(broker, new TopicPartition(TOPIC, 0));
    }

    private static List<String> keys(int to) {
        return IntStream.range(0, to).mapToObj(String::valueOf).toList();
    }

    @ParameterizedTest
    @ValueSource(strings = {"none", "always"})
    void anOutageThatFillsTheMemoryLosesAndFailsNothing(String sync) throws Exception {
        try (Producer<String, String> producer = producer("spool.sync", sync)) {
            result(producer.send(aLargeRecord(0)));
            broker.stop();
            List<Delivery> deliveries = fill(producer, 1, 20);
            assertThat(deliveries.get(0).delivered()).isNotDone();
            assertThat(producer.spool().orElseThrow().bytes()).isGreaterThan(15_000);
            broker.start();
            for (Delivery each : deliveries) {
                result(each);
            }
            assertThat(keysInLog()).isEqualTo(keys(20));
            await().atMost(PATIENCE)
                    .untilAsserted(() ->
                            assertThat(producer.spool().orElseThrow().bytes()).isZero());
            assertThat(producer.freeMemory()).isEqualTo(40_000);
        }
    }

    /** Hears of the records that an earlier producer left. */
    private static final class Heard implements RecoveryListener {
        private final List<RecoveredBatch> delivered = new CopyOnWriteArrayList<>();
        private final List<RecoveredBatch> failed = new CopyOnWriteArrayList<>();

        @Override
        public void onDelivered(RecoveredBatch batch, long baseOffset) {
            delivered.add(batch);
        }

        @Override
        public void onFailed(RecoveredBatch batch, Exception cause) {
            failed.add(batch);
        }

        private void awaitDelivered(int batches) {
            await().atMost(PATIENCE).untilAsserted(() -> assertThat(delivered).hasSize(batches));
        }
    }

    /** Leaves accepted records behind and returns their number; those that follow were never accepted. */
    private int leave() throws Exception {
        Producer<String, String> producer = producer();
        result(producer.send(aLargeRecord(0)));
        broker.stop();
        List<Delivery> deliveries = fill(producer, 1, 12);
        producer.close(Duration.ZERO);
        int accepted = 0;
        for (Delivery each : deliveries) {
            boolean isAccepted = each.accepted()
                    .handle((nothing, failure) -> failure == null)
                    .get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
            accepted += isAccepted ? 1 : 0;
        }
        return accepted;
    }

    @Test
    void whatAnEarlierProducerLeftIsDeliveredOnceAndReported() throws Exception {
        int left = leave();
        Heard heard = new Heard();
        broker.start();
        try (Producer<String, String> producer = producer(heard)) {
            heard.awaitDelivered(left);
            result(producer.send(aLargeRecord(left + 1)));
            assertThat(keysInLog()).isEqualTo(keys(left + 2));
            assertThat(heard.failed).isEmpty();
        }
    }

    @Test
    void newRecordsQueueBehindWhatAnEarlierProducerLeft() throws Exception {
        int left = leave();
        broker.start();
        try (Producer<String, String> producer = producer(new Heard())) {
            result(producer.send(aLargeRecord(left + 1)));
            assertThat(keysInLog()).isEqualTo(keys(left + 2));
        }
    }

    @Test
    void aTornTailOfTheJournalCostsNothingThatWasAccepted() throws Exception {
        int left = leave();
        Path journal = spoolDirectory().resolve("journal");
        byte[] bytes = Files.readAllBytes(journal);
        int end = bytes.length;
        while (bytes[end - 1] == 0) {
            end--;
        }
        bytes[end + 7] = 120; // a length, and nothing behind it
        Files.write(journal, bytes);
        Heard heard = new Heard();
        broker.start();
        try (Producer<String, String> producer = producer(heard)) {
            heard.awaitDelivered(left);
            assertThat(producer.counts().produced()).isZero();
            assertThat(keysInLog()).isEqualTo(keys(left + 1));
        }
    }

    @Test
    void aBatchThatIsDamagedOnTheDiskIsReportedAndTheOthersAreDelivered() throws Exception {
        int left = leave();
        try (Stream<Path> files = Files.list(spoolDirectory())) {
            Path segment = files.filter(file -> file.toString().endsWith(".segment"))
                    .findFirst()
                    .orElseThrow();
            byte[] bytes = Files.readAllBytes(segment);
            bytes[5_000] ^= 1;
            Files.write(segment, bytes);
        }
        Heard heard = new Heard();
        broker.start();
        try (Producer<String, String> producer = producer(heard)) {
            heard.awaitDelivered(left - 1);
            await().atMost(PATIENCE)
                    .untilAsserted(() -> assertThat(heard.failed).hasSize(1));
            assertThat(producer.counts().produced()).isZero();
            assertThat(keysInLog()).doesNotContain("1").hasSize(left);
        }
    }

    @Test
    void aDirectoryThatAnotherProducerHasIsRefused() {
        try (Producer<String, String> first = producer()) {
            assertThatThrownBy(this::producer)
                    .isInstanceOf(ConfigException.class)
                    .hasMessageContaining("spool.dir")
                    .hasMessageContaining(spoolDirectory().toString())
                    .hasMessageContaining("another producer");
            assertThat(first.spool()).isPresent();
        }
    }

    @Test
    void aDirectoryOfSomethingElseIsRefused() throws Exception {
        Files.createDirectories(spoolDirectory());
        Files.writeString(spoolDirectory().resolve("journal"), "somebody else's journal");
        assertThatThrownBy(this::producer)
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("spool.dir")
                .hasMessageContaining("not written by a spool");
    }

    @Test
    void aSpoolWithoutIdempotenceIsRefused() {
        assertThatThrownBy(() -> producer("acks", "1"))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("spool.dir")
                .hasMessageContaining("enable.idempotence");
    }

    @Test
    void aFullSpoolMakesSendBlockAndThenFail() throws Exception {
        try (Producer<String, String> producer = producer("spool.max.bytes", "1048576", "max.block.ms", "3000")) {
            result(producer.send(aLargeRecord(0)));
            broker.stop();
            List<Delivery> deliveries = new ArrayList<>();
            while (deliveries.stream().noneMatch(SpoolTest::hasFailed)) {
                deliveries.add(producer.send(aLargeRecord(deliveries.size() + 1)));
            }
            assertThat(producer.spool().orElseThrow().bytes()).isBetween(900_000L, 1_048_576L);
            broker.start();
            List<String> taken = new ArrayList<>(List.of("0"));
            for (int index = 0; index < deliveries.size(); index++) {
                Delivery each = deliveries.get(index);
                await().atMost(PATIENCE).until(() -> each.delivered().isDone());
                if (hasFailed(each)) {
                    assertThatThrownBy(() -> result(each))
                            .isInstanceOf(ExecutionException.class)
                            .hasCauseInstanceOf(TimeoutException.class)
                            .hasMessageContaining("buffer.memory");
                } else {
                    taken.add(String.valueOf(index + 1));
                }
            }
            assertThat(keysInLog()).isEqualTo(taken);
        }
    }

    @Test
    void anAcceptedRecordIsGivenUpWhenItsRetentionIsOver() throws Exception {
        try (Producer<String, String> producer = producer("spool.retention.ms", "500")) {
            result(producer.send(aLargeRecord(0)));
            broker.stop();
            Delivery first = fill(producer, 1, 6).get(0);
            assertThatThrownBy(() -> result(first))
                    .hasCauseInstanceOf(TimeoutException.class)
                    .hasMessageContaining("spool.retention.ms");
            producer.close(Duration.ZERO);
        }
    }

    @Test
    void aRecordGoesIntoTheSpoolBeforeItsDeliveryTimeIsUpEvenIfThereIsMemory() throws Exception {
        JumpingClock clock = new JumpingClock();
        try (Producer<String, String> producer = new Producer<>(
                config("buffer.memory", "33554432"),
                new StringSerializer(),
                new StringSerializer(),
                new Wiring(clock, EnumSet.of(Watchdog.LOOP)))) { // it would take a skip for a loop that is stuck
            result(producer.send(aLargeRecord(0)));
            broker.stop();
            Delivery delivery = producer.send(aLargeRecord(1));
            clock.skip(Duration.ofSeconds(61), producer.runtime().core().loop());
            accepted(delivery);
            assertThat(delivery.delivered()).isNotDone();
            broker.start();
            result(delivery);
            assertThat(keysInLog()).isEqualTo(keys(2));
        }
    }

    @Test
    void itsMetersTellHowItStands() throws Exception {
        MeterRegistry registry = new SimpleMeterRegistry();
        try (Producer<String, String> producer = producer("client.id", "measured")) {
            producer.spoolMetrics().bindTo(registry);
            assertThat(gauge(registry, "bytes")).isZero();
            assertThat(gauge(registry, "oldest.age.seconds")).isZero();
            assertThat(gauge(registry, "undecided")).isZero();
            result(producer.send(aLargeRecord(0)));
            broker.stop();
            List<Delivery> deliveries = fill(producer, 1, 6);
            assertThat(gauge(registry, "bytes")).isGreaterThan(15_000);
            await().atMost(PATIENCE)
                    .untilAsserted(() ->
                            assertThat(gauge(registry, "oldest.age.seconds")).isPositive());
            broker.start();
            for (Delivery each : deliveries) {
                result(each);
            }
            await().atMost(PATIENCE).untilAsserted(() -> {
                assertThat(gauge(registry, "bytes")).isZero();
                assertThat(gauge(registry, "oldest.age.seconds")).isZero();
            });
        }
    }

    private static double gauge(MeterRegistry registry, String name) {
        return registry.get("faultline.spool." + name)
                .tag("client.id", "measured")
                .gauge()
                .value();
    }
}
