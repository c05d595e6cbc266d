package io.faultline.broker.log;

import java.io.Closeable;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import org.apache.kafka.common.InvalidRecordException;
import org.apache.kafka.common.errors.CorruptRecordException;
import org.apache.kafka.common.record.internal.FileLogInputStream.FileChannelRecordBatch;
import org.apache.kafka.common.record.internal.FileRecords;
import org.apache.kafka.common.record.internal.FileRecords.LogOffsetPosition;
import org.apache.kafka.common.record.internal.FileRecords.TimestampAndOffset;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.RecordBatch;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One file of a log, {@code <base offset>.log}, with a sparse index in memory.
 *
 * <p>The log's writer appends and truncates, under the log's lock; any thread reads.
 */
final class LogSegment implements Closeable {

    static final String SUFFIX = ".log";
    static final String DELETED = ".deleted";

    private static final Logger LOG = LoggerFactory.getLogger(LogSegment.class);

    private final long baseOffset;
    private final FileRecords records;
    private final int indexIntervalBytes;
    private final OffsetIndex index = new OffsetIndex();
    private int bytesSinceIndexed;
    private long startedMs = System.currentTimeMillis();
    private volatile long nextOffset;
    private volatile long maxTimestamp = RecordBatch.NO_TIMESTAMP;

    private LogSegment(long baseOffset, FileRecords records, int indexIntervalBytes) {
        this.baseOffset = baseOffset;
        this.nextOffset = baseOffset;
        this.records = records;
        this.indexIntervalBytes = indexIntervalBytes;
    }

    /** Makes a new, empty segment. A file that a truncated log left under that name is replaced. */
    static LogSegment create(File directory, long baseOffset, int indexIntervalBytes) throws IOException {
        File file = file(directory, baseOffset);
        Files.deleteIfExists(file.toPath());
        return new LogSegment(baseOffset, FileRecords.open(file, false, 0, false), indexIntervalBytes);
    }

    /**
     * Opens the file of a segment and builds its index by reading the headers of its batches.
     *
     * @param recover whether to check every batch in full and to cut the file behind the last whole one: for the last
     *     segment of a log, which a crash may have torn
     * @param producers told of every batch
     */
    static LogSegment open(File file, int indexIntervalBytes, boolean recover, ProducerStates producers)
            throws IOException {
        long baseOffset =
                Long.parseLong(file.getName().substring(0, file.getName().length() - SUFFIX.length()));
        LogSegment segment =
                new LogSegment(baseOffset, FileRecords.open(file, true, true, 0, false), indexIntervalBytes);
        try {
            segment.scan(recover, producers);
            return segment;
        } catch (IOException | RuntimeException failure) {
            segment.closeHandle();
            throw failure;
        }
    }

    static File file(File directory, long baseOffset) {
        return new File(directory, String.format("%020d%s", baseOffset, SUFFIX));
    }

    private void scan(boolean recover, ProducerStates producers) throws IOException {
        int valid = 0;
        long writtenMs = lastWrittenMs();
        try {
            for (FileChannelRecordBatch batch : records.batches()) {
                if (recover) {
                    batch.ensureValid();
                }
                if (batch.baseOffset() < nextOffset) {
                    throw new CorruptRecordException(
                            "batch at " + valid + " starts at offset " + batch.baseOffset() + " < " + nextOffset);
                }
                indexed(batch.baseOffset(), valid, batch.sizeInBytes());
                nextOffset = batch.nextOffset();
                maxTimestamp = Math.max(maxTimestamp, batch.maxTimestamp());
                producers.appended(batch, writtenMs);
                valid += batch.sizeInBytes();
            }
        } catch (CorruptRecordException | InvalidRecordException torn) {
            LOG.warn("{} is no whole batch from byte {} on: {}", records.file(), valid, torn.getMessage());
        }
        if (recover && valid < records.sizeInBytes()) {
            LOG.warn("{}: cut from {} to {} bytes, the end of the last whole batch", records.file(), size(), valid);
            records.truncateTo(valid);
        }
    }

    /** Not earlier than any batch was appended: record timestamps are the client's, and say nothing about that. */
    private long lastWrittenMs() throws IOException {
        return Files.getLastModifiedTime(records.file().toPath()).toMillis();
    }

