package io.faultline.broker.log;

import java.io.Closeable;
import java.io.File;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.attribute.FileTime;
import org.apache.kafka.common.InvalidRecordException;
import org.apache.kafka.common.errors.CorruptRecordException;
import org.apache.kafka.common.record.internal.FileLogInputStream.FileChannelRecordBatch;
import org.apache.kafka.common.record.internal.FileRecords;
import org.apache.kafka.common.record.internal.FileRecords.LogOffsetPosition;
import org.apache.kafka.common.record.internal.FileRecords.TimestampAndOffset;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.MemoryRecords.FilterResult;
import org.apache.kafka.common.record.internal.MemoryRecords.RecordFilter;
import org.apache.kafka.common.record.internal.RecordBatch;
import org.apache.kafka.common.utils.internals.BufferSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One part of a log: a file of batches, {@code <base offset>.log}, with its indexes beside it.
 *
 * <p>The log's writer appends and truncates, under the log's lock; any thread reads.
 */
final class LogSegment implements Closeable {

    static final String SUFFIX = ".log";
    static final String DELETED = ".deleted";
    static final String CLEANED = ".cleaned";

    private static final int CHUNK_BYTES = 1 << 20;
    private static final Logger LOG = LoggerFactory.getLogger(LogSegment.class);

    private final long baseOffset;
    private final FileRecords records;
    private final SegmentIndexes indexes;
    private long startedMs = System.currentTimeMillis();
    private volatile long nextOffset;

    private LogSegment(long baseOffset, FileRecords records, SegmentIndexes indexes, long nextOffset) {
        this.baseOffset = baseOffset;
        this.records = records;
        this.indexes = indexes;
        this.nextOffset = nextOffset;
    }

    /** Makes a new, empty segment; what a truncated log left under that name is replaced. If that fails, nothing is left. */
    static LogSegment create(File folder, long baseOffset, int indexIntervalBytes) throws IOException {
        return create(folder, baseOffset, "", indexIntervalBytes);
    }

    /** Makes an empty segment beside the one of that base, to take its place; what a compaction that failed left is replaced. */
    static LogSegment createCleaned(File folder, long baseOffset, int indexIntervalBytes) throws IOException {
        return create(folder, baseOffset, CLEANED, indexIntervalBytes);
    }

    private static LogSegment create(File folder, long baseOffset, String kind, int indexIntervalBytes)
            throws IOException {
        File file = file(folder, baseOffset, SUFFIX + kind);
        FileRecords records = null;
        try {
            Files.deleteIfExists(file.toPath());
            records = FileRecords.open(file, false, 0, false);
            SegmentIndexes indexes = SegmentIndexes.create(folder, baseOffset, kind, indexIntervalBytes);
            return new LogSegment(baseOffset, records, indexes, baseOffset);
        } catch (IOException failure) {
            if (records != null) {
                closeFile(records);
            }
            Files.deleteIfExists(file.toPath());
            SegmentIndexes.delete(folder, baseOffset, kind);
            throw failure;
        }
    }

    /**
     * Opens a segment that is on the medium as it was closed. Reads a few headers at its end.
     *
     * @throws CorruptIndexException if its indexes are to be built anew, by {@link #recover}
     */
    static LogSegment open(File file, int indexIntervalBytes) throws IOException, CorruptIndexException {
        long baseOffset = baseOffset(file);
        FileRecords records = FileRecords.open(file, true, true, 0, false);
        try {
            SegmentIndexes indexes = SegmentIndexes.open(file.getParentFile(), baseOffset, indexIntervalBytes, records);
            return new LogSegment(baseOffset, records, indexes, indexes.resume(records));
        } catch (CorruptRecordException garbage) {
            closeFile(records);
            throw new CorruptIndexException(
                    "behind the last entry of its indexes is no batch: " + garbage.getMessage());
        } catch (IOException | CorruptIndexException | RuntimeException failure) {
            closeFile(records);
            throw failure;
        }
    }

    /**
     * Opens a segment that nothing is known of: reads all its batches up to the first that is not whole, and builds its indexes.
     *
     * @param cut whether the file is to end behind the last whole batch
     */
    static LogSegment recover(File file, int indexIntervalBytes, boolean cut) throws IOException {
        long baseOffset = baseOffset(file);
        FileRecords records = FileRecords.open(file, true, true, 0, false);
        SegmentIndexes indexes = null;
        try {
            indexes = SegmentIndexes.create(file.getParentFile(), baseOffset, "", indexIntervalBytes);
            LogSegment segment = new LogSegment(baseOffset, records, indexes, baseOffset);
            segment.scan(cut);
            return segment;
        } catch (IOException | RuntimeException failure) {
            closeFile(records);
            if (indexes != null) {
                indexes.close();
            }
            throw failure;
        }
    }

