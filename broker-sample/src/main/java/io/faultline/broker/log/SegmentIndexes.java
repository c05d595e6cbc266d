package io.faultline.broker.log;

import java.io.Closeable;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import org.apache.kafka.common.record.internal.FileLogInputStream.FileChannelRecordBatch;
import org.apache.kafka.common.record.internal.FileRecords;
import org.apache.kafka.common.record.internal.RecordBatch;

/**
 * The indexes of one segment, by offset and by time: two files beside that of the records.
 *
 * <p>Every so many bytes a batch gets an entry. The entries behind the last one need no reading of more than that: this is how what
 * is not in the files is known again after a restart, and how a file that lost its end is told from a whole one.
 *
 * <p>The log's writer appends and cuts; any thread looks up.
 */
final class SegmentIndexes implements Closeable {

    private final long baseOffset;
    private final int intervalBytes;
    private final IndexFile offsetFile;
    private final IndexFile timeFile;
    private final OffsetIndex offsets;
    private final TimeIndex times;
    private int bytesSinceIndexed;
    private volatile TimestampOffset largest;

    private SegmentIndexes(long baseOffset, int intervalBytes, IndexFile offsetFile, IndexFile timeFile)
            throws IOException {
        this.baseOffset = baseOffset;
        this.intervalBytes = intervalBytes;
        this.offsetFile = offsetFile;
        this.timeFile = timeFile;
        this.offsets = new OffsetIndex(offsetFile, baseOffset);
        this.times = new TimeIndex(timeFile, baseOffset);
        this.largest = times.last();
    }

    private static File offsetFile(File folder, long baseOffset, String kind) {
        return LogSegment.file(folder, baseOffset, OffsetIndex.SUFFIX + kind);
    }

    private static File timeFile(File folder, long baseOffset, String kind) {
        return LogSegment.file(folder, baseOffset, TimeIndex.SUFFIX + kind);
    }

    /** Deletes the files of indexes that nobody has open. */
    static void delete(File folder, long baseOffset, String kind) throws IOException {
        Files.deleteIfExists(offsetFile(folder, baseOffset, kind).toPath());
        Files.deleteIfExists(timeFile(folder, baseOffset, kind).toPath());
    }

    /**
     * Makes empty indexes; what a segment of that base left is replaced. If that fails, nothing is left open.
     *
     * @param kind what is behind the files' names; empty for a segment that is in use
     */
    static SegmentIndexes create(File folder, long baseOffset, String kind, int intervalBytes) throws IOException {
        IndexFile offsetFile = IndexFile.create(offsetFile(folder, baseOffset, kind), OffsetIndex.ENTRY_BYTES);
        try {
            IndexFile timeFile = IndexFile.create(timeFile(folder, baseOffset, kind), TimeIndex.ENTRY_BYTES);
            return new SegmentIndexes(baseOffset, intervalBytes, offsetFile, timeFile);
        } catch (IOException failure) {
            offsetFile.close();
            throw failure;
        }
    }

    /**
     * Opens the indexes of a segment that was closed in order.
     *
     * @param records the segment's file
     * @return the indexes
     * @throws CorruptIndexException if they are missing, torn, foreign, or disagree with the file
     */
    static SegmentIndexes open(File folder, long baseOffset, int intervalBytes, FileRecords records)
            throws IOException, CorruptIndexException {
        IndexFile offsetFile = IndexFile.open(offsetFile(folder, baseOffset, ""), OffsetIndex.ENTRY_BYTES);
        IndexFile timeFile = null;
        try {
            timeFile = IndexFile.open(timeFile(folder, baseOffset, ""), TimeIndex.ENTRY_BYTES);
            SegmentIndexes indexes = new SegmentIndexes(baseOffset, intervalBytes, offsetFile, timeFile);
            indexes.check(records);
            return indexes;
        } catch (IOException | CorruptIndexException | RuntimeException failure) {
            offsetFile.close();
            if (timeFile != null) {
                timeFile.close();
            }
            throw failure;
        }
    }

