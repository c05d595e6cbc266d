package io.faultline.broker.log;

import java.io.IOException;
import java.nio.ByteBuffer;
import org.apache.kafka.common.record.internal.RecordBatch;

/**
 * The {@code .timeindex} of a segment, in Kafka's format: for some places in it, the largest timestamp so far and the last offset of
 * the batch that has it, counted from the segment's base. Timestamps and offsets ascend.
 *
 * <p>The log's writer appends and cuts; any thread looks up.
 */
final class TimeIndex {

    static final String SUFFIX = ".timeindex";
    static final int ENTRY_BYTES = Long.BYTES + Integer.BYTES;

    private final long baseOffset;
    private final IndexFile file;
    private volatile TimestampOffset last;

    /** The index in a file, which may have entries. */
    TimeIndex(IndexFile file, long baseOffset) throws IOException {
        this.file = file;
        this.baseOffset = baseOffset;
        this.last = entry(file.entries() - 1);
    }

    private TimestampOffset entry(int index) throws IOException {
        if (index < 0) {
            return new TimestampOffset(RecordBatch.NO_TIMESTAMP, baseOffset);
        }
        ByteBuffer entry = file.entry(index);
        return new TimestampOffset(entry.getLong(), baseOffset + entry.getInt());
    }

    boolean isEmpty() {
        return file.entries() == 0;
    }

    /** The last entry; no timestamp at the start of the segment where there is none. */
    TimestampOffset last() {
        return last;
    }

    /** The last entry that is not newer than a timestamp: up to there, no record is newer. Reads a few entries. */
    TimestampOffset floor(long timestamp) throws IOException {
        return entry(file.floor(timestamp, ByteBuffer::getLong));
    }

    /** Adds the largest timestamp so far, if it has grown since the last entry. */
    void append(TimestampOffset largest) throws IOException {
        if (largest.timestamp() > last.timestamp()) {
            file.append(ByteBuffer.allocate(ENTRY_BYTES)
                    .putLong(largest.timestamp())
                    .putInt(Math.toIntExact(largest.offset() - baseOffset))
                    .flip());
            last = largest;
        }
    }

    /** Forgets what is said of an offset and those behind. */
    void cutTo(long offset) throws IOException {
        int kept = file.floor(offset - baseOffset - 1, entry -> entry.getInt(Long.BYTES)) + 1;
        file.cutTo(kept);
        last = entry(kept - 1);
    }
}
