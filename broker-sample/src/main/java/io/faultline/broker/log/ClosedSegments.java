package io.faultline.broker.log;

import java.io.IOException;
import java.util.List;
import org.apache.kafka.common.record.internal.RecordBatch;

/**
 * The segments of a log that nothing is appended to any more, for whoever rewrites them while others append, read and delete. Safe for use
 * by any thread.
 */
final class ClosedSegments {

    private final LogFiles files;

    ClosedSegments(LogFiles files) {
        this.files = files;
    }

    /** All of them, oldest first; a copy. */
    List<LogSegment> all() {
        return files.segments().before(files.end().segmentBaseOffset());
    }

    /** The time of the newest record of a segment, in milliseconds since the epoch. */
    long newestMs(LogSegment segment) throws IOException {
        synchronized (files) {
            // The files of a log that is deleted are elsewhere.
            files.requireOpen();
            return segment.newestMs();
        }
    }

    /** Says whether a batch is among the last of its producer, of which one that comes again is not appended again. */
    boolean mayBeSentAgain(RecordBatch batch) {
        return files.producers().remembers(batch);
    }

    /** Begins a copy of a segment, in files beside it. */
    LogSegment newCopyOf(LogSegment segment) throws IOException {
        synchronized (files) {
            // A log that is deleted has no folder of its name any more.
            files.requireOpen();
            return LogSegment.createCleaned(
                    files.folder(), segment.baseOffset(), files.config().indexIntervalBytes());
        }
    }

    /**
     * Puts a copy in a segment's place.
     *
     * @param truncations how often something was cut from the log when it was begun to make the copy
     * @return false if something was cut since, or the segment has gone meanwhile, or is another one
     */
    boolean replace(LogSegment segment, LogSegment copy, int truncations) {
        synchronized (files) {
            boolean gone = files.segments().get(segment.baseOffset()) != segment;
            if (files.isClosed() || gone || files.truncations() != truncations) {
                return false;
            }
            files.replace(segment, copy);
            return true;
        }
    }
}
