package io.faultline.broker.log;

import java.io.IOException;
import java.util.Optional;
import org.apache.kafka.common.record.internal.FileRecords.LogOffsetPosition;
import org.apache.kafka.common.record.internal.FileRecords.TimestampAndOffset;
import org.apache.kafka.common.record.internal.MemoryRecords;

/**
 * Finds things in the segments of a log.
 *
 * @param segments the segments
 */
record LogSearch(LogSegments segments) {

    /** The region from an offset on, up to the end of its segment. Reads a few entries of an index and batch headers. */
    LogSlice slice(long offset, int maxBytes, boolean atLeastOneBatch, long startOffset, LogEnd seen)
            throws IOException {
        LogSegment segment = segments.holding(offset);
        while (segment != null && offset < seen.offset()) {
            LogOffsetPosition found = segment.find(offset);
            if (found != null) {
                int limit = segment.baseOffset() == seen.segmentBaseOffset() ? seen.position() : segment.size();
                int wanted = Math.max(maxBytes, atLeastOneBatch ? found.size : 0);
                int size = Math.max(0, Math.min(wanted, limit - found.position));
                return new LogSlice(
                        segment.slice(found.position, size),
                        segment.baseOffset(),
                        found.position,
                        size == 0 ? 0 : found.size,
                        startOffset,
                        seen);
            }
            segment = segments.next(segment);
        }
        return new LogSlice(MemoryRecords.EMPTY, seen.segmentBaseOffset(), seen.position(), 0, startOffset, seen);
    }

    /** The first record that is not older than a timestamp. Reads some batches of one segment. */
    Optional<TimestampAndOffset> firstAt(long timestamp, long startOffset, int maxMessageBytes) throws IOException {
        for (LogSegment segment : segments.all()) {
            if (segment.maxTimestamp() >= timestamp) {
                TimestampAndOffset found = segment.findByTimestamp(timestamp, startOffset, maxMessageBytes);
                if (found != null) {
                    return Optional.of(found);
                }
            }
        }
        return Optional.empty();
    }

    /** The record with the largest timestamp. Reads some batch headers, and some batches. */
    Optional<TimestampAndOffset> largestTimestamp(long startOffset, int maxMessageBytes) throws IOException {
        TimestampAndOffset largest = null;
        for (LogSegment segment : segments.all()) {
            if (largest == null || segment.maxTimestamp() > largest.timestamp) {
                TimestampAndOffset found = segment.largestTimestamp(startOffset, maxMessageBytes);
                boolean larger = largest == null || found.timestamp > largest.timestamp;
                largest = found.offset >= 0 && larger ? found : largest;
            }
        }
        return Optional.ofNullable(largest);
    }
}
