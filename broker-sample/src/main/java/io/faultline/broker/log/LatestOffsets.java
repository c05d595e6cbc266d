package io.faultline.broker.log;

import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;

/**
 * The newest offset of each key, for as many keys as fit: 24 bytes each, however long they are. Keys are told apart by their MD5, as
 * in Kafka. For one thread.
 */
final class LatestOffsets {

    private static final long NONE = -1;
    private static final double FILL = 0.75;
    private static final int HALF_DIGEST = Long.BYTES;

    private final MessageDigest digest;
    private final long[] high;
    private final long[] low;
    private final long[] offsets;
    private final int capacity;
    private int size;

    /** Makes an empty map for a number of keys, at least 1. */
    LatestOffsets(int capacity) {
        this.capacity = capacity;
        int slots = (int) (capacity / FILL) + 1;
        high = new long[slots];
        low = new long[slots];
        offsets = new long[slots];
        Arrays.fill(offsets, NONE);
        try {
            digest = MessageDigest.getInstance("MD5");
        } catch (NoSuchAlgorithmException broken) {
            throw new IllegalStateException("every Java has MD5", broken);
        }
    }

    /** Says whether another key may not fit. */
    boolean isFull() {
        return size == capacity;
    }

    /** Notes a key's record; the buffer is left as it was. */
    void put(ByteBuffer key, long offset) {
        int slot = slot(key);
        size += offsets[slot] == NONE ? 1 : 0;
        offsets[slot] = offset;
    }

    /** Says whether there is a newer record of a key; the buffer is left as it was. */
    boolean hasNewer(ByteBuffer key, long offset) {
        return offsets[slot(key)] > offset;
    }

    /** Where a key is, or would be, which it is given. */
    private int slot(ByteBuffer key) {
        digest.update(key.duplicate());
        ByteBuffer hash = ByteBuffer.wrap(digest.digest());
        long first = hash.getLong(0);
        long second = hash.getLong(HALF_DIGEST);
        int slot = (int) Long.remainderUnsigned(first, offsets.length);
        while (offsets[slot] != NONE && (high[slot] != first || low[slot] != second)) {
            slot = (slot + 1) % offsets.length;
        }
        high[slot] = first;
        low[slot] = second;
        return slot;
    }
}
