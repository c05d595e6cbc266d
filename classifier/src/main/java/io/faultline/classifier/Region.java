package io.faultline.classifier;

/**
 * A part of a file.
 *
 * @param position the first byte, at least 0
 * @param count how many bytes, at least 0
 */
public record Region(long position, long count) {

    /**
     * The most that one transfer of the JDK attempts: {@code FileChannelImpl.transferTo} clamps to an {@code int}.
     */
    public static final long MOST_IN_ONE_TRANSFER = Integer.MAX_VALUE;

    /**
     * Refuses what is no region.
     *
     * @throws IllegalArgumentException if either number is negative
     */
    public Region {
        if (position < 0 || count < 0) {
            throw new IllegalArgumentException("no region: position " + position + ", count " + count);
        }
    }

    /**
     * The region that a transfer with these arguments can have attempted.
     *
     * @param position the transfer's position; a negative one counts as 0
     * @param count the transfer's count, clamped here to 0 … {@link #MOST_IN_ONE_TRANSFER}
     * @return the region, never null
     */
    public static Region attempted(long position, long count) {
        return new Region(Math.max(0, position), Math.max(0, Math.min(count, MOST_IN_ONE_TRANSFER)));
    }

    /**
     * The first byte behind the region.
     *
     * @return position + count, or {@link Long#MAX_VALUE} where that would overflow
     */
    public long end() {
        long end = position + count;
        return end < 0 ? Long.MAX_VALUE : end;
    }

    /**
     * Says whether two regions of one file share a byte or touch, so that one pass reads both.
     *
     * @param other another region of the same file
     * @return true if no byte lies between them
     */
    public boolean meets(Region other) {
        return position <= other.end() && other.position <= end();
    }

    /**
     * The smallest region that covers both.
     *
     * @param other another region of the same file
     * @return the cover, never null
     */
    public Region cover(Region other) {
        long start = Math.min(position, other.position);
        return new Region(start, Math.max(end(), other.end()) - start);
    }
}