    private void scan(boolean cut) throws IOException {
        int valid = 0;
        try {
            for (FileChannelRecordBatch batch : records.batches()) {
                batch.ensureValid();
                if (batch.baseOffset() < nextOffset) {
                    throw new CorruptRecordException(
                            "batch at " + valid + " starts at offset " + batch.baseOffset() + " < " + nextOffset);
                }
                if (batch.lastOffset() - baseOffset > Integer.MAX_VALUE) {
                    throw new CorruptRecordException("offset " + batch.lastOffset() + " is not of this segment");
                }
                indexes.appended(batch, valid);
                nextOffset = batch.nextOffset();
                valid += batch.sizeInBytes();
            }
        } catch (CorruptRecordException | InvalidRecordException torn) {
            LOG.warn("{} is no whole batch from byte {} on: {}", records.file(), valid, torn.getMessage());
        }
        if (cut && valid < records.sizeInBytes()) {
            LOG.warn("{}: cut from {} to {} bytes, the end of the last whole batch", records.file(), size(), valid);
            records.truncateTo(valid);
        }
        indexes.complete();
    }

    static long baseOffset(File file) {
        String name = file.getName();
        return Long.parseLong(name.substring(0, name.indexOf('.')));
    }

    static File file(File folder, long baseOffset, String suffix) {
        return new File(folder, String.format("%020d%s", baseOffset, suffix));
    }

    /** Not earlier than any batch was appended: record timestamps are the client's, and say nothing about that. */
    long lastWrittenMs() throws IOException {
        return Files.getLastModifiedTime(records.file().toPath()).toMillis();
    }

    /** The time of the newest record; where records have none, of the last append. */
    long newestMs() throws IOException {
        return maxTimestamp() >= 0 ? maxTimestamp() : lastWrittenMs();
    }

    /** When the first record was appended, or the segment was opened. */
    long startedMs() {
        return startedMs;
    }

    /** Tells of every batch from an offset on. Reads their headers. */
    void replay(long fromOffset, ProducerStates producers) throws IOException {
        LogOffsetPosition first = find(Math.max(fromOffset, baseOffset));
        if (first != null) {
            long writtenMs = lastWrittenMs();
            for (RecordBatch batch : records.batchesFrom(first.position)) {
                producers.appended(batch, writtenMs);
            }
        }
    }

    /** Says whether batches that end at an offset fit, within so many bytes for the file and for each index. */
    boolean hasRoomFor(int bytes, long lastOffset, int maxBytes, int maxIndexBytes) {
        return size() <= maxBytes - bytes
                && lastOffset - baseOffset <= Integer.MAX_VALUE
                && !indexes.isFull(maxIndexBytes);
    }

    /** Appends batches whose offsets are assigned. If that fails, {@link #undoAppend} is to follow. */
    void append(MemoryRecords batches) throws IOException {
        int position = records.sizeInBytes();
        if (position == 0) {
            startedMs = System.currentTimeMillis();
        }
        records.append(batches);
        long next = nextOffset;
        for (RecordBatch batch : batches.batches()) {
            indexes.appended(batch, position);
            position += batch.sizeInBytes();
            next = batch.nextOffset();
        }
        nextOffset = next;
    }

    /** Takes back an append that failed, and what it may have written in part. */
    void undoAppend(int sizeBefore) throws IOException {
        cutTo(sizeBefore, nextOffset);
    }

    /**
     * Finds the batch that holds an offset, or the first one behind it. Reads a few batch headers of the file.
     *
     * @return its base offset, position and size, or null if the segment ends before the offset
     */
    LogOffsetPosition find(long offset) throws IOException {
        return offset >= nextOffset ? null : records.searchForOffsetFromPosition(offset, indexes.position(offset));
    }

    /** A region of the file, which is not read. */
    FileRecords slice(int position, int size) {
        return records.slice(position, size);
    }

    /** The first record at or after a timestamp that also has at least the offset, or null. Reads batches. */
    TimestampAndOffset findByTimestamp(long timestamp, long startOffset, int maxRecordBytes) throws IOException {
        return records.searchForTimestamp(
                timestamp, indexes.positionOfTime(timestamp, startOffset), startOffset, maxRecordBytes);
    }

    /**
     * The record with the largest timestamp in the batches that reach up to an offset or start behind it; offset -1 if there is
     * none. Reads the headers of the batches from where the index says, or of all where that one is before the offset, and one batch
     * in full.
     */
    TimestampAndOffset largestTimestamp(long startOffset, int maxRecordBytes) throws IOException {
        long from = Math.max(startOffset, baseOffset);
        long newest = indexes.largest().offset();
        LogOffsetPosition first = find(newest >= from ? newest : from);
        int position = first == null ? size() : first.position;
        TimestampAndOffset batch = records.largestTimestampAfter(position);
        TimestampAndOffset record = batch.offset < 0
                ? null
                : records.searchForTimestamp(batch.timestamp, position, startOffset, maxRecordBytes);
        return record == null ? batch : record;
    }

