package io.faultline.client.spool;

import java.nio.file.Path;
import java.time.Duration;

/**
 * How a spool is kept.
 *
 * @param directory {@code spool.dir}
 * @param maxBytes {@code spool.max.bytes}: how much its segments may have together
 * @param sync {@code spool.sync}
 * @param retention {@code spool.retention.ms}: for how long an accepted record is tried to be delivered
 * @param timeout {@code spool.timeout.ms}: for how long one operation on the disk may take
 */
public record SpoolConfig(Path directory, long maxBytes, SpoolSync sync, Duration retention, Duration timeout) {

    private static final long SMALLEST_SEGMENT = 64 << 10;
    private static final long LARGEST_SEGMENT = 16 << 20;
    private static final int SEGMENTS = 16;

    /** How large a segment becomes: a small part of the whole, since only whole segments are given back. */
    long segmentBytes() {
        return Math.max(SMALLEST_SEGMENT, Math.min(LARGEST_SEGMENT, maxBytes / SEGMENTS));
    }
}
