package io.faultline.broker.log;

import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * The {@code .index} of a segment, in Kafka's format: for some of its batches, the last offset, counted from the segment's base, and
 * the position in the segment's file.
 *
 * <p>The log's writer appends and cuts; any thread looks up.
 */
final class OffsetIndex {

    static final String SUFFIX = ".index";
    static final int ENTRY_BYTES = 2 * Integer.BYTES;

    private final long baseOffset;
    private final IndexFile file;
    private volatile Entry last;

    /**
     * An entry.
     *
     * @param offset the last offset of a batch
     * @param position where the batch is in the segment's file
     */
    record Entry(long offset, int position) {}

    /** The index in a file, which may have entries. */
    OffsetIndex(IndexFile file, long baseOffset) throws IOException {
        this.file = file;
        this.baseOffset = baseOffset;
        this.last = entry(file.entries() - 1);
    }

    private Entry entry(int index) throws IOException {
        if (index < 0) {
            return new Entry(baseOffset, 0);
        }
        ByteBuffer entry = file.entry(index);
        return new Entry(baseOffset + entry.getInt(), entry.getInt());
    }

    boolean isEmpty() {
        return file.entries() == 0;
    }

    /** The last entry; the start of the segment where there is none. */
    Entry last() {
        return last;
    }

    /** The last entry at or before an offset; the start of the segment where there is none. Reads a few entries. */
    Entry floor(long offset) throws IOException {
        Entry newest = last;
        if (offset >= newest.offset()) {
            // So it is for whoever reads at the end of the log, which is most.
            return newest;
        }
        return entry(file.floor(offset - baseOffset, ByteBuffer::getInt));
    }

    void append(long offset, int position) throws IOException {
        file.append(ByteBuffer.allocate(ENTRY_BYTES)
                .putInt(Math.toIntExact(offset - baseOffset))
                .putInt(position)
                .flip());
        last = new Entry(offset, position);
    }

    /** Forgets the batches at and behind a position. */
    void cutTo(int position) throws IOException {
        int kept = file.floor(position - 1L, entry -> entry.getInt(Integer.BYTES)) + 1;
        file.cutTo(kept);
        last = entry(kept - 1);
    }
}
