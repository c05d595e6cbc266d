package io.faultline.broker.log;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.RecordBatch;
import org.apache.kafka.common.record.internal.SimpleRecord;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.storage.internals.log.OffsetPosition;
import org.apache.kafka.storage.internals.log.ProducerStateEntry;
import org.apache.kafka.storage.internals.log.ProducerStateManager;
import org.apache.kafka.storage.internals.log.TimestampOffset;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What is left of a log after an orderly stop, and after a crash. */
class LogRecoveryTest {

    private static final int SEGMENT_BYTES = 4_096;
    private static final long PRODUCER = 42;
    private static final int RECORDS_EACH = 3;

    @TempDir
    Path scratch;

    private final LogDirFailureChannel failures = new LogDirFailureChannel(1);
    private final ScheduledThreadPoolExecutor background = new ScheduledThreadPoolExecutor(1);
    private final CountDownLatch flushing = new CountDownLatch(1);
    private LogDirectory directory;
    private File folder;
    private Log log;
    private int sequence;

    @BeforeEach
    void open() throws IOException {
        folder = Files.createDirectory(scratch.resolve("t-0")).toFile();
        start();
    }

    private void start() throws IOException {
        directory = new LogDirectory(scratch.toString(), failures);
        directory.load();
        log = Log.open(folder, directory, LogConfigs.small(SEGMENT_BYTES, 0), background);
    }

    private void stop() throws IOException {
        log.close();
        directory.markCleanShutdown(Map.of("t-0", log.recoveryPoint()));
    }

    private void crash() {
        log.closeHandles();
    }

    /** Keeps rolled segments unflushed from now on. Flushed ones lie before the recovery point, and are not read after a crash. */
    private void holdBackFlushing() {
        background.execute(() -> {
            try {
                flushing.await();
            } catch (InterruptedException ended) {
                Thread.currentThread().interrupt();
            }
        });
    }

    @AfterEach
    void close() {
        log.closeHandles();
        flushing.countDown();
        background.shutdown();
        assertThat(failures.offline()).isEmpty();
    }

    static Stream<Tail> tornTails() {
        byte[] batch = new byte[records(99, 1).sizeInBytes()];
        records(99, 1).buffer().get(batch);
        byte[] wrong = batch.clone();
        wrong[wrong.length - 1] ^= 1;
        byte[] garbage = new byte[777];
        new Random(1).nextBytes(garbage);
        return Stream.of(
                new Tail("half a header", Arrays.copyOf(batch, 40)),
                new Tail("a length", Arrays.copyOf(batch, 12)),
                new Tail("half a body", Arrays.copyOf(batch, 90)),
                new Tail("all but a byte", Arrays.copyOf(batch, batch.length - 1)),
                new Tail("a wrong checksum", wrong),
                new Tail("an offset that was there before", batch),
                new Tail("zeros", new byte[10_000]),
                new Tail("garbage", garbage));
    }

    /**
     * What a crash left at the end of a file.
     *
     * @param name what it is
     * @param bytes it
     */
    record Tail(String name, byte[] bytes) {

        @Override
        public String toString() {
            return name;
        }
    }

    @ParameterizedTest
    @MethodSource("tornTails")
    void aTornTailIsCutAtTheLastWholeBatch(Tail tail) throws IOException {
        append(40);
        LogEnd end = log.end();
        crash();
        Files.write(activeFile(), tail.bytes(), StandardOpenOption.APPEND);

        start();

        assertThat(log.end()).isEqualTo(end);
        assertThat(Files.size(activeFile())).isEqualTo(end.position());
        assertWhole(40);
    }

    @ParameterizedTest
    @MethodSource("tornTails")
    void aTornTailOfAnEmptySegmentIsCut(Tail tail) throws IOException {
        crash();
        // A whole batch is no torn one where nothing was before.
        byte[] bytes = tail.name().startsWith("an offset") ? new byte[1] : tail.bytes();
        Files.write(activeFile(), bytes, StandardOpenOption.APPEND);

        start();

        assertThat(log.end()).isEqualTo(new LogEnd(0, 0, 0));
        append(3);
        assertWhole(3);
    }

    @Test
    void whatLiesBehindATornSegmentIsDeleted() throws IOException {
        holdBackFlushing();
        append(100);
        List<File> files = log.segmentFiles();
        assertThat(files).hasSizeGreaterThan(3);
        crash();
        spoil(files.get(1), 300);

        start();

        assertThat(log.segmentFiles()).isEqualTo(files.subList(0, 2));
        assertThat(names(".index")).hasSize(2);
        assertThat(names(".timeindex")).hasSize(2);
        assertThat(log.end().offset() % RECORDS_EACH).isZero();
        assertWhole((int) (log.end().offset() / RECORDS_EACH));
    }

