package io.faultline.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.faultline.broker.EmbeddedBroker;
import io.faultline.classifier.FailureClassifier;
import io.faultline.classifier.FailureFeed;
import io.faultline.client.spool.RecoveryListener;
import io.faultline.client.spool.SpoolHooks;
import io.faultline.client.spool.VerdictSource;
import io.faultline.client.watchdog.Watchdog;
import io.faultline.disk.FailingDisk;
import io.faultline.disk.HungDisk;
import io.faultline.disk.NeedsFailingDisk;
import io.faultline.disk.NeedsHungDisk;
import io.faultline.disk.NeedsTruncatedDisk;
import io.faultline.disk.TruncatedDisk;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.KafkaStorageException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A spool whose disk fails, hangs or is full. */
class SpoolDiskTest {

    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final String TOPIC = "t";
    private static final int RECORDS = 12;
    private static final Duration TWICE_THE_PATIENCE_WITH_A_VERDICT = Duration.ofSeconds(4);

    /** In the middle of the third batch. */
    private static final int POISONED = 36_864;

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

    private Producer<String, String> producer(Path disk, VerdictSource verdicts, String... more) {
        return producer(Wiring.production(), disk, verdicts, more);
    }

    private Producer<String, String> producer(Wiring wiring, Path disk, VerdictSource verdicts, String... more) {
        Map<String, String> config = new HashMap<>(Map.of(
                "bootstrap.servers", broker.bootstrapServers(),
                "spool.dir", disk.resolve("spool").toString(),
                "linger.ms", "0",
                "request.timeout.ms", "1500",
                "delivery.timeout.ms", "6000"));
        for (int index = 0; index < more.length; index += 2) {
            config.put(more[index], more[index + 1]);
        }
        return new Producer<>(
                config,
                new StringSerializer(),
                new StringSerializer(),
                new SpoolHooks(RecoveryListener.NONE, verdicts),
                wiring);
    }

    private static ProducerRecord<String, String> aRecord(int partition, int number) {
        return new ProducerRecord<>(TOPIC, partition, String.valueOf(number), "x".repeat(15_000));
    }

    private static void result(Delivery delivery) throws Exception {
        delivery.delivered().get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    }

    /** Records that are all in the spool, each in a batch of its own, while the broker is away. */
    private List<Delivery> spool(Producer<String, String> producer) throws Exception {
        result(producer.send(aRecord(0, 0)));
        result(producer.send(aRecord(1, 0)));
        broker.stop();
        List<Delivery> deliveries = new ArrayList<>();
        for (int number = 1; number <= RECORDS; number++) {
            deliveries.add(producer.send(aRecord(0, number)));
        }
        for (Delivery each : deliveries) {
            each.accepted().get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        }
        return deliveries;
    }

    private static Path segment(Path disk) throws IOException {
        try (Stream<Path> files = Files.list(disk.resolve("spool"))) {
            return files.filter(file -> file.toString().endsWith(".segment"))
                    .findFirst()
                    .orElseThrow();
        }
    }

    private List<String> keysInLog() {
        return Keys.read(broker, new TopicPartition(TOPIC, 0));
    }

    private static List<String> keys() {
        return IntStream.rangeClosed(0, RECORDS).mapToObj(String::valueOf).toList();
    }

    private void assertThatOnlyTheUnreadableBatchFails(FailingDisk disk, Producer<String, String> producer)
            throws Exception {
        List<Delivery> deliveries = spool(producer);
        Path segment = segment(disk.directory());
        disk.poison(segment, POISONED, FailingDisk.BLOCK_SIZE);
        broker.start();
        Delivery lost = deliveries.get(2);
        assertThatThrownBy(() -> result(lost)).hasCauseInstanceOf(KafkaStorageException.class);
        for (Delivery each : deliveries) {
            if (each != lost) {
                result(each);
            }
        }
        List<String> others = new ArrayList<>(keys());
        others.remove("3");
        assertThat(keysInLog()).isEqualTo(others);
        assertThat(segment).doesNotExist();
        assertThat(segment.resolveSibling(segment.getFileName() + ".unreadable"))
                .exists();
    }

