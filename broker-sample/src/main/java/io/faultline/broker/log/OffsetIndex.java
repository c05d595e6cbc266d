package io.faultline.broker.log;

import java.util.Arrays;

/**
 * A sparse index of one segment, in memory: for some of its batches, the base offset and the position in the file.
 *
 * <p>The log's writer adds and truncates, any thread looks up.
 */
final class OffsetIndex {

    private long[] offsets = new long[16];
    private int[] positions = new int[16];
    private int size;

    /** Adds a batch behind all others. */
    synchronized void add(long offset, int position) {
        if (size == offsets.length) {
            offsets = Arrays.copyOf(offsets, size * 2);
            positions = Arrays.copyOf(positions, size * 2);
        }
        offsets[size] = offset;
        positions[size] = position;
        size++;
    }

    /** The position of the last indexed batch that starts at or before an offset; 0 where there is none. */
    synchronized int floor(long offset) {
        int found = Arrays.binarySearch(offsets, 0, size, offset);
        int at = found >= 0 ? found : -found - 2;
        return at < 0 ? 0 : positions[at];
    }

    /** Forgets the batches at and behind a position. */
    synchronized void truncateTo(int position) {
        while (size > 0 && positions[size - 1] >= position) {
            size--;
        }
    }
}