    /** Reads the headers of the batches at the last entries and behind them, never more than an interval. */
    private void check(FileRecords records) throws IOException, CorruptIndexException {
        OffsetIndex.Entry last = offsets.last();
        if (last.position() < 0 || last.position() > records.sizeInBytes() || last.offset() < baseOffset) {
            throw new CorruptIndexException("its offset index ends at " + last + ", which is not in the file");
        }
        boolean first = true;
        for (FileChannelRecordBatch batch : records.batchesFrom(last.position())) {
            if (first && !offsets.isEmpty() && batch.lastOffset() != last.offset()) {
                throw new CorruptIndexException("its offset index ends at " + last
                        + ", where the batch's last offset is " + batch.lastOffset());
            }
            if (batch.position() - last.position() > intervalBytes) {
                throw new CorruptIndexException("its offset index lacks entries from byte " + batch.position() + " on");
            }
            if (batch.maxTimestamp() > times.last().timestamp()) {
                throw new CorruptIndexException(
                        "its time index ends before timestamp " + batch.maxTimestamp() + ", which is in the file");
            }
            first = false;
        }
        if (first && !offsets.isEmpty()) {
            throw new CorruptIndexException("its offset index ends at " + last + ", where the file has no batch");
        }
        checkLastTime(records);
    }

    private void checkLastTime(FileRecords records) throws IOException, CorruptIndexException {
        TimestampOffset last = times.last();
        if (times.isEmpty()) {
            return;
        }
        for (FileChannelRecordBatch batch :
                records.batchesFrom(offsets.floor(last.offset()).position())) {
            if (batch.lastOffset() >= last.offset()) {
                if (batch.lastOffset() == last.offset() && batch.maxTimestamp() == last.timestamp()) {
                    return;
                }
                break;
            }
        }
        throw new CorruptIndexException("its time index ends at " + last + ", which is in no batch");
    }

    /**
     * Reads the headers of the batches that have no entries behind them, so that appends can go on.
     *
     * @return the offset behind the last batch
     */
    long resume(FileRecords records) {
        int position = offsets.last().position();
        long next = baseOffset;
        TimestampOffset newest = times.last();
        for (FileChannelRecordBatch batch : records.batchesFrom(position)) {
            newest = newest.max(batch);
            next = batch.nextOffset();
        }
        largest = newest;
        bytesSinceIndexed = records.sizeInBytes() - position;
        return next;
    }

    /** Notes a batch that was appended. */
    void appended(RecordBatch batch, int position) throws IOException {
        TimestampOffset newest = largest.max(batch);
        if (bytesSinceIndexed > intervalBytes) {
            offsets.append(batch.lastOffset(), position);
            times.append(newest);
            bytesSinceIndexed = 0;
        }
        bytesSinceIndexed += batch.sizeInBytes();
        largest = newest;
    }

    /** Says whether no more entries are to be added, within so many bytes for a file. */
    boolean isFull(int maxBytes) {
        // The time index needs one more for the end.
        return offsetFile.isFull(maxBytes) || timeFile.isFull(maxBytes - TimeIndex.ENTRY_BYTES);
    }

    /** Where to begin to look for an offset. Reads a few entries. */
    int position(long offset) throws IOException {
        return offsets.floor(offset).position();
    }

    /** Where to begin to look for the first record that is not older than a timestamp. Reads a few entries. */
    int positionOfTime(long timestamp, long startOffset) throws IOException {
        return position(Math.max(times.floor(timestamp).offset(), startOffset));
    }

    /** The largest timestamp of the segment, and the batch that has it. */
    TimestampOffset largest() {
        return largest;
    }

    /** Forgets what is said of the batches from a position on, which begin at an offset. */
    void cutTo(int position, long offset) throws IOException {
        offsets.cutTo(position);
        times.cutTo(offset);
    }

    /** Adds the last entry by time, when nothing more is appended. */
    void complete() throws IOException {
        times.append(largest);
    }

    void flush() throws IOException {
        offsetFile.flush();
        timeFile.flush();
    }

    void rename(String suffix) throws IOException {
        offsetFile.rename(suffix);
        timeFile.rename(suffix);
    }

    /** Deletes the files by name; they stay open. */
    void deleteNames() throws IOException {
        offsetFile.deleteName();
        timeFile.deleteName();
    }

    /** Takes the names of other indexes, whose files have gone. */
    void renameLike(SegmentIndexes other) throws IOException {
        offsetFile.renameTo(other.offsetFile.file());
        timeFile.renameTo(other.timeFile.file());
    }

    /** The bytes of both files. */
    long sizeInBytes() {
        return offsetFile.sizeInBytes() + timeFile.sizeInBytes();
    }

    void updateParentFolder(File folder) {
        offsetFile.updateParentFolder(folder);
        timeFile.updateParentFolder(folder);
    }

    /** Closes and deletes the files. */
    void delete() throws IOException {
        offsetFile.delete();
        timeFile.delete();
    }

    @Override
    public void close() throws IOException {
        offsetFile.close();
        timeFile.close();
    }
}
