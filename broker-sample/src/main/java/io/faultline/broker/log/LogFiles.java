package io.faultline.broker.log;

import java.io.File;
import java.io.IOException;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import org.apache.kafka.common.errors.NotLeaderOrFollowerException;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.MutableRecordBatch;
import org.apache.kafka.common.record.internal.RecordBatch;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What the log of one partition consists of: the segments in its folder, and all that is kept beside them. Whoever changes it holds its
 * monitor, see {@link #change}; any thread looks, and waits only while something is cut from the end.
 */
final class LogFiles {

    private static final Logger LOG = LoggerFactory.getLogger(LogFiles.class);

    private final String name;
    private final LogDirectory directory;
    private final LogUpkeep upkeep;
    private final LogSegments segments = new LogSegments();
    private final LogFlusher flusher = new LogFlusher(segments, this::folder);
    private final LogStart start;
    private final ProducerStates producers;
    private final LeaderEpochCheckpoint epochs = new LeaderEpochCheckpoint();
    private final ReentrantReadWriteLock truncation = new ReentrantReadWriteLock();

    private volatile LogConfig config;
    private volatile File folder;
    private volatile LogEnd end;
    private volatile boolean closed;
    private volatile int truncations;
    private long unflushedMessages;

    /**
     * Makes a log that is not loaded yet; no I/O.
     *
     * @param name the name of the log, which its folder may not have yet
     * @param folder where it is
     * @param config how it is kept
     * @param upkeep flushes what was rolled, and deletes files with a delay
     */
    LogFiles(String name, File folder, LogConfig config, LogUpkeep upkeep) {
        this.name = name;
        this.folder = folder;
        this.config = config;
        this.directory = upkeep.directory();
        this.upkeep = upkeep;
        this.start = new LogStart(name, segments, this::folder, upkeep);
        this.producers = new ProducerStates(config.producerIdExpirationMs());
    }

    /** Reads what there is. Whole batches are kept, and a torn end is cut. */
    void load() throws IOException {
        long recoveryPoint = directory.recoveryPoint(name);
        new LogLoader(folder, config, recoveryPoint).loadSegments(segments);
        LogLoader.loadProducers(folder, segments, producers);
        publishEnd();
        flusher.loaded(Math.min(recoveryPoint, end.offset()));
        start.load(end.offset());
        epochs.load(folder, start.offset(), end.offset());
    }

    /**
     * Changes the log while nobody else does.
     *
     * @param doing what is being done, such as {@code rolling}
     * @param bytes how much is being written, beside some names and marks
     * @param action does it
     */
    synchronized void change(String doing, long bytes, LogDirectory.IoAction action) {
        requireOpen();
        directory.write(doing + " " + name, bytes, () -> {
            action.run();
            return null;
        });
    }

    /** Throws if the log was closed or deleted; where its directory is offline, that is for others to say. */
    void requireOpen() {
        if (closed && !directory.isOffline()) {
            throw new NotLeaderOrFollowerException(name + " is closed");
        }
    }

    private void publishEnd() {
        LogSegment active = segments.active();
        end = new LogEnd(active.nextOffset(), active.baseOffset(), active.size());
    }

    /** Gives batches the next offsets, in place, and writes them: all, or none. Returns the first offset. */
    long append(MemoryRecords batches) throws IOException {
        long nowMs = System.currentTimeMillis();
        long first = end.offset();
        long next = first;
        for (MutableRecordBatch batch : batches.batches()) {
            next += batch.lastOffset() - batch.baseOffset() + 1;
            batch.setLastOffset(next - 1);
            batch.setPartitionLeaderEpoch(epochs.current());
        }
        boolean old = nowMs - segments.active().startedMs() >= config.rollMs();
        if (old || !fits(batches, next - 1)) {
            roll();
        }
        epochs.appending(folder, first);
        write(batches, nowMs);
        unflushedMessages += next - first;
        if (unflushedMessages >= config.flushIntervalMessages()) {
            flush();
        }
        return first;
    }

    /** Writes batches of another log as they are. */
    void appendCopy(MemoryRecords batches) throws IOException {
        long last = end.offset();
        for (RecordBatch batch : batches.batches()) {
            last = batch.lastOffset();
        }
        if (!fits(batches, last)) {
            roll();
        }
        write(batches, System.currentTimeMillis());
    }

    private boolean fits(MemoryRecords batches, long lastOffset) {
        return segments.active()
                .hasRoomFor(batches.sizeInBytes(), lastOffset, config.segmentBytes(), config.indexMaxBytes());
    }

    /** What was written in part is cut, and if not even that can be done, the directory has failed. */
    private void write(MemoryRecords batches, long nowMs) throws IOException {
        LogSegment active = segments.active();
        try {
            active.append(batches);
        } catch (IOException failure) {
            undoAppend(active, failure);
            throw failure;
        }
        batches.batches().forEach(batch -> producers.appended(batch, nowMs));
        publishEnd();
    }

    private void undoAppend(LogSegment active, IOException failure) {
        truncation.writeLock().lock();
        try {
            active.undoAppend(end.position());
        } catch (IOException left) {
            failure.addSuppressed(left);
            directory.run("appending to " + name, () -> {
                throw failure;
            });
        } finally {
            truncation.writeLock().unlock();
        }
    }

    /**
     * Starts a new segment, unless the active one is empty. The full one is flushed while appends go on, as in Kafka: until then the
     * recovery point stays before it.
     */
    void roll() throws IOException {
        LogSegment full = segments.active();
        if (full.size() > 0) {
            long next = full.nextOffset();
            full.complete();
            ProducerSnapshots.write(folder, next, producers.batches());
            segments.add(LogSegment.create(folder, next, config.indexIntervalBytes()));
            publishEnd();
            upkeep.soon("flushing", () -> flushRolled(next));
        }
    }

    /** Noted at once, so that a crash leaves no more to be read than what was not rolled. */
    private void flushRolled(long offset) throws IOException {
        flusher.flushTo(offset);
        if (!closed) {
            directory.write("noting what is flushed of " + name, 0, () -> {
                directory.recoveryPoints().put(name, flusher::recoveryPoint);
                return null;
            });
        }
    }

    /** A flush that fails is a failed directory, also on a full disk: what was acknowledged may be lost. */
    void flush() {
        directory.run("flushing " + name, () -> flusher.flushTo(end.offset()));
        unflushedMessages = 0;
    }

    /** Goes on at a higher offset, in a segment of its own; does nothing at or behind that offset. */
    void skipTo(long offset) throws IOException {
        if (offset > end.offset()) {
            LogSegment before = segments.active();
            before.complete();
            segments.add(LogSegment.create(folder, offset, config.indexIntervalBytes()));
            if (before.size() == 0) {
                segments.remove(before);
                before.delete();
            }
            start.reset();
            publishEnd();
        }
    }

    /** Takes the place of a log of which this is a copy, durably. */
    void takeOver(LogFiles source, TopicConfig topicConfig) throws IOException {
        producers.copy(source.producers);
        ProducerSnapshots.write(folder, end.offset(), producers.batches());
        flush();
        start.copy(source.start);
        epochs.copy(source.epochs, folder);
        topicConfig.write(folder);
        PartitionFolder.writeMoves(folder, PartitionFolder.readMoves(source.folder) + 1);
        flusher.whileNothingIsFlushed(() -> follow(PartitionFolder.moveToCurrent(folder, name)));
    }

    /** Follows the rename of the folder. */
    private void follow(File renamed) {
        segments.all().forEach(segment -> segment.updateParentFolder(renamed));
        folder = renamed;
    }

    /** Forgets the records from an offset on, behind the end none. */
    void truncateTo(long offset) throws IOException {
        long kept = Math.max(offset, start.offset());
        if (kept < end.offset()) {
            truncation.writeLock().lock();
            try {
                truncate(kept);
            } finally {
                // Whoever began to read before this has read, or may have, what is forgotten.
                truncations++;
                truncation.writeLock().unlock();
            }
        }
    }

    /** That less is on the medium is known there before it is so, and before others take the place of what is forgotten. */
    private void truncate(long offset) throws IOException {
        flusher.forget(segments.holding(offset).baseOffset());
        if (directory.recoveryPoints().get(name).orElse(0) > flusher.recoveryPoint()) {
            directory.recoveryPoints().put(name, flusher.recoveryPoint());
        }
        start.remove(segments.behind(offset), config.deleteDelayMs());
        segments.active().truncateTo(offset);
        publishEnd();
        epochs.truncateTo(folder, end.offset());
        producers.clear();
        LogLoader.loadProducers(folder, segments, producers);
        Durability.flushFolder(folder.toPath());
    }

    /** Starts at an offset; the files of segments that hold nothing else are renamed now, and deleted later. */
    void startAt(long offset) throws IOException {
        start.moveTo(offset, config.deleteDelayMs());
    }

    /** Deletes the segments that are older, or more, than is to be kept. */
    void enforceRetention() throws IOException {
        Retention retention = new Retention(config.retentionMs(), config.retentionBytes());
        long offset = retention.startOffset(segments, System.currentTimeMillis());
        if (offset > start.offset()) {
            LOG.info("{} starts at {} now, not at {}: the rest is past its retention", name, offset, start.offset());
            // On a full disk a new segment can be had only when the others are gone.
            startAt(Math.max(start.offset(), Math.min(offset, segments.active().baseOffset())));
            if (offset == end.offset()) {
                roll();
                startAt(offset);
            }
        }
    }

    /** Puts a compacted copy in a segment's place. To exchange names needs no room, and so it fails for no full disk. */
    void replace(LogSegment segment, LogSegment copy) {
        directory.run(
                "replacing " + segment,
                () -> flusher.whileNothingIsFlushed(() -> {
                    copy.takePlaceOf(segment);
                    segments.add(copy);
                    Durability.flushFolder(folder.toPath());
                }));
        upkeep.later(config.deleteDelayMs(), "closing files of", segment::closeHandle);
    }

    /** Deletes the log: its folder is renamed now, and deleted later. */
    void delete() throws IOException {
        flusher.whileNothingIsFlushed(() -> follow(PartitionFolder.moveToDeleted(folder)));
        closed = true;
        upkeep.later(config.deleteDelayMs(), "deleting files of", () -> {
            for (LogSegment segment : segments.all()) {
                segment.delete();
            }
            PartitionFolder.deleteTree(folder.toPath());
        });
        directory.forget(name);
    }

    /** Flushes and closes the files, after which the log can be opened without reading it. */
    synchronized void close() {
        if (!closed) {
            closed = true;
            directory.run("closing " + name, this::closeInOrder);
        }
    }

    private void closeInOrder() throws IOException {
        segments.active().complete();
        ProducerSnapshots.write(folder, end.offset(), producers.batches());
        ProducerSnapshots.deleteBefore(folder, segments.firstOffset());
        flusher.flushTo(end.offset());
        for (LogSegment segment : segments.all()) {
            segment.close();
        }
    }

    /** Closes the files without writing. */
    void closeHandles() {
        closed = true;
        segments.all().forEach(LogSegment::closeHandle);
    }

    boolean isClosed() {
        return closed;
    }

    /** Reads while nothing is cut from the end. */
    <T> T whileNothingIsCut(LogDirectory.IoCall<T> read) throws IOException {
        truncation.readLock().lock();
        try {
            return read.call();
        } finally {
            truncation.readLock().unlock();
        }
    }

    LogSegments segments() {
        return segments;
    }

    LogFlusher flusher() {
        return flusher;
    }

    ProducerStates producers() {
        return producers;
    }

    LeaderEpochCheckpoint epochs() {
        return epochs;
    }

    long startOffset() {
        return start.offset();
    }

    LogEnd end() {
        return end;
    }

    /** How often something was cut from the end. */
    int truncations() {
        return truncations;
    }

    LogConfig config() {
        return config;
    }

    void reconfigure(LogConfig next) {
        config = next;
    }

    LogUpkeep upkeep() {
        return upkeep;
    }

    String name() {
        return name;
    }

    LogDirectory directory() {
        return directory;
    }

    File folder() {
        return folder;
    }

    @Override
    public String toString() {
        return folder.toString();
    }
}
