package io.faultline.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.faultline.broker.EmbeddedBroker;
import io.faultline.classifier.Classification;
import io.faultline.classifier.FailedTransfer;
import io.faultline.classifier.FailureClassifier;
import io.faultline.classifier.FailureFeed;
import io.faultline.classifier.Reason;
import io.faultline.classifier.Verdict;
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
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
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
import org.junit.jupiter.api.io.TempDir;

/** A spool whose disk fails, hangs or is full. */
class SpoolDiskTest {

    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final String TOPIC = "t";
    private static final int RECORDS = 12;

    /** Half of the default of {@code delivery.timeout.ms}, and a little. */
    private static final Duration UNTIL_SPOOLED = Duration.ofSeconds(61);

    /** In the middle of the third batch. */
    private static final int POISONED = 36_864;

    private final JumpingClock clock = new JumpingClock();
    private EmbeddedBroker broker;

    @BeforeEach
    void start() throws IOException {
        broker = EmbeddedBroker.builder().tls().start();
        broker.topics().create(TOPIC, 2);
    }

    @AfterEach
    void stop() {
        broker.close();
    }

    private Producer<String, String> producer(Path disk, VerdictSource verdicts, String... more) {
        return producer(without(), disk, verdicts, more);
    }

    /** On a clock that skips; the watchdog of the loop would take that for a loop that is stuck. */
    private Wiring without(Watchdog... some) {
        Set<Watchdog> disabled = EnumSet.of(Watchdog.LOOP, some);
        return new Wiring(clock, disabled);
    }

    private Producer<String, String> producer(Wiring wiring, Path disk, VerdictSource verdicts, String... more) {
        Map<String, String> config = new HashMap<>(Map.of(
                "bootstrap.servers", broker.bootstrapServers(),
                "spool.dir", disk.resolve("spool").toString(),
                "linger.ms", "0"));
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
        clock.skip(UNTIL_SPOOLED, producer.runtime().core().loop());
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
        assertThatOnlyTheUnreadableBatchFails(disk, spool(producer));
    }

