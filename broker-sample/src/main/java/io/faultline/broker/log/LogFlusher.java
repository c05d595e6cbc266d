package io.faultline.broker.log;

import java.io.File;
import java.io.IOException;
import java.util.function.Supplier;

/**
 * Writes a log to its medium, and knows how much of it is there. Safe for use by any thread; appends go on meanwhile.
 *
 * <p>A flush that fails is a failed directory and is never tried again: the kernel may have dropped the pages, and would call the next
 * flush a success.
 */
final class LogFlusher {

    private final LogSegments segments;
    private final Supplier<File> folder;
    private volatile long recoveryPoint;
    private volatile long flushedMs = System.currentTimeMillis();

    /**
     * Makes one.
     *
     * @param segments the segments of the log
     * @param folder where they are now
     */
    LogFlusher(LogSegments segments, Supplier<File> folder) {
        this.segments = segments;
        this.folder = folder;
    }

    /** All records before it are on the medium. */
    long recoveryPoint() {
        return recoveryPoint;
    }

    /** When the log was flushed last, or loaded. */
    long flushedMs() {
        return flushedMs;
    }

    /** Says how much is on the medium of a log that was loaded. */
    synchronized void loaded(long offset) {
        recoveryPoint = offset;
    }

    /** Writes everything before an offset to the medium. */
    synchronized void flushTo(long offset) throws IOException {
        flushedMs = System.currentTimeMillis();
        if (offset <= recoveryPoint) {
            return;
        }
        boolean newSegment = false;
        for (LogSegment segment : segments.from(recoveryPoint)) {
            if (segment.baseOffset() < offset) {
                segment.flush();
                newSegment |= segment.baseOffset() >= recoveryPoint;
            }
        }
        if (newSegment) {
            Durability.flushFolder(folder.get().toPath());
        }
        recoveryPoint = offset;
    }

    /** Waits for a flush that is under way, and renames the folder. */
    synchronized void whileNothingIsFlushed(LogDirectory.IoAction rename) throws IOException {
        rename.run();
    }

    /** Waits for a flush that is under way, and forgets what it has flushed from an offset on. */
    synchronized void forget(long offset) {
        recoveryPoint = Math.min(recoveryPoint, offset);
    }
}