    @Test
    @NeedsFailingDisk
    void aVerdictOfDiskFailsWhatLiesThereAndTheRestIsDelivered(FailingDisk disk) throws Exception {
        FailureFeed feed = new FailureFeed();
        try (FailureClassifier classifier = FailureClassifier.publishingTo(feed).build();
                Producer<String, String> producer =
                        producer(disk.directory(), new VerdictSource(feed, classifier::submit))) {
            assertThatOnlyTheUnreadableBatchFails(disk, producer);
            assertThat(producer.runtime().core().trips().count(Watchdog.VERDICT))
                    .isZero();
        }
    }

    @Test
    @NeedsFailingDisk
    void withoutAVerdictAPlainReadDecides(FailingDisk disk) throws Exception {
        try (Producer<String, String> producer =
                producer(disk.directory(), new VerdictSource(new FailureFeed(), transfer -> {}))) {
            assertThatOnlyTheUnreadableBatchFails(disk, producer);
            assertThat(producer.runtime().core().trips().count(Watchdog.VERDICT))
                    .isPositive();
        }
    }

    @Test
    @NeedsFailingDisk
    void withoutItsWatchdogAVerdictIsWaitedForForEver(FailingDisk disk) throws Exception {
        CountDownLatch submitted = new CountDownLatch(1);
        VerdictSource silent = new VerdictSource(new FailureFeed(), transfer -> submitted.countDown());
        try (Producer<String, String> producer = producer(Wiring.without(Watchdog.VERDICT), disk.directory(), silent)) {
            List<Delivery> deliveries = spool(producer);
            disk.poison(segment(disk.directory()), POISONED, FailingDisk.BLOCK_SIZE);
            broker.start();
            assertThat(submitted.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
            await().during(TWICE_THE_PATIENCE_WITH_A_VERDICT)
                    .atMost(PATIENCE)
                    .until(() -> !deliveries.get(2).delivered().isDone());
            producer.close(Duration.ZERO);
        }
    }

    @Test
    @NeedsHungDisk
    void aDiskThatHangsHoldsUpNoRecordInMemory(HungDisk disk) throws Exception {
        try (Producer<String, String> producer =
                producer(disk.directory(), VerdictSource.agent(), "spool.timeout.ms", "1000")) {
            List<Delivery> deliveries = spool(producer);
            disk.dropCache(segment(disk.directory()));
            disk.hang();
            broker.start();
            await().atMost(PATIENCE)
                    .until(() -> producer.runtime().core().trips().count(Watchdog.SPOOL) > 0);
            for (int number = 1; number < 10; number++) {
                result(producer.send(aRecord(1, number)));
            }
            assertThat(deliveries).noneMatch(each -> each.delivered().isDone());
            disk.resume();
            for (Delivery each : deliveries) {
                result(each);
            }
            assertThat(keysInLog()).isEqualTo(keys());
        }
    }

    @Test
    @NeedsHungDisk
    void aDiskThatHangsFromTheBeginningCostsOnlyTheSpool(HungDisk disk) throws Exception {
        Files.createDirectory(disk.directory().resolve("spool"));
        disk.hang();
        try (Producer<String, String> producer =
                producer(disk.directory(), VerdictSource.agent(), "spool.timeout.ms", "500")) {
            result(producer.send(aRecord(0, 0)));
        } finally {
            disk.resume();
        }
    }

    @Test
    @NeedsTruncatedDisk
    void whatIsInTheSpoolOfAFullDiskIsDelivered(TruncatedDisk disk) throws Exception {
        try (Producer<String, String> producer =
                producer(disk.directory(), VerdictSource.agent(), "max.block.ms", "3000", "buffer.memory", "40000")) {
            List<Delivery> deliveries = spool(producer);
            fill(disk.directory().resolve("of somebody else"));
            Delivery last = producer.send(aRecord(0, RECORDS + 1));
            while (!last.delivered().isCompletedExceptionally()) {
                last = producer.send(aRecord(0, RECORDS + 1));
            }
            Delivery refused = last;
            assertThatThrownBy(() -> result(refused)).hasCauseInstanceOf(TimeoutException.class);
            broker.start();
            for (Delivery each : deliveries) {
                result(each);
            }
            assertThat(keysInLog()).startsWith(keys().toArray(String[]::new));
        }
    }

    private static void fill(Path file) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
            for (int size = 1 << 20; size > 0; size /= 2) {
                fill(channel, size);
            }
        }
    }

    private static void fill(FileChannel channel, int size) {
        try {
            while (channel.write(ByteBuffer.allocate(size)) > 0) {
                channel.force(false);
            }
        } catch (IOException expected) {
            // The disk is full.
        }
    }
}