    private void assertThatOnlyTheUnreadableBatchFails(FailingDisk disk, List<Delivery> deliveries) throws Exception {
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

    /** What a test does between a failed transfer and its check. */
    private interface Preparation {
        void make() throws IOException;
    }

    /** Where transfers are handed in: prepared on a thread of their own, since the loop must not wait. */
    private static Consumer<FailedTransfer> prepared(Preparation preparation, FailureClassifier classifier) {
        return transfer -> CompletableFuture.runAsync(() -> {
            try {
                preparation.make();
            } catch (IOException failure) {
                throw new UncheckedIOException(failure);
            }
            classifier.submit(transfer);
        });
    }

    private void assertThatEverythingIsDeliveredThoughATransferFails(
            FailingDisk disk, Producer<String, String> producer) throws Exception {
        List<Delivery> deliveries = spool(producer);
        disk.poison(segment(disk.directory()), POISONED, FailingDisk.BLOCK_SIZE);
        broker.start();
        for (Delivery each : deliveries) {
            result(each);
        }
        assertThat(keysInLog()).isEqualTo(keys());
        try (Stream<Path> files = Files.list(disk.directory().resolve("spool"))) {
            assertThat(files).noneMatch(file -> file.toString().endsWith(".unreadable"));
        }
    }

    private static void assertThatItsConnectionWasCondemned(Classification verdict) {
        assertThat(((SocketChannel) verdict.target()).isOpen()).isFalse();
    }

    /** What cannot be read when it is sent can be read when it is checked: as far as anybody can tell it was the peer. */
    @Test
    @NeedsFailingDisk
    void aVerdictOfSocketHasTheBatchSentAgainOnAnotherConnection(FailingDisk disk) throws Exception {
        FailureFeed feed = new FailureFeed();
        BlockingQueue<Classification> verdicts = new LinkedBlockingQueue<>();
        feed.observe("test", verdicts::add);
        Preparation heal = () -> disk.heal(segment(disk.directory()), POISONED, FailingDisk.BLOCK_SIZE);
        try (FailureClassifier classifier = FailureClassifier.publishingTo(feed).build();
                Producer<String, String> producer = producer(
                        without(Watchdog.VERDICT),
                        disk.directory(),
                        new VerdictSource(feed, prepared(heal, classifier)))) {
            assertThatEverythingIsDeliveredThoughATransferFails(disk, producer);
        }
        Classification verdict = verdicts.poll(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        assertThat(verdict.verdict()).isEqualTo(Verdict.SOCKET);
        assertThat(verdict.reason()).isEqualTo(Reason.REGION_READABLE);
        assertThatItsConnectionWasCondemned(verdict);
    }

    /** The file is shorter when it is checked, and as it was when it is sent again. */
    @Test
    @NeedsFailingDisk
    void anInconclusiveVerdictHasTheBatchSentAgainOnAnotherConnection(FailingDisk disk) throws Exception {
        FailureFeed checked = new FailureFeed();
        FailureFeed restored = new FailureFeed();
        BlockingQueue<Classification> verdicts = new LinkedBlockingQueue<>();
        AtomicReference<byte[]> whole = new AtomicReference<>();
        Preparation cut = () -> {
            Path segment = segment(disk.directory());
            disk.heal(segment, POISONED, FailingDisk.BLOCK_SIZE);
            whole.set(Files.readAllBytes(segment));
            try (FileChannel file = FileChannel.open(segment, StandardOpenOption.WRITE)) {
                file.truncate(POISONED);
            }
        };
        checked.observe("restoring", verdict -> {
            try (FileChannel file = FileChannel.open(segment(disk.directory()), StandardOpenOption.WRITE)) {
                file.write(ByteBuffer.wrap(whole.get()).position(POISONED), POISONED);
            } catch (IOException failure) {
                throw new UncheckedIOException(failure);
            }
            verdicts.add(verdict);
            restored.publish(verdict);
        });
        try (FailureClassifier classifier =
                        FailureClassifier.publishingTo(checked).build();
                Producer<String, String> producer = producer(
                        without(Watchdog.VERDICT),
                        disk.directory(),
                        new VerdictSource(restored, prepared(cut, classifier)))) {
            assertThatEverythingIsDeliveredThoughATransferFails(disk, producer);
        }
        Classification verdict = verdicts.remove();
        assertThat(verdict.verdict()).isEqualTo(Verdict.INCONCLUSIVE);
        assertThat(verdict.reason()).isEqualTo(Reason.END_OF_FILE);
        assertThatItsConnectionWasCondemned(verdict);
    }

    /** Nobody checks anything; the loop comes no further than the handing in before the block can be read again. */
    @Test
    @NeedsFailingDisk
    void withoutAVerdictWhatAPlainReadFindsReadableIsSentAgain(FailingDisk disk) throws Exception {
        VerdictSource silent = new VerdictSource(new FailureFeed(), transfer -> {
            try {
                disk.heal(segment(disk.directory()), POISONED, FailingDisk.BLOCK_SIZE);
            } catch (IOException failure) {
                throw new UncheckedIOException(failure);
            }
        });
        try (Producer<String, String> producer = producer(disk.directory(), silent)) {
            assertThatEverythingIsDeliveredThoughATransferFails(disk, producer);
            assertThat(producer.runtime().core().trips().count(Watchdog.VERDICT))
                    .isEqualTo(1);
        }
    }

    @Test
    @NeedsFailingDisk
    void withoutItsWatchdogAVerdictIsWaitedForForEver(FailingDisk disk) throws Exception {
        CountDownLatch submitted = new CountDownLatch(1);
        VerdictSource silent = new VerdictSource(new FailureFeed(), transfer -> submitted.countDown());
        try (Producer<String, String> producer = producer(without(Watchdog.VERDICT), disk.directory(), silent)) {
            List<Delivery> deliveries = spool(producer);
            disk.poison(segment(disk.directory()), POISONED, FailingDisk.BLOCK_SIZE);
            broker.start();
            assertThat(submitted.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
            clock.skip(Duration.ofMinutes(1), producer.runtime().core().loop());
            assertThat(deliveries.get(2).delivered()).isNotDone();
            producer.close(Duration.ZERO);
        }
    }

    @Test
    @NeedsFailingDisk
    void overTlsTheReadItselfTellsAndNoVerdictIsWaitedFor(FailingDisk disk) throws Exception {
        String[] tls = Stream.concat(
                        Stream.of("bootstrap.servers", broker.sslBootstrapServers()),
                        broker.clientTlsProperties().entrySet().stream()
                                .flatMap(each -> Stream.of(each.getKey(), each.getValue())))
                .toArray(String[]::new);
        try (Producer<String, String> producer =
                producer(disk.directory(), new VerdictSource(new FailureFeed(), transfer -> {}), tls)) {
            assertThatOnlyTheUnreadableBatchFails(disk, producer);
            assertThat(producer.runtime().core().trips().count(Watchdog.VERDICT))
                    .isZero();
        }
    }

    @Test
    @NeedsFailingDisk
    void aVerdictMovesNoOtherClientOfTheSameFeed(FailingDisk disk) throws Exception {
        FailureFeed feed = new FailureFeed();
        try (FailureClassifier classifier = FailureClassifier.publishingTo(feed).build();
                Producer<String, String> failing =
                        producer(disk.directory(), new VerdictSource(feed, classifier::submit));
                Producer<String, String> other =
                        producer(disk.directory().resolve("other"), new VerdictSource(feed, classifier::submit))) {
            result(other.send(aRecord(1, 0)));
            List<Delivery> ofFailing = spool(failing);
            Delivery ofOther = other.send(aRecord(1, 1));
            clock.skip(UNTIL_SPOOLED, other.runtime().core().loop());
            ofOther.accepted().get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
            assertThatOnlyTheUnreadableBatchFails(disk, ofFailing);
            result(ofOther);
            assertThat(other.counts().failed()).isZero();
            try (Stream<Path> files =
                    Files.list(disk.directory().resolve("other").resolve("spool"))) {
                assertThat(files).noneMatch(file -> file.toString().endsWith(".unreadable"));
            }
        }
    }

    @Test
    void whatLiesBehindTheEndOfASegmentThatWasCutFailsAndTheRestIsDelivered(@TempDir Path folder) throws Exception {
        try (Producer<String, String> producer = producer(folder, VerdictSource.agent())) {
            List<Delivery> deliveries = spool(producer);
            try (FileChannel file = FileChannel.open(segment(folder), StandardOpenOption.WRITE)) {
                file.truncate(POISONED);
            }
            broker.start();
            result(deliveries.get(0));
            result(deliveries.get(1));
            for (Delivery each : deliveries.subList(2, RECORDS)) {
                assertThatThrownBy(() -> result(each)).hasCauseInstanceOf(KafkaStorageException.class);
            }
            assertThat(keysInLog()).isEqualTo(keys().subList(0, 3));
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
