package io.faultline.broker.log;

import java.io.IOException;

/**
 * How much of a log is kept.
 *
 * @param ms how long records are kept, in milliseconds; negative for ever
 * @param bytes how much is kept, in bytes; negative for all
 */
record Retention(long ms, long bytes) {

    /** The first offset to keep; the end of the active segment if even that is too old. */
    long startOffset(LogSegments segments, long nowMs) throws IOException {
        return Math.max(behindExpired(segments, nowMs), behindExcess(segments));
    }

    private long behindExpired(LogSegments segments, long nowMs) throws IOException {
        long keepFrom = segments.firstOffset();
        for (LogSegment segment : segments.all()) {
            boolean nothingYet = segment.size() == 0 && segment == segments.active();
            if (ms < 0 || nothingYet || nowMs - segment.newestMs() <= ms) {
                break;
            }
            keepFrom = segments.endOf(segment);
        }
        return keepFrom;
    }

    private long behindExcess(LogSegments segments) {
        long keepFrom = segments.firstOffset();
        long excess = bytes < 0 ? -1 : segments.sizeInBytes() - bytes;
        for (LogSegment segment : segments.all()) {
            excess -= segment.size();
            if (excess < 0 || segment == segments.active()) {
                break;
            }
            keepFrom = segments.endOf(segment);
        }
        return keepFrom;
    }
}
