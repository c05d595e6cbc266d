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

    private final Log log;
    private long firstDirty;
    private boolean overtaken;

    Compaction(Log log) {
        this.log = log;
    }

    /** Takes nothing for compacted any more: something was cut from the log. What is under way comes to nothing. */
    synchronized void startOver() {
        firstDirty = 0;
        overtaken = true;
    }

    /** Says whether something was cut from the log since the compaction that is under way began. */
    synchronized boolean isOvertaken() {
        return overtaken;
    }

    private synchronized long begin() {
        overtaken = false;
        return firstDirty;
    }

    private synchronized void end(long offset) {
        if (!overtaken) {
            firstDirty = offset;
        }
    }

    /** Compacts the log if enough of it is new, or some of it new for long enough. */
    void compactIfDue(long nowMs) throws IOException {
        CleanupConfig cleanup = log.config().cleanup();
        long from = begin();
        List<LogSegment> dirty = new ArrayList<>();
        long cleanBytes = 0;
        long dirtyBytes = 0;
        for (LogSegment segment : log.closedSegments()) {
            if (segment.nextOffset() <= from) {
                cleanBytes += segment.size();
            } else if (nowMs - log.newestMs(segment) < cleanup.minLagMs()) {
                break;
            } else {
                dirty.add(segment);
                dirtyBytes += segment.size();
            }
        }
        if (dirtyBytes > 0) {
            boolean enough = (double) dirtyBytes / (cleanBytes + dirtyBytes) >= cleanup.minDirtyRatio();
            if (enough || nowMs - log.newestMs(dirty.get(0)) > cleanup.maxLagMs()) {
                compact(dirty, from, nowMs);
            }
        }
    }

    private void compact(List<LogSegment> dirty, long from, long nowMs) throws IOException {
        long records = dirty.stream()
                .mapToLong(segment -> segment.nextOffset() - segment.baseOffset())
                .sum();
        LatestOffsets latest = new LatestOffsets((int) Math.min(MOST_KEYS, records));
        long end = learn(dirty, from, latest);
        long before = log.sizeInBytes();
        SupersededRecords superseded = new SupersededRecords(log, latest, nowMs);
        for (LogSegment segment : log.closedSegments()) {
            if (segment.baseOffset() < end) {
                rewrite(segment, superseded);
            }
        }
        end(end);
        LOG.info("{} is compacted up to offset {}: from {} to {} bytes", log, end, before, log.sizeInBytes());
    }

    /** Notes the newest record of each key; returns the offset behind what was looked at. */
    private long learn(List<LogSegment> dirty, long from, LatestOffsets latest) throws IOException {
        long[] end = {from};
        for (LogSegment segment : dirty) {
            log.whileNothingIsCut(() -> end[0] = learn(segment, from, latest));
            if (end[0] < segment.nextOffset()) {
                break;
            }
        }
        return end[0];
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
        if (!log.replace(segment, copy)) {
            // Retention or a truncation was faster.
            copy.delete();
        }
    }

    private LogSegment copyOf(LogSegment segment, SupersededRecords superseded) throws IOException {
        LogSegment copy = log.newCopyOf(segment);
        try {
            log.whileNothingIsCut(() -> segment.copyTo(copy, superseded));
            return copy;
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