    @Test
    void aSegmentThatATruncatedLogLeftIsDeleted() throws IOException {
        append(100);
        List<File> files = log.segmentFiles();
        Path last = files.get(files.size() - 1).toPath();
        Path kept = Files.copy(last, scratch.resolve("kept"));
        log.truncateTo(5 * RECORDS_EACH);
        sequence = 5 * RECORDS_EACH;
        append(90);
        crash();
        // As if the power had gone before the name was gone, and the last segment was not the same one then.
        Path stale = LogSegment.file(folder, log.end().offset() - 1, ".log").toPath();
        Files.move(kept, stale);

        start();

        assertThat(stale).doesNotExist();
        assertWhole(95);
    }

    @Test
    void afterAnOrderlyStopTheBatchesAreNotRead() throws IOException {
        append(100);
        LogEnd end = log.end();
        List<File> files = log.segmentFiles();
        stop();
        Map<String, byte[]> indexes = indexes();
        for (File file : files) {
            spoil(file, 100);
        }

        start();

        assertThat(log.end()).isEqualTo(end);
        assertThat(log.segmentFiles()).isEqualTo(files);
        assertThat(indexes()).usingRecursiveComparison().isEqualTo(indexes);
        assertThat(scratch.resolve(".kafka_cleanshutdown"))
                .as("a crash from now on finds none")
                .doesNotExist();
    }

    @Test
    void afterACrashWhatLiesBeforeTheRecoveryPointIsNotRead() throws IOException {
        append(100);
        log.flush();
        assertThat(log.recoveryPoint()).isEqualTo(log.end().offset());
        directory.recoveryPoints().put("t-0", log.recoveryPoint());
        List<File> files = log.segmentFiles();
        LogEnd end = log.end();
        append(1);
        crash();
        for (File file : files.subList(0, files.size() - 1)) {
            spoil(file, 100);
        }
        spoil(files.get(files.size() - 1), end.position() + 70);

        start();

        assertThat(log.end()).isEqualTo(end);
        assertThat(log.recoveryPoint()).isEqualTo(end.offset());
    }

    @Test
    void aDamagedRecoveryPointCheckpointIsAsGoodAsNone() throws IOException {
        append(100);
        crash();
        Files.writeString(scratch.resolve("recovery-point-offset-checkpoint"), "0\n1\nt 0 many\n");
        Files.write(activeFile(), new byte[1_000], StandardOpenOption.APPEND);
        start();
        assertWhole(100);
    }

    @Test
    void aTruncationTakesTheRecoveryPointBack() throws IOException {
        append(10);
        log.flush();
        directory.recoveryPoints().put("t-0", log.recoveryPoint());
        log.truncateTo(15);
        sequence = 15;
        holdBackFlushing();
        append(20);
        crash();
        spoil(log.segmentFiles().get(0), 6 * records(0, 0).sizeInBytes() + 70);

        start();

        assertThat(log.end().offset()).isEqualTo(18);
    }

    static Stream<Damage> damages() {
        return Stream.of(
                new Damage("missing", bytes -> null),
                new Damage("empty", bytes -> new byte[0]),
                new Damage("cut within an entry", bytes -> Arrays.copyOf(bytes, bytes.length - 3)),
                new Damage("zeros at the end", bytes -> Arrays.copyOf(bytes, bytes.length + 120)),
                new Damage("zeros", bytes -> new byte[bytes.length]),
                new Damage("another entry last", bytes -> {
                    byte[] other = bytes.clone();
                    other[other.length - 1] ^= 1;
                    return other;
                }),
                new Damage("foreign", bytes -> {
                    byte[] foreign = new byte[bytes.length];
                    new Random(1).nextBytes(foreign);
                    return foreign;
                }));
    }

    /**
     * What happened to an index.
     *
     * @param name what
     * @param done from its bytes to others; to null for no file
     */
    record Damage(String name, UnaryOperator<byte[]> done) {

        @Override
        public String toString() {
            return name;
        }
    }

    @ParameterizedTest
    @MethodSource("damages")
    void indexesThatDisagreeWithTheirSegmentAreBuiltAnew(Damage damage) throws IOException {
        append(100);
        stop();
        Map<String, byte[]> indexes = indexes();
        for (String suffix : List.of(".index", ".timeindex")) {
            for (String name : names(suffix)) {
                byte[] damaged = damage.done().apply(indexes.get(name));
                Files.delete(folder.toPath().resolve(name));
                if (damaged != null) {
                    Files.write(folder.toPath().resolve(name), damaged);
                }
            }
            start();
            assertThat(indexes()).usingRecursiveComparison().isEqualTo(indexes);
            assertWhole(100);
            stop();
        }
    }