    /** The time of the newest record; where records have none, of the last append. */
    long newestMs() throws IOException {
        return maxTimestamp >= 0 ? maxTimestamp : lastWrittenMs();
    }

    /** When the first record was appended, or the segment was opened. */
    long startedMs() {
        return startedMs;
    }

    /** Tells of every batch again. Reads the headers of all batches. */
    void replay(ProducerStates producers) throws IOException {
        long writtenMs = lastWrittenMs();
        for (RecordBatch batch : records.batches()) {
            producers.appended(batch, writtenMs);
        }
    }

    /** Appends batches whose offsets are assigned. */
    void append(MemoryRecords batches, long firstOffset, long lastOffset, long largestTimestamp) throws IOException {
        int position = records.sizeInBytes();
        if (position == 0) {
            startedMs = System.currentTimeMillis();
        }
        int appended = records.append(batches);
        indexed(firstOffset, position, appended);
        nextOffset = lastOffset + 1;
        maxTimestamp = Math.max(maxTimestamp, largestTimestamp);
    }

    private void indexed(long firstOffset, int position, int bytes) {
        if (position == 0 || bytesSinceIndexed >= indexIntervalBytes) {
            index.add(firstOffset, position);
            bytesSinceIndexed = 0;
        }
        bytesSinceIndexed += bytes;
    }

    /**
     * Finds the batch that holds an offset, or the first one behind it. Reads a few batch headers of the file.
     *
     * @return its base offset, position and size, or null if the segment ends before the offset
     */
    LogOffsetPosition find(long offset) {
        return offset >= nextOffset ? null : records.searchForOffsetFromPosition(offset, index.floor(offset));
    }

    /** A region of the file, which is not read. */
    FileRecords slice(int position, int size) {
        return records.slice(position, size);
    }

    /** The first record at or after a timestamp that also has at least the offset, or null. Reads batches. */
    TimestampAndOffset findByTimestamp(long timestamp, long startOffset, int maxRecordBytes) {
        return records.searchForTimestamp(timestamp, index.floor(startOffset), startOffset, maxRecordBytes);
    }

    /**
     * The record with the largest timestamp in the batches that reach up to an offset or start behind it; offset -1 if there is
     * none. Reads the headers of all of them.
     */
    TimestampAndOffset largestTimestamp(long startOffset) {
        LogOffsetPosition first = find(Math.max(startOffset, baseOffset));
        return records.largestTimestampAfter(first == null ? size() : first.position);
    }

    /** Cuts the file at the start of the batch that holds the offset; returns the offset that comes next then. */
    long truncateTo(long offset) throws IOException {
        LogOffsetPosition found = find(offset);
        if (found != null) {
            index.truncateTo(found.position);
            bytesSinceIndexed = indexIntervalBytes;
            records.truncateTo(found.position);
            nextOffset = found.position == 0 ? baseOffset : found.offset;
            long largest = RecordBatch.NO_TIMESTAMP;
            for (RecordBatch batch : records.batches()) {
                largest = Math.max(largest, batch.maxTimestamp());
            }
            maxTimestamp = largest;
        }
        return nextOffset;
    }

    void flush() throws IOException {
        records.flush();
    }

    /** Renames the file, as Kafka does before it deletes one: open channels and slices stay good. */
    void renameToDeleted() throws IOException {
        records.renameTo(new File(records.file().getPath() + DELETED));
    }

    /** Follows the rename of the directory above. */
    void updateParentDirectory(File directory) {
        records.updateParentDir(directory);
    }

    /** Closes and deletes the file. */
    void delete() throws IOException {
        records.deleteIfExists();
    }

    /** Flushes and closes the file. */
    @Override
    public void close() throws IOException {
        records.close();
    }

    /** Closes the file without a last write: the disk below may be gone. */
    void closeHandle() {
        try {
            records.channel().close();
        } catch (IOException ignored) {
            // Nothing was to be written, and the descriptor is gone either way.
        }
    }

    long baseOffset() {
        return baseOffset;
    }

    long nextOffset() {
        return nextOffset;
    }

    long maxTimestamp() {
        return maxTimestamp;
    }

    int size() {
        return records.sizeInBytes();
    }

    @Override
    public String toString() {
        return records.file().toString();
    }
}
