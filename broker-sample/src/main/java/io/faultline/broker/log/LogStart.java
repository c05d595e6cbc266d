package io.faultline.broker.log;

import java.io.File;
import java.io.IOException;
import java.util.List;
import java.util.function.Supplier;

/**
 * Where a log starts. What lies before is gone for every client at once; its files are renamed, and deleted with a delay, so that
 * responses in flight are sent to their end. The log's writer changes it, any thread looks.
 */
final class LogStart {

    private final String name;
    private final LogDirectory directory;
    private final LogSegments segments;
    private final Supplier<File> folder;
    private final LogUpkeep upkeep;
    private volatile long offset;

    /**
     * Makes the start of a log that is not loaded yet.
     *
     * @param name the name of the log
     * @param segments its segments
     * @param folder where they are now
     * @param upkeep deletes files
     */
    LogStart(String name, LogSegments segments, Supplier<File> folder, LogUpkeep upkeep) {
        this.name = name;
        this.directory = upkeep.directory();
        this.segments = segments;
        this.folder = folder;
        this.upkeep = upkeep;
    }

    long offset() {
        return offset;
    }

    /** Starts a log that was loaded and ends at an offset where it has started before. */
    void load(long endOffset) {
        long kept = directory.startOffsets().get(name).orElse(0);
        offset = Math.min(Math.max(segments.firstOffset(), kept), endOffset);
    }

    /** Starts with the first segment, which is another one now. */
    void reset() {
        offset = segments.firstOffset();
    }

    /** Starts where the log does of which this is a copy. */
    void copy(LogStart other) throws IOException {
        if (other.offset > segments.firstOffset()) {
            directory.startOffsets().put(name, other.offset);
        }
        offset = other.offset;
    }

    /** Starts at an offset. What says so is kept before anything is deleted. */
    void moveTo(long next, long deleteDelayMs) throws IOException {
        long first = segments.holding(next).baseOffset();
        if (next > first) {
            directory.startOffsets().put(name, next);
        }
        offset = next;
        remove(segments.before(first), deleteDelayMs);
        ProducerSnapshots.deleteBefore(folder.get(), first);
        if (next == first) {
            directory.startOffsets().remove(name);
        }
    }

    /** Takes segments away. Where there is not even room for another name, they are deleted by the names that they have. */
    void remove(List<LogSegment> gone, long deleteDelayMs) throws IOException {
        gone.forEach(segments::remove);
        try {
            for (LogSegment segment : gone) {
                segment.renameToDeleted();
            }
        } finally {
            upkeep.later(deleteDelayMs, "deleting files of", () -> {
                for (LogSegment segment : gone) {
                    segment.delete();
                }
            });
        }
    }
}
