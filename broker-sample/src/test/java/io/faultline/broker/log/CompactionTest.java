package io.faultline.broker.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.Record;
import org.apache.kafka.common.record.internal.RecordBatch;
import org.apache.kafka.common.record.internal.SimpleRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

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
