package io.faultline.broker.log;

import java.io.File;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.function.Supplier;
import org.apache.kafka.common.errors.NotLeaderOrFollowerException;
import org.apache.kafka.common.record.internal.FileRecords;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.RecordBatch;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The move of one partition to another log directory while it serves: a copy grows there, in a folder of its own, until little is
 * missing; then nobody appends for a moment, and the copy takes over. Where the log was truncated before that, the copy begins anew: it
 * may have what was forgotten. Whatever goes wrong before that leaves the partition where it is, also a crash: the copy is thrown away.
 * From then on the folder that was moved more often is the partition's.
 */
final class PartitionMove implements Runnable {

    private static final Logger LOG = LoggerFactory.getLogger(PartitionMove.class);
    private static final int CHUNK_BYTES = 1 << 20;
    /** So little that producers do not notice the wait for it. */
    private static final long SMALL_LAG = 100;

    private final Partition partition;
    private final Supplier<Topic> topic;
    private final LogDirectory target;
    private final Runnable moved;
    private volatile boolean cancelled;

    /**
     * Makes a move.
     *
     * @param partition the partition
     * @param topic its topic, as it is when asked
     * @param target where it goes
     * @param moved called when it is there
     */
    PartitionMove(Partition partition, Supplier<Topic> topic, LogDirectory target, Runnable moved) {
        this.partition = partition;
        this.topic = topic;
        this.target = target;
        this.moved = moved;
    }

    LogDirectory target() {
        return target;
    }

    /** Ends the move at its next step, unless it is over. */
    void cancel() {
        cancelled = true;
    }

    @Override
    public void run() {
        if (cancelled || partition.directory() == target) {
            // Where it is there already, an earlier move was given up too late, or one from there in time.
            return;
        }
        try {
            Log source = partition.log();
            while (!copied(source)) {
                LOG.info("{} was truncated while it was copied to {}: the copy begins anew", partition, target);
            }
            LOG.info("{} moved from {} to {}", partition, source.directory(), target);
            moved.run();
        } catch (RuntimeException failure) {
            LOG.warn(
                    "{} stays in {} and is not moved to {}: {}",
                    partition,
                    partition.directory(),
                    target,
                    failure.toString());
        }
    }

    /** Copies the log and lets the copy take over; false if the log was truncated meanwhile. */
    private boolean copied(Log source) {
        requireWanted();
        int truncations = source.truncations();
        LogCopy copy = LogCopy.begin(source, target, topic.get().id());
        try {
            partition.setFuture(copy.log());
            while (source.end().offset() - copy.log().end().offset() > SMALL_LAG) {
                copyNext(source, copy);
            }
            finish(source, copy, truncations);
        } catch (RuntimeException failure) {
            if (source.truncations() == truncations) {
                throw failure;
            }
        } finally {
            if (partition.directory() != target) {
                abandon(copy.log());
            }
        }
        return partition.directory() == target;
    }

    private void finish(Log source, LogCopy copy, int truncations) {
        source.whileNobodyAppends(() -> {
            if (source.truncations() != truncations) {
                return;
            }
            while (copy.log().end().offset() < source.end().offset()) {
                copyNext(source, copy);
            }
            TopicConfig config = topic.get().config();
            requireWanted();
            partition.moveTo(target, copy.log(), () -> copy.takeOver(config), () -> leave(source));
        });
        partition.changed();
    }

    private void requireWanted() {
        if (cancelled) {
            throw new NotLeaderOrFollowerException("the move was cancelled");
        }
    }

    private void leave(Log source) {
        try {
            source.delete();
        } catch (RuntimeException left) {
            LOG.warn("{} left its files in {}: {}", partition, source.directory(), left.toString());
        }
    }

    private void copyNext(Log source, LogCopy copy) {
        requireWanted();
        long next = Math.max(copy.log().end().offset(), source.startOffset());
        LogSlice slice = source.read(next, CHUNK_BYTES, true);
        MemoryRecords records = source.directory().io("reading " + source, () -> wholeBatches(slice));
        if (records.sizeInBytes() == 0) {
            // The log is empty, or what was there up to its end was deleted or compacted away.
            copy.skipTo(slice.end().offset());
        } else {
            RecordBatch first = records.batches().iterator().next();
            copy.skipTo(Math.min(next, first.baseOffset()));
            copy.append(records);
        }
    }

    private static MemoryRecords wholeBatches(LogSlice slice) throws IOException {
        if (!(slice.records() instanceof FileRecords file) || file.sizeInBytes() == 0) {
            return MemoryRecords.EMPTY;
        }
        ByteBuffer buffer = ByteBuffer.allocate(file.sizeInBytes());
        file.readInto(buffer, 0);
        MemoryRecords read = MemoryRecords.readableRecords(buffer);
        int whole = 0;
        for (RecordBatch batch : read.batches()) {
            whole += batch.sizeInBytes();
        }
        return MemoryRecords.readableRecords(buffer.limit(whole));
    }

    private void abandon(Log copy) {
        partition.setFuture(null);
        copy.closeHandles();
        File folder = new File(copy.toString());
        try {
            target.run("deleting " + folder, () -> PartitionFolder.deleteTree(folder.toPath()));
        } catch (RuntimeException offline) {
            LOG.debug("{} is deleted at the next start: {}", folder, offline.getMessage());
        }
    }
}