    /** Cuts the file at the start of the batch that holds the offset; returns the offset that comes next then. */
    long truncateTo(long offset) throws IOException {
        LogOffsetPosition found = find(offset);
        if (found != null) {
            cutTo(found.position, found.position == 0 ? baseOffset : found.offset);
        }
        return nextOffset;
    }

    private void cutTo(int position, long offset) throws IOException {
        indexes.cutTo(position, offset);
        records.truncateTo(position);
        nextOffset = offset;
        indexes.resume(records);
    }

    /**
     * Copies what the segment holds to an empty one beside it, without some of the records.
     *
     * @param copy from {@link #createCleaned}; on the medium on return
     * @param filter says which records stay
     */
    void copyTo(LogSegment copy, RecordFilter filter) throws IOException {
        for (int position = 0; position < size(); ) {
            MemoryRecords chunk = read(position);
            position += chunk.sizeInBytes();
            copy.appendRetained(chunk, filter);
        }
        copy.complete();
        copy.flush();
        copy.startedMs = startedMs;
        copy.nextOffset = nextOffset;
    }

    /** Whole batches from a position on, at least one. */
    private MemoryRecords read(int position) throws IOException {
        int end = position;
        for (RecordBatch batch : records.batchesFrom(position)) {
            if (end > position && end + batch.sizeInBytes() > position + CHUNK_BYTES) {
                break;
            }
            end += batch.sizeInBytes();
        }
        if (end == position) {
            throw new CorruptRecordException("there is no whole batch at byte " + position + " of " + this);
        }
        ByteBuffer buffer = ByteBuffer.allocate(end - position);
        records.slice(position, end - position).readInto(buffer, 0);
        return MemoryRecords.readableRecords(buffer);
    }

    private void appendRetained(MemoryRecords chunk, RecordFilter filter) throws IOException {
        FilterResult result = chunk.filterTo(
                filter, ByteBuffer.allocate(chunk.sizeInBytes()), BufferSupplier.NO_CACHING, Integer.MAX_VALUE);
        append(MemoryRecords.readableRecords(result.outputBuffer().flip()));
    }

    /**
     * Takes the place of the segment of which it is a copy; that one's files are gone by name, but stay open. At no time do indexes lie
     * beside records that they were not made of: a crash in between leaves a segment that lacks them, and a start builds them anew.
     */
    void takePlaceOf(LogSegment source) throws IOException {
        // How old records without a time are, and when a producer was there last, is told by the file.
        Files.setLastModifiedTime(records.file().toPath(), FileTime.fromMillis(source.lastWrittenMs()));
        source.indexes.deleteNames();
        records.renameTo(source.records.file());
        indexes.renameLike(source.indexes);
    }

    /** The batches from the file's start on, to be read one by one. */
    Iterable<? extends RecordBatch> batches() {
        return records.batches();
    }

    /** Writes the file, and its indexes, to the medium. */
    void flush() throws IOException {
        records.flush();
        indexes.flush();
    }

    /** Completes the indexes, when nothing more is appended for now. */
    void complete() throws IOException {
        indexes.complete();
    }

    /** Renames the files, as Kafka does before it deletes them: open channels and slices stay good. */
    void renameToDeleted() throws IOException {
        records.renameTo(new File(records.file().getPath() + DELETED));
        indexes.rename(DELETED);
    }

    /** Follows the rename of the folder above. */
    void updateParentFolder(File folder) {
        records.updateParentDir(folder);
        indexes.updateParentFolder(folder);
    }

    /** Closes and deletes the files. */
    void delete() throws IOException {
        records.deleteIfExists();
        indexes.delete();
    }

    /** Completes the indexes, flushes and closes the files. */
    @Override
    public void close() throws IOException {
        complete();
        indexes.flush();
        records.close();
        indexes.close();
    }

    /** Closes the files without a last write: the disk below may be gone. */
    void closeHandle() {
        closeFile(records);
        try {
            indexes.close();
        } catch (IOException ignored) {
            // Nothing was to be written, and the descriptors are gone either way.
        }
    }

    private static void closeFile(FileRecords records) {
        try {
            records.channel().close();
        } catch (IOException ignored) {
            // Likewise.
        }
    }

    long baseOffset() {
        return baseOffset;
    }

    long nextOffset() {
        return nextOffset;
    }

    long maxTimestamp() {
        return indexes.largest().timestamp();
    }

    int size() {
        return records.sizeInBytes();
    }

    /** The bytes of all its files. */
    long sizeWithIndexes() {
        return size() + indexes.sizeInBytes();
    }

    @Override
    public String toString() {
        return records.file().toString();
    }
}
