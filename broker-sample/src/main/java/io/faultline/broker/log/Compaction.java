package io.faultline.broker.log;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.record.internal.Record;
import org.apache.kafka.common.record.internal.RecordBatch;
import org.apache.kafka.common.utils.internals.BufferSupplier;
import org.apache.kafka.common.utils.internals.CloseableIterator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Compacts one log, as Kafka's cleaner does: of the records of a key, those go that a newer one follows; one without a value goes too,
 * {@code delete.retention.ms} after the first compaction that met it. Offsets stay. The active segment is left alone.
 *
 * <p>For one thread at a time, while others append and read: segments are rewritten beside, and then take the place of the old ones. What is
 * compacted already is known until a restart, which does no harm: it is compacted once more then.
 */
final class Compaction {

    private static final Logger LOG = LoggerFactory.getLogger(Compaction.class);

    /** Keys in one pass, which take 8 MiB; a log with more needs more passes. */
    private static final int MOST_KEYS = 1 << 18;

    private final LogFiles log;
    private final ClosedSegments closed;
    private long firstDirty;
    /** When something was cut from the log since, nothing is taken for compacted any more. */
    private int truncations;

    Compaction(LogFiles log) {
        this.log = log;
        this.closed = new ClosedSegments(log);
    }

    /** Compacts the log if enough of it is new, or some of it new for long enough. */
    synchronized void compactIfDue(long nowMs) throws IOException {
        CleanupConfig cleanup = log.config().cleanup();
        if (log.truncations() != truncations) {
            truncations = log.truncations();
            firstDirty = 0;
        }
        List<LogSegment> dirty = new ArrayList<>();
        long cleanBytes = 0;
        long dirtyBytes = 0;
        for (LogSegment segment : closed.all()) {
            if (segment.nextOffset() <= firstDirty) {
                cleanBytes += segment.size();
            } else if (nowMs - closed.newestMs(segment) < cleanup.minLagMs()) {
                break;
            } else {
                dirty.add(segment);
                dirtyBytes += segment.size();
            }
        }
        if (dirtyBytes > 0) {
            boolean enough = (double) dirtyBytes / (cleanBytes + dirtyBytes) >= cleanup.minDirtyRatio();
            if (enough || nowMs - closed.newestMs(dirty.get(0)) > cleanup.maxLagMs()) {
                compact(dirty, nowMs);
            }
        }
    }

    private void compact(List<LogSegment> dirty, long nowMs) throws IOException {
        long records = dirty.stream()
                .mapToLong(segment -> segment.nextOffset() - segment.baseOffset())
                .sum();
        LatestOffsets latest = new LatestOffsets((int) Math.min(MOST_KEYS, records));
        long end = learn(dirty, firstDirty, latest);
        long before = log.segments().sizeInBytes();
        SupersededRecords superseded =
                new SupersededRecords(closed, latest, log.config().cleanup(), nowMs);
        for (LogSegment segment : closed.all()) {
            if (segment.baseOffset() < end) {
                rewrite(segment, superseded);
            }
        }
        firstDirty = end;
        LOG.info(
                "{} is compacted up to offset {}: from {} to {} bytes",
                log,
                end,
                before,
                log.segments().sizeInBytes());
    }

    /** Notes the newest record of each key; returns the offset behind what was looked at. */
    private long learn(List<LogSegment> dirty, long from, LatestOffsets latest) throws IOException {
        long end = from;
        for (LogSegment segment : dirty) {
            end = log.whileNothingIsCut(() -> learn(segment, from, latest));
            if (end < segment.nextOffset()) {
                break;
            }
        }
        return end;
    }

    private static long learn(LogSegment segment, long from, LatestOffsets latest) {
        for (RecordBatch batch : segment.batches()) {
            try (CloseableIterator<Record> records =
                    batch.streamingIterator(BufferSupplier.NO_CACHING, Integer.MAX_VALUE)) {
                while (records.hasNext()) {
                    Record record = records.next();
                    if (latest.isFull()) {
                        return record.offset();
                    }
                    if (record.offset() >= from && record.hasKey()) {
                        latest.put(record.key(), record.offset());
                    }
                }
            }
        }
        return segment.nextOffset();
    }

    /** A disk that has no room for the copy is none that failed. */
    private void rewrite(LogSegment segment, SupersededRecords superseded) throws IOException {
        LogSegment copy = log.directory()
                .write("compacting " + segment, segment.sizeWithIndexes(), () -> copyOf(segment, superseded));
        if (!closed.replace(segment, copy, truncations)) {
            // Retention or a truncation was faster.
            copy.delete();
        }
    }

    private LogSegment copyOf(LogSegment segment, SupersededRecords superseded) throws IOException {
        LogSegment copy = closed.newCopyOf(segment);
        try {
            return log.whileNothingIsCut(() -> {
                segment.copyTo(copy, superseded);
                return copy;
            });
        } catch (IOException | RuntimeException failure) {
            try {
                // It may be what filled the disk.
                copy.delete();
            } catch (IOException left) {
                failure.addSuppressed(left);
            }
            throw failure;
        }
    }
}
