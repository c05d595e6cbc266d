package io.faultline.broker.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.errors.NotLeaderOrFollowerException;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.Record;
import org.apache.kafka.common.record.internal.RecordBatch;
import org.apache.kafka.common.record.internal.SimpleRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class CompactionTest {

    private static final int SEGMENT_BYTES = 4_096;
    private static final long A_DAY_MS = 86_400_000;
    private static final long PRODUCER = 7;

    @TempDir
    Path scratch;

    private final LogDirFailureChannel failures = new LogDirFailureChannel(1);
    private final ScheduledThreadPoolExecutor deletions = new ScheduledThreadPoolExecutor(1);
    private LogDirectory directory;
    private File folder;
    private Log log;

    @BeforeEach
    void open() throws IOException {
        directory = new LogDirectory(scratch.toString(), failures);
        directory.startOffsets().load();
        folder = scratch.resolve("t-0").toFile();
        Files.createDirectories(folder.toPath());
        reopen();
    }

    private void reopen() throws IOException {
        if (log != null) {
            log.close();
        }
        log = Log.open(folder, directory, LogConfigs.compacted(SEGMENT_BYTES, A_DAY_MS), deletions);
    }

    @AfterEach
    void close() {
        log.close();
        deletions.shutdownNow();
        assertThat(failures.offline()).isEmpty();
    }

    @Test
    void theNewestRecordOfEachKeyStaysAtItsOffset() throws IOException {
        append("a", "1");
        append("b", "1");
        append("a", "2");
        log.roll();
        log.compact();
        assertThat(records()).containsExactly("1 b=1", "2 a=2");
        assertThat(log.end().offset()).isEqualTo(3);
        reopen();
        assertThat(records()).containsExactly("1 b=1", "2 a=2");
        assertThat(append("c", "1")).isEqualTo(3);
    }

    @Test
    void aRecordOfABatchGoesAndTheOthersStay() {
        log.append(MemoryRecords.withRecords(
                Compression.gzip().build(), record("a", "1"), record("b", "1"), record("a", "2")));
        log.roll();
        log.compact();
        assertThat(records()).containsExactly("1 b=1", "2 a=2");
    }

    @Test
    void theActiveSegmentIsLeftAlone() {
        append("a", "1");
        log.roll();
        append("a", "2");
        log.compact();
        assertThat(records()).containsExactly("0 a=1", "1 a=2");
    }

    @Test
    void whatComesLaterSupersedesWhatWasCompactedAlready() {
        append("a", "1");
        append("b", "1");
        log.roll();
        log.compact();
        append("a", "2");
        log.roll();
        log.compact();
        assertThat(records()).containsExactly("1 b=1", "2 a=2");
    }

    @Test
    void anEmptiedLogIsReadFromItsStartOn() {
        append("a", "1");
        log.roll();
        append("a", "2");
        log.roll();
        append("a", "3");
        log.roll();
        log.compact();
        assertThat(log.startOffset()).isZero();
        assertThat(records()).containsExactly("2 a=3");
        for (long offset = 0; offset < 3; offset++) {
            assertThat(log.read(offset, SEGMENT_BYTES, true)
                            .records()
                            .records()
                            .iterator()
                            .next()
                            .offset())
                    .isEqualTo(2);
        }
    }

    @Test
    void aDeletionStaysForItsTime() {
        append("a", "1");
        append("a", null);
        log.roll();
        for (String later : List.of("1", "2")) {
            log.compact();
            append("b", later);
            log.roll();
        }
        assertThat(records()).containsExactly("1 a=null", "2 b=1", "3 b=2");
    }

    @Test
    void aDeletionGoesWithTheNextCompactionBehindItsTime() {
        reconfigure("delete.retention.ms", "0");
        append("a", "1");
        append("a", null);
        log.roll();
        log.compact();
        assertThat(records()).containsExactly("1 a=null");
        append("b", "1");
        log.roll();
        log.compact();
        assertThat(records()).containsExactly("2 b=1");
    }

    @Test
    void aLogOfWhichNothingIsLeftGoesOn() throws IOException {
        reconfigure("delete.retention.ms", "0");
        append("a", null);
        log.roll();
        for (int round = 0; round < 2; round++) {
            log.compact();
            log.roll();
        }
        append("b", "1");
        log.roll();
        log.compact();
        assertThat(records()).containsExactly("1 b=1");
        reopen();
        assertThat(records()).containsExactly("1 b=1");
    }

    @Test
    void aResponseInFlightGoesOnWithTheOldFile() {
        reconfigure("file.delete.delay.ms", Long.toString(A_DAY_MS));
        append("a", "1");
        append("a", "2");
        log.roll();
        var inFlight = log.read(0, SEGMENT_BYTES, true).records();
        log.compact();
        List<Long> offsets = new ArrayList<>();
        inFlight.records().forEach(record -> offsets.add(record.offset()));
        assertThat(offsets).startsWith(0L);
    }

    @Test
    void aProducerIsKnownThoughItsRecordsWent() throws IOException {
        for (int sequence = 0; sequence < 8; sequence++) {
            appendIdempotent(sequence, "a");
        }
        append("a", "last");
        log.roll();
        log.compact();
        assertThat(records()).containsExactly("8 a=last");
        reopen();
        for (int sequence = 3; sequence < 8; sequence++) {
            assertThat(appendIdempotent(sequence, "a")).isEqualTo(sequence);
        }
        assertThat(log.end().offset()).isEqualTo(9);
        assertThat(appendIdempotent(8, "a")).isEqualTo(9);
    }

    @Test
    void aLogThatIsMostlyCompactedIsLeftAlone() {
        reconfigure("min.cleanable.dirty.ratio", "0.9");
        append("a", "1");
        log.roll();
        log.compact();
        append("a", "2");
        log.roll();
        log.compact();
        assertThat(records()).containsExactly("0 a=1", "1 a=2");
        reconfigure("min.cleanable.dirty.ratio", "0.1");
        log.compact();
        assertThat(records()).containsExactly("1 a=2");
    }

    @Test
    void recordsThatAreTooNewAreLeftAlone() {
        reconfigure("min.compaction.lag.ms", Long.toString(A_DAY_MS));
        append("a", "1");
        append("a", "2");
        log.roll();
        log.compact();
        assertThat(records()).hasSize(2);
    }

    @Test
    void aLogThatIsTruncatedIsCompactedFromTheStart() {
        append("a", "1");
        append("b", "1");
        log.roll();
        log.compact();
        log.truncateTo(1);
        append("a", "2");
        log.roll();
        log.compact();
        assertThat(records()).containsExactly("1 a=2");
    }

    @Test
    void withoutThePolicyNothingIsCompactedAndWithItAloneNothingIsDeleted() {
        append("a", "1");
        append("a", "2");
        log.roll();
        reconfigure("cleanup.policy", "delete");
        log.compact();
        assertThat(records()).hasSize(2);

        log.reconfigure(TopicConfig.NONE
                .change(Map.of("retention.bytes", "0"))
                .applyTo(LogConfigs.compacted(SEGMENT_BYTES, A_DAY_MS)));
        log.enforceRetention();
        assertThat(records()).hasSize(2);
    }

    @Test
    void aSegmentIsRolledInTimeToBeCompacted() {
        reconfigure("max.compaction.lag.ms", "1");
        append("a", "1");
        await().until(() -> {
            append("a", "2");
            return log.segmentFiles().size() > 1;
        });
    }

    @Test
    void aCompactionThatACrashBrokeOffLeavesNothing() throws IOException {
        append("a", "1");
        Path left = Files.createFile(folder.toPath().resolve("00000000000000000000.log.cleaned"));
        reopen();
        assertThat(left).doesNotExist();
        assertThat(records()).containsExactly("0 a=1");
    }

    /** The steps in which a copy is made and takes the place of a segment, and whether the segment was on the medium before. */
    static Stream<Arguments> crashes() {
        return IntStream.rangeClosed(0, 7)
                .boxed()
                .flatMap(steps -> Stream.of(Arguments.of(steps, true), Arguments.of(steps, false)));
    }

    @ParameterizedTest
    @MethodSource("crashes")
    void aCrashWhileASegmentIsReplacedLeavesOneOrTheOther(int steps, boolean flushed) throws IOException {
        for (int record = 0; record < 200; record++) {
            append(record % 2 == 0 ? "own " + record : "of all", Integer.toString(record));
        }
        log.roll();
        LogSegment second = closed().all().get(1);
        List<String> whole = records();
        Map<String, byte[]> before = files();
        log.compact();
        List<String> compacted = records();
        Map<String, byte[]> after = files();
        LogEnd end = log.end();
        log.closeHandles();
        restore(before);
        replace(second.baseOffset(), after, steps);
        directory.recoveryPoints().put("t-0", flushed ? end.offset() : 0);

        reopen();

        List<String> expected = new ArrayList<>();
        whole.stream()
                .filter(record -> steps < 5
                        || offset(record) < second.baseOffset()
                        || offset(record) >= second.nextOffset()
                        || compacted.contains(record))
                .forEach(expected::add);
        assertThat(records()).isEqualTo(expected);
        assertThat(log.end()).isEqualTo(end);
        assertThat(files().keySet()).noneMatch(name -> name.endsWith(".cleaned"));
        for (long offset = 0; offset < end.offset(); offset++) {
            long wanted = offset;
            assertThat(log.read(offset, 1, true)
                            .records()
                            .batches()
                            .iterator()
                            .next()
                            .lastOffset())
                    .isEqualTo(expected.stream()
                            .mapToLong(CompactionTest::offset)
                            .filter(known -> known >= wanted)
                            .min()
                            .orElseThrow());
        }
        log.compact();
        assertThat(records()).isEqualTo(compacted);
    }

    private void replace(long base, Map<String, byte[]> after, int steps) throws IOException {
        List<String> names = Stream.of(".log", ".index", ".timeindex")
                .map(suffix -> LogSegment.file(folder, base, suffix).getName())
                .toList();
        byte[] records = after.get(names.get(0));
        assertThat(after.get(names.get(1))).as("an index that has entries").isNotEmpty();
        if (steps >= 1) {
            write(names.get(0) + ".cleaned", Arrays.copyOf(records, records.length / 2));
            write(names.get(1) + ".cleaned", new byte[0]);
        }
        if (steps >= 2) {
            for (String name : names) {
                write(name + ".cleaned", after.get(name));
            }
        }
        if (steps >= 3) {
            Files.delete(folder.toPath().resolve(names.get(1)));
        }
        if (steps >= 4) {
            Files.delete(folder.toPath().resolve(names.get(2)));
        }
        for (int name = 0; name < steps - 4; name++) {
            Files.move(
                    folder.toPath().resolve(names.get(name) + ".cleaned"),
                    folder.toPath().resolve(names.get(name)),
                    StandardCopyOption.REPLACE_EXISTING);
        }
    }

    @Test
    void aCompactedSegmentHasTheIndexesThatItsRecordsWouldHaveGot() throws Exception {
        for (int record = 0; record < 200; record++) {
            append(record % 2 == 0 ? "own " + record : "of all", Integer.toString(record));
        }
        log.roll();
        log.compact();
        List<File> files = log.segmentFiles();
        log.closeHandles();
        for (File file : files.subList(0, files.size() - 1)) {
            Path index = folder.toPath().resolve(file.getName().replace(".log", ".index"));
            Path timeIndex = folder.toPath().resolve(file.getName().replace(".log", ".timeindex"));
            byte[] offsets = Files.readAllBytes(index);
            byte[] times = Files.readAllBytes(timeIndex);
            // Does not open what disagrees with its records.
            LogSegment.open(file, LogConfigs.compacted(SEGMENT_BYTES, 0).indexIntervalBytes())
                    .closeHandle();
            LogSegment.recover(file, LogConfigs.compacted(SEGMENT_BYTES, 0).indexIntervalBytes(), false)
                    .closeHandle();
            assertThat(index).hasBinaryContent(offsets);
            assertThat(timeIndex).hasBinaryContent(times);
        }
    }

    @Test
    void aCopyOfWhatWasCutMeanwhileIsNotTaken() throws IOException {
        append("a", "1");
        append("b", "1");
        log.roll();
        LogSegment segment = closed().all().get(0);
        int truncations = log.truncations();
        LogSegment copy = copyOf(segment);
        log.truncateTo(1);
        append("c", "1");
        log.roll();
        assertThat(closed().replace(segment, copy, truncations)).isFalse();
        copy.delete();
        assertThat(records()).containsExactly("0 a=1", "1 c=1");
    }

    @Test
    void aLogThatIsDeletedMeanwhileIsNotCompactedAnyMore() throws IOException {
        append("a", "1");
        log.roll();
        LogSegment segment = closed().all().get(0);
        LogSegment copy = copyOf(segment);
        log.delete();
        assertThat(closed().replace(segment, copy, log.truncations())).isFalse();
        assertThatThrownBy(() -> closed().newCopyOf(segment)).isInstanceOf(NotLeaderOrFollowerException.class);
        assertThatThrownBy(log::compact).isInstanceOf(NotLeaderOrFollowerException.class);
        copy.delete();
    }

    private ClosedSegments closed() {
        return new ClosedSegments(log.files());
    }

    private LogSegment copyOf(LogSegment segment) throws IOException {
        LogSegment copy = closed().newCopyOf(segment);
        segment.copyTo(
                copy,
                new SupersededRecords(
                        closed(), new LatestOffsets(1), log.config().cleanup(), System.currentTimeMillis()));
        return copy;
    }

    @Test
    void aCompactedSegmentIsAsOldAsItWas() throws IOException {
        append("a", "1");
        append("a", "2");
        log.roll();
        Path file = log.segmentFiles().get(0).toPath();
        FileTime old = FileTime.fromMillis(System.currentTimeMillis() - A_DAY_MS);
        Files.setLastModifiedTime(file, old);
        log.compact();
        assertThat(records()).containsExactly("1 a=2");
        assertThat(Files.getLastModifiedTime(file)).isEqualTo(old);
    }

    @Test
    void retentionDeletesACompactedSegmentAsAWhole() throws IOException {
        append("b", "1");
        append("a", "1");
        log.roll();
        append("a", "2");
        log.roll();
        log.compact();
        reopen();
        assertThat(records()).containsExactly("0 b=1", "2 a=2");
        long kept = log.sizeInBytes() - log.segmentFiles().get(0).length();
        log.reconfigure(TopicConfig.NONE
                .change(Map.of("cleanup.policy", "compact,delete", "retention.bytes", Long.toString(kept)))
                .applyTo(LogConfigs.compacted(SEGMENT_BYTES, A_DAY_MS)));
        log.enforceRetention();
        assertThat(log.startOffset()).isEqualTo(2);
        assertThat(log.segmentFiles()).hasSize(2);
        assertThat(records()).containsExactly("2 a=2");
    }

    private Map<String, byte[]> files() throws IOException {
        Map<String, byte[]> files = new TreeMap<>();
        try (Stream<Path> list = Files.list(folder.toPath())) {
            for (Path file : list.toList()) {
                files.put(file.getFileName().toString(), Files.readAllBytes(file));
            }
        }
        return files;
    }

    private void restore(Map<String, byte[]> files) throws IOException {
        for (String name : files().keySet()) {
            Files.delete(folder.toPath().resolve(name));
        }
        for (Map.Entry<String, byte[]> file : files.entrySet()) {
            write(file.getKey(), file.getValue());
        }
    }

    private void write(String name, byte[] content) throws IOException {
        Files.write(folder.toPath().resolve(name), content);
    }

    private static long offset(String record) {
        return Long.parseLong(record.substring(0, record.indexOf(' ')));
    }

    private void reconfigure(String key, String value) {
        log.reconfigure(
                TopicConfig.NONE.change(Map.of(key, value)).applyTo(LogConfigs.compacted(SEGMENT_BYTES, A_DAY_MS)));
    }

    private long append(String key, String value) {
        return log.append(MemoryRecords.withRecords(Compression.NONE, record(key, value)));
    }

    private long appendIdempotent(int sequence, String key) {
        return log.append(MemoryRecords.withIdempotentRecords(
                Compression.NONE, PRODUCER, (short) 0, sequence, record(key, "idempotent")));
    }

    private static SimpleRecord record(String key, String value) {
        return new SimpleRecord(System.currentTimeMillis(), bytes(key), bytes(value));
    }

    private static byte[] bytes(String text) {
        return text == null ? null : text.getBytes(StandardCharsets.UTF_8);
    }

    private List<String> records() {
        List<String> records = new ArrayList<>();
        long next = log.startOffset();
        while (next < log.end().offset()) {
            long before = next;
            for (RecordBatch batch :
                    log.read(next, SEGMENT_BYTES, true).records().batches()) {
                for (Record record : batch) {
                    records.add(record.offset() + " " + StandardCharsets.UTF_8.decode(record.key()) + "="
                            + (record.hasValue() ? StandardCharsets.UTF_8.decode(record.value()) : null));
                }
                next = batch.nextOffset();
            }
            if (next == before) {
                break;
            }
        }
        return records;
    }
}