    @Test
    void indexesWithoutASegmentAreDeleted() throws IOException {
        stop();
        Path orphan = Files.createFile(folder.toPath().resolve("00000000000000000099.index"));
        start();
        assertThat(orphan).doesNotExist();
    }

    @Test
    void aFullIndexRollsTheSegment() throws IOException {
        log.reconfigure(
                TopicConfig.NONE.change(Map.of("segment.index.bytes", "48")).applyTo(LogConfigs.small(1 << 20, 0)));
        append(100);
        assertThat(log.segmentFiles()).hasSizeGreaterThan(3);
        assertThat(indexes().values())
                .allSatisfy(index -> assertThat(index.length).isBetween(0, 48));
        assertWhole(100);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void offsetsAndTimesAreFoundAsBefore(boolean orderly) throws IOException {
        append(100);
        List<Integer> positions = new ArrayList<>();
        for (long offset = 0; offset < 300; offset++) {
            positions.add(log.read(offset, 1, true).position());
        }
        restart(orderly);
        for (long offset = 0; offset < 300; offset++) {
            assertThat(log.read(offset, 1, true).position()).isEqualTo(positions.get((int) offset));
            assertThat(log.findByTimestamp(time(offset)).orElseThrow().offset).isEqualTo(offset);
        }
        assertThat(log.findByTimestamp(time(300))).isEmpty();
        assertThat(log.findLargestTimestamp().orElseThrow().offset).isEqualTo(299);
    }

    private void restart(boolean orderly) throws IOException {
        if (orderly) {
            stop();
        } else {
            crash();
        }
        start();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void theLastFiveBatchesOfAProducerAreKnown(boolean orderly) throws IOException {
        append(100);
        restart(orderly);
        for (int batch = 95; batch < 100; batch++) {
            long offset = (long) batch * RECORDS_EACH;
            assertThat(log.append(records(batch * RECORDS_EACH, offset))).isEqualTo(offset);
        }
        assertThat(log.end().offset()).isEqualTo(300);
        append(1);
        assertThat(log.end().offset()).isEqualTo(303);
    }

    @Test
    void producersAreReadFromTheSnapshotAndNotFromTheLog() throws IOException {
        append(100);
        stop();
        for (File file : log.segmentFiles()) {
            // Where the headers of its batches have their producer.
            overwrite(file, 43, new byte[8]);
        }
        start();
        assertThat(log.activeProducers())
                .containsExactly(new ActiveProducer(PRODUCER, (short) 0, sequence - 1, time(299)));
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 5, 9, 100})
    void aTornSnapshotIsNotTaken(int bytes) throws IOException {
        append(100);
        stop();
        for (String name : names(".snapshot")) {
            Path snapshot = folder.toPath().resolve(name);
            Files.write(snapshot, Arrays.copyOf(Files.readAllBytes(snapshot), bytes));
        }
        start();
        assertThat(log.append(records(97 * RECORDS_EACH, 0))).isEqualTo(97 * RECORDS_EACH);
        assertThat(names(".snapshot")).isEmpty();
    }

    @Test
    void snapshotsOfRecordsThatACrashTookAwayAreNotTaken() throws IOException {
        append(100);
        stop();
        Files.delete(scratch.resolve(".kafka_cleanshutdown"));
        Files.delete(scratch.resolve("recovery-point-offset-checkpoint"));
        for (File file : log.segmentFiles()) {
            Files.delete(file.toPath());
        }
        start();
        assertThat(log.end().offset()).isZero();
        assertThat(log.activeProducers()).isEmpty();
        assertThat(names(".snapshot")).isEmpty();
    }

    @Test
    void kafkaReadsTheIndexesAndSnapshots() throws IOException {
        append(100);
        stop();
        for (File file : log.segmentFiles()) {
            long base = LogSegment.baseOffset(file);
            List<OffsetPosition> offsets = new ArrayList<>();
            List<TimestampOffset> times = new ArrayList<>();
            try (var index = new org.apache.kafka.storage.internals.log.OffsetIndex(
                            LogSegment.file(folder, base, OffsetIndex.SUFFIX), base, -1, false);
                    var timeIndex = new org.apache.kafka.storage.internals.log.TimeIndex(
                            LogSegment.file(folder, base, TimeIndex.SUFFIX), base, -1, false)) {
                index.sanityCheck();
                timeIndex.sanityCheck();
                for (int entry = 0; entry < index.entries(); entry++) {
                    offsets.add(index.entry(entry));
                }
                for (int entry = 0; entry < timeIndex.entries(); entry++) {
                    times.add(timeIndex.entry(entry));
                }
            }
            start();
            assertThat(offsets)
                    .allSatisfy(entry -> assertThat(
                                    log.read(entry.offset(), 1, true).position())
                            .isEqualTo(entry.position()));
            assertThat(times)
                    .isNotEmpty()
                    .allSatisfy(entry -> assertThat(entry.timestamp()).isEqualTo(time(entry.offset())));
            stop();
        }
        List<ProducerStateEntry> producers = ProducerStateManager.readSnapshot(
                LogSegment.file(folder, log.end().offset(), ".snapshot"));
        assertThat(producers)
                .hasSize(5)
                .allSatisfy(entry -> assertThat(entry.producerId()).isEqualTo(PRODUCER));
        assertThat(producers.get(4).lastDataOffset()).isEqualTo(299);
    }

    @Test
    void kafkaOpensTheSegments() throws IOException {
        append(100);
        stop();
        for (File file : log.segmentFiles()) {
            try (var segment = org.apache.kafka.storage.internals.log.LogSegment.open(
                    folder,
                    LogSegment.baseOffset(file),
                    new org.apache.kafka.storage.internals.log.LogConfig(Map.of()),
                    Time.SYSTEM,
                    true,
                    1 << 20,
                    false,
                    "")) {
                segment.sanityCheck(false);
                assertThat(segment.readNextOffset()).isGreaterThan(segment.baseOffset());
            }
        }
    }

    /** All that was appended is there, can be found, and the indexes are as they would be built anew. */
    private void assertWhole(int batches) throws IOException {
        assertThat(log.end().offset()).isEqualTo((long) batches * RECORDS_EACH);
        long next = 0;
        while (next < log.end().offset()) {
            for (RecordBatch batch :
                    log.read(next, SEGMENT_BYTES, true).records().batches()) {
                batch.ensureValid();
                assertThat(batch.baseOffset()).isEqualTo(next);
                next = batch.nextOffset();
            }
        }
        assertThat(log.activeProducers())
                .containsExactly(new ActiveProducer(PRODUCER, (short) 0, batches * RECORDS_EACH - 1, time(next - 1)));
        log.close();
        Map<String, byte[]> indexes = indexes();
        for (String name : indexes.keySet()) {
            Files.delete(folder.toPath().resolve(name));
        }
        start();
        assertThat(indexes()).usingRecursiveComparison().isEqualTo(indexes);
    }

    private void append(int batches) {
        for (int batch = 0; batch < batches; batch++) {
            log.append(records(sequence, log.end().offset()));
            sequence += RECORDS_EACH;
        }
    }

    private static MemoryRecords records(int sequence, long offset) {
        SimpleRecord[] records = new SimpleRecord[RECORDS_EACH];
        for (int index = 0; index < RECORDS_EACH; index++) {
            records[index] = new SimpleRecord(time(offset + index), new byte[50]);
        }
        return MemoryRecords.withIdempotentRecords(Compression.NONE, PRODUCER, (short) 0, sequence, records);
    }

    private static long time(long offset) {
        return 1_000_000 + offset * 10;
    }

    private static void spoil(File file, int position) throws IOException {
        byte[] bytes = Files.readAllBytes(file.toPath());
        bytes[position] ^= 1;
        Files.write(file.toPath(), bytes);
    }

    private static void overwrite(File file, int position, byte[] with) throws IOException {
        byte[] bytes = Files.readAllBytes(file.toPath());
        ByteBuffer.wrap(bytes).position(position).put(with);
        Files.write(file.toPath(), bytes);
    }

    private Path activeFile() {
        List<File> files = log.segmentFiles();
        return files.get(files.size() - 1).toPath();
    }

    private Map<String, byte[]> indexes() throws IOException {
        Map<String, byte[]> indexes = new TreeMap<>();
        for (String suffix : List.of(".index", ".timeindex")) {
            for (String name : names(suffix)) {
                indexes.put(name, Files.readAllBytes(folder.toPath().resolve(name)));
            }
        }
        return indexes;
    }

    private List<String> names(String suffix) {
        return Stream.of(folder.list())
                .filter(name -> name.endsWith(suffix))
                .sorted()
                .toList();
    }
}
