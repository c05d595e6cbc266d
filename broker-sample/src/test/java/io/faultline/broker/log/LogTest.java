package io.faultline.broker.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.errors.NotLeaderOrFollowerException;
import org.apache.kafka.common.errors.OffsetOutOfRangeException;
import org.apache.kafka.common.errors.RecordBatchTooLargeException;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.Record;
import org.apache.kafka.common.record.internal.RecordBatch;
import org.apache.kafka.common.record.internal.SimpleRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LogTest {

    private static final int SEGMENT_BYTES = 4_096;

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
        directory.load();
        folder = scratch.resolve("t-0").toFile();
        Files.createDirectories(folder.toPath());
        reopen();
    }

    private void reopen() throws IOException {
        if (log != null) {
            log.close();
        }
        LogConfig config = LogConfigs.small(SEGMENT_BYTES, 0);
        log = Log.open(folder, directory, config, deletions);
    }

    @AfterEach
    void close() {
        log.close();
        deletions.shutdown();
        assertThat(failures.offline()).isEmpty();
    }

    @Test
    void offsetsFollowEachOtherThroughBatchesAndSegments() {
        append(100, 3);
        assertThat(log.end().offset()).isEqualTo(300);
        assertThat(log.segmentFiles()).hasSizeGreaterThan(3);
        assertThat(offsetsFrom(0)).hasSize(300).isSorted().startsWith(0L).endsWith(299L);
        for (File segment : log.segmentFiles()) {
            assertThat(segment.length()).isBetween(1L, (long) SEGMENT_BYTES);
        }
    }

    @Test
    void everyOffsetIsFoundInItsBatch() {
        append(100, 3);
        for (long offset = 0; offset < 300; offset++) {
            RecordBatch batch =
                    log.read(offset, 1, true).records().batches().iterator().next();
            assertThat(offset).isBetween(batch.baseOffset(), batch.lastOffset());
        }
    }

    @Test
    void aBatchLargerThanASegmentIsRefused() {
        assertThatThrownBy(() -> log.append(records(1, SEGMENT_BYTES)))
                .isInstanceOf(RecordBatchTooLargeException.class);
    }

    @Test
    void aReopenedLogIsTheSame() throws IOException {
        append(100, 3);
        LogEnd end = log.end();
        List<Long> offsets = offsetsFrom(0);
        reopen();
        assertThat(log.end()).isEqualTo(end);
        assertThat(offsetsFrom(0)).isEqualTo(offsets);
        append(1, 1);
        assertThat(log.end().offset()).isEqualTo(end.offset() + 1);
    }

    @Test
    void aTornTailIsCut() throws IOException {
        append(5, 3);
        LogEnd end = log.end();
        log.close();
        Path last = activeFile();
        byte[] half = new byte[40];
        records(1, 100).buffer().get(half);
        Files.write(last, half, StandardOpenOption.APPEND);
        reopen();
        assertThat(log.end()).isEqualTo(end);
        assertThat(Files.size(last)).isEqualTo(end.position());
    }

    @Test
    void aTailOfZerosIsCut() throws IOException {
        append(5, 3);
        LogEnd end = log.end();
        log.close();
        Files.write(activeFile(), new byte[10_000], StandardOpenOption.APPEND);
        reopen();
        assertThat(log.end()).isEqualTo(end);
    }

    @Test
    void aBatchWithAWrongChecksumAndAllBehindItAreCut() throws IOException {
        append(5, 3);
        int position = log.read(9, 1, true).position();
        log.close();
        byte[] bytes = Files.readAllBytes(activeFile());
        bytes[position + 70] ^= 1;
        Files.write(activeFile(), bytes);
        reopen();
        assertThat(log.end().offset()).isEqualTo(9);
        assertThat(log.end().position()).isEqualTo(position);
    }

    @Test
    void aTruncationWithinABatchForgetsTheWholeBatch() {
        append(100, 3);
        log.truncateTo(151);
        assertThat(log.end().offset()).isEqualTo(150);
        assertThat(offsetsFrom(0)).endsWith(149L);
        append(1, 2);
        assertThat(offsetsFrom(0)).endsWith(149L, 150L, 151L);
    }

    @Test
    void aTruncationToTheStartLeavesAnEmptyLogThatGoesOn() throws IOException {
        append(100, 3);
        log.truncateTo(0);
        assertThat(log.end()).isEqualTo(new LogEnd(0, 0, 0));
        assertThat(log.segmentFiles()).hasSize(1);
        append(1, 1);
        reopen();
        assertThat(offsetsFrom(0)).containsExactly(0L);
    }

    @Test
    void aTruncationBehindTheEndDoesNothing() {
        append(3, 3);
        LogEnd end = log.end();
        log.truncateTo(9);
        log.truncateTo(100);
        assertThat(log.end()).isEqualTo(end);
    }

    @Test
    void deletedSegmentsAreGoneFromTheLogAtOnceAndFromTheDiskLater() {
        append(100, 3);
        Path first = log.segmentFiles().get(0).toPath();
        long second = Long.parseLong(log.segmentFiles().get(1).getName().substring(0, 20));
        log.deleteSegmentsBefore(second + 1);
        assertThat(log.startOffset()).isEqualTo(second);
        assertThatThrownBy(() -> log.read(0, 1, true)).isInstanceOf(OffsetOutOfRangeException.class);
        assertThat(first).doesNotExist();
        await().until(() -> !Files.exists(Path.of(first + ".deleted")));
    }

    @Test
    void aDeletedLogIsGoneAtOnceAndFromTheDiskLater() {
        append(10, 3);
        log.delete();
        assertThat(folder).doesNotExist();
        assertThatThrownBy(() -> log.append(records(1, 1))).isInstanceOf(NotLeaderOrFollowerException.class);
        assertThatThrownBy(() -> log.read(0, 1, true)).isInstanceOf(NotLeaderOrFollowerException.class);
        await().until(() -> scratch.toFile().list().length == 0);
    }

    @Test
    void aClosedLogIsNoFailedDirectory() {
        append(10, 3);
        log.closeHandles();
        assertThatThrownBy(() -> log.append(records(1, 1))).isInstanceOf(NotLeaderOrFollowerException.class);
        assertThatThrownBy(() -> log.read(0, 1, true)).isInstanceOf(NotLeaderOrFollowerException.class);
    }

    @Test
    void theLargestTimestampAndTheFirstAtATimeAreFoundAcrossSegments() {
        for (long time = 0; time < 100; time++) {
            log.append(MemoryRecords.withRecords(
                    Compression.NONE, new SimpleRecord(1_000 * (time == 50 ? 500 : time), new byte[200])));
        }
        assertThat(log.findLargestTimestamp().orElseThrow().offset).isEqualTo(50);
        assertThat(log.findByTimestamp(70_500).orElseThrow().offset).isEqualTo(50);
        assertThat(log.findByTimestamp(20_500).orElseThrow().offset).isEqualTo(21);
        assertThat(log.findByTimestamp(600_000)).isEmpty();
        log.deleteRecordsBefore(51);
        assertThat(log.findLargestTimestamp().orElseThrow().offset).isEqualTo(99);
        log.deleteRecordsBefore(100);
        assertThat(log.findLargestTimestamp()).isEmpty();
    }

    @Test
    void deletedRecordsAreGoneAtOnceAndAfterARestart() throws IOException {
        append(100, 3);
        long segments = log.segmentFiles().size();
        assertThat(log.deleteRecordsBefore(151)).isEqualTo(151);
        assertThat(log.deleteRecordsBefore(10)).isEqualTo(151);
        assertThat(log.startOffset()).isEqualTo(151);
        assertThat(log.segmentFiles()).hasSizeLessThan((int) segments);
        assertThatThrownBy(() -> log.read(150, 1, true)).isInstanceOf(OffsetOutOfRangeException.class);
        assertThat(offsetsFrom(151)).startsWith(151L).endsWith(299L);
        assertThat(scratch.resolve("log-start-offset-checkpoint")).hasContent("0\n1\nt 0 151\n");
        reopen();
        assertThat(log.startOffset()).isEqualTo(151);
        assertThat(log.findByTimestamp(0).orElseThrow().offset).isEqualTo(151);
    }

    @Test
    void allRecordsAreDeletedAndTheNextGetsTheNextOffset() throws IOException {
        append(100, 3);
        log.deleteRecordsBefore(300);
        reopen();
        assertThat(log.startOffset()).isEqualTo(300);
        assertThat(log.read(300, 1, true).records().sizeInBytes()).isZero();
        append(1, 1);
        assertThat(offsetsFrom(300)).containsExactly(300L);
        assertThatThrownBy(() -> log.deleteRecordsBefore(302)).isInstanceOf(OffsetOutOfRangeException.class);
    }

    @Test
    void aLogThatIsOpenedAgainGoesOnInANewEpoch() throws IOException {
        assertThat(log.leaderEpoch()).isZero();
        reopen();
        assertThat(log.leaderEpoch()).isZero();
        append(2, 3);
        reopen();
        assertThat(log.leaderEpoch()).isOne();
        append(1, 3);
        assertThat(log.endOfEpoch(0)).isEqualTo(new EpochEnd(0, 6));
        assertThat(log.endOfEpoch(1)).isEqualTo(new EpochEnd(1, 9));
        assertThat(log.endOfEpoch(2)).isEqualTo(EpochEnd.UNKNOWN);
        assertThat(log.endOfEpoch(-1)).isEqualTo(EpochEnd.UNKNOWN);
        assertThat(folder.toPath().resolve("leader-epoch-checkpoint")).hasContent("0\n2\n0 0\n1 6\n");
        reopen();
        assertThat(log.endOfEpoch(1)).isEqualTo(new EpochEnd(1, 9));
        assertThat(log.read(6, 1, true).records().batches().iterator().next().partitionLeaderEpoch())
                .isOne();
    }

    @Test
    void recordsThatACrashTookAwayAreOfAnEpochThatIsOver() throws IOException {
        append(2, 3);
        reopen();
        append(2, 3);
        log.close();
        Files.write(activeFile(), new byte[0], StandardOpenOption.TRUNCATE_EXISTING);
        reopen();
        assertThat(log.leaderEpoch()).isEqualTo(2);
        assertThat(log.endOfEpoch(1).endOffset()).isZero();
        append(3, 3);
        assertThat(log.endOfEpoch(1).endOffset()).isZero();
        log.truncateTo(3);
        assertThat(log.leaderEpoch()).isEqualTo(2);
        assertThat(log.endOfEpoch(2)).isEqualTo(new EpochEnd(2, 3));
    }

    @Test
    void aLogOfAnEarlierVersionIsOfTheFirstEpoch() throws IOException {
        append(2, 3);
        log.close();
        Files.delete(folder.toPath().resolve("leader-epoch-checkpoint"));
        reopen();
        assertThat(log.endOfEpoch(0)).isEqualTo(new EpochEnd(0, 6));
        assertThat(log.leaderEpoch()).isOne();
    }

    @Test
    void segmentsPastTheirTimeAreDeletedTheActiveOneToo() {
        appendAt(1_000, 60);
        appendAt(System.currentTimeMillis(), 60);
        reconfigure("retention.ms", "3600000");
        log.enforceRetention();
        assertThat(log.startOffset()).isBetween(1L, 60L);
        long start = log.startOffset();
        log.enforceRetention();
        assertThat(log.startOffset()).isEqualTo(start);

        log.truncateTo(0);
        log.deleteRecordsBefore(log.end().offset());
        appendAt(1_000, 5);
        log.enforceRetention();
        assertThat(log.startOffset()).isEqualTo(log.end().offset());
        append(1, 1);
        assertThat(offsetsFrom(log.startOffset())).hasSize(1);
    }

    @Test
    void segmentsBeyondTheSizeToKeepAreDeleted() {
        append(100, 3);
        reconfigure("retention.bytes", Integer.toString(2 * SEGMENT_BYTES));
        log.enforceRetention();
        assertThat(log.sizeInBytes()).isBetween(2L * SEGMENT_BYTES, 3L * SEGMENT_BYTES);
        reconfigure("retention.bytes", "0");
        log.enforceRetention();
        assertThat(log.segmentFiles()).hasSize(1);
        assertThat(log.end().offset()).isEqualTo(300);
    }

    @Test
    void withoutRetentionEverythingStays() {
        appendAt(1_000, 60);
        log.enforceRetention();
        assertThat(log.startOffset()).isZero();
    }

    @Test
    void anOldSegmentIsRolled() {
        append(1, 1);
        reconfigure("segment.ms", "1");
        await().until(() -> {
            append(1, 1);
            return log.segmentFiles().size() > 1;
        });
    }

    @Test
    void aLogIsFlushedAfterSoManyMessages() {
        reconfigure("flush.messages", "5");
        append(4, 1);
        assertThat(log.recoveryPoint()).isZero();
        append(1, 1);
        assertThat(log.recoveryPoint()).isEqualTo(5);
    }

    @Test
    void aLogIsFlushedWhenItsTimeHasCome() {
        append(3, 1);
        log.flushIfDue(System.currentTimeMillis());
        assertThat(log.recoveryPoint()).isZero();
        reconfigure("flush.ms", "0");
        log.flushIfDue(System.currentTimeMillis());
        assertThat(log.recoveryPoint()).isEqualTo(3);
    }

    @Test
    void whatIsRolledIsFlushedInTheBackgroundAndNoted() {
        append(20, 3);
        log.roll();
        await().until(() -> log.recoveryPoint() == 60);
        await().untilAsserted(() ->
                assertThat(scratch.resolve("recovery-point-offset-checkpoint")).hasContent("0\n1\nt 0 60\n"));
    }

    @Test
    void recordsThatAreDeletedAlreadyDoNotComeBackWhenTheRestIsPastItsTime() {
        appendAt(1_000, 5);
        log.deleteRecordsBefore(3);
        reconfigure("retention.ms", "3600000");
        log.enforceRetention();
        assertThat(log.startOffset()).isEqualTo(5);
        assertThat(log.end().offset()).isEqualTo(5);
    }

    private void reconfigure(String key, String value) {
        log.reconfigure(TopicConfig.NONE.change(Map.of(key, value)).applyTo(LogConfigs.small(SEGMENT_BYTES, 0)));
    }

    private void appendAt(long timestamp, int batches) {
        for (int batch = 0; batch < batches; batch++) {
            log.append(MemoryRecords.withRecords(Compression.NONE, new SimpleRecord(timestamp, new byte[150])));
        }
    }

    private void append(int batches, int recordsEach) {
        for (int batch = 0; batch < batches; batch++) {
            log.append(records(recordsEach, 50));
        }
    }

    private static MemoryRecords records(int count, int bytes) {
        SimpleRecord[] records = new SimpleRecord[count];
        for (int index = 0; index < count; index++) {
            records[index] = new SimpleRecord(1_000, new byte[bytes]);
        }
        return MemoryRecords.withRecords(Compression.NONE, records);
    }

    private List<Long> offsetsFrom(long offset) {
        List<Long> offsets = new ArrayList<>();
        long next = offset;
        while (next < log.end().offset()) {
            for (Record record : log.read(next, SEGMENT_BYTES, true).records().records()) {
                if (record.offset() >= next) {
                    offsets.add(record.offset());
                    next = record.offset() + 1;
                }
            }
        }
        return offsets;
    }

    private Path activeFile() {
        return log.segmentFiles().get(log.segmentFiles().size() - 1).toPath();
    }
}
