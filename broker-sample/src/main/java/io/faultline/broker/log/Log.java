package io.faultline.broker.log;

import java.io.File;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.errors.NotLeaderOrFollowerException;
import org.apache.kafka.common.errors.OffsetOutOfRangeException;
import org.apache.kafka.common.errors.RecordBatchTooLargeException;
import org.apache.kafka.common.record.internal.FileRecords.TimestampAndOffset;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.MutableRecordBatch;
import org.apache.kafka.common.record.internal.RecordBatch;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The log of one partition: a directory of segments.
 *
 * <p>Safe for use by any thread. One thread at a time appends, rolls, truncates or deletes; reads go on meanwhile and wait
 * for truncation only. Every I/O failure takes the log directory offline, see {@link LogDirectory#io}; from then on the
 * methods throw {@link org.apache.kafka.common.errors.KafkaStorageException}, and on a log that was closed or deleted
 * {@link NotLeaderOrFollowerException}.
 */
public final class Log {

    private static final Logger LOG = LoggerFactory.getLogger(Log.class);

    private final String name;
    private final LogDirectory directory;
    private volatile LogConfig config;
    private final LogUpkeep upkeep;
    private final LogSegments segments = new LogSegments();
    private final LogSearch search = new LogSearch(segments);
    private final LogFlusher flusher = new LogFlusher(segments, this::folder);
    private final LogStart start;
    private final ProducerStates producers;
    private final LeaderEpochCheckpoint epochs = new LeaderEpochCheckpoint();
    private final Compaction compaction = new Compaction(this);
    private final Object writer = new Object();
    private final ReentrantReadWriteLock truncation = new ReentrantReadWriteLock();

    private volatile File folder;
    private volatile LogEnd end;
    private volatile boolean closed;
    private volatile int truncations;
    private long unflushedMessages;

    private Log(
            String name, File folder, LogDirectory directory, LogConfig config, ScheduledExecutorService background) {
        this.name = name;
        this.folder = folder;
        this.directory = directory;
        this.config = config;
        this.upkeep = new LogUpkeep(name, directory, background);
        this.start = new LogStart(name, segments, this::folder, upkeep);
        this.producers = new ProducerStates(config.producerIdExpirationMs());
    }

    /**
     * Opens the log in a folder, or makes a new one there. Whole batches are kept, and a torn end is cut.
     *
     * @param folder the partition's folder, which exists
     * @param directory the log directory it lies in
     * @param config how the log is kept
     * @param background flushes what was rolled, and deletes files with a delay
     * @return the log
     * @throws IOException if the disk fails
     */
    static Log open(File folder, LogDirectory directory, LogConfig config, ScheduledExecutorService background)
            throws IOException {
        return open(folder.getName(), folder, directory, config, background);
    }

    private static Log open(
            String name, File folder, LogDirectory directory, LogConfig config, ScheduledExecutorService background)
            throws IOException {
        Log log = new Log(name, folder, directory, config, background);
        try {
            log.load();
            return log;
        } catch (IOException | RuntimeException failure) {
            log.closeHandles();
            throw failure;
        }
    }

    private void load() throws IOException {
        long recoveryPoint = directory.recoveryPoint(name);
        new LogLoader(folder, config, recoveryPoint).loadSegments(segments);
        LogLoader.loadProducers(folder, segments, producers);
        publishEnd();
        flusher.loaded(Math.min(recoveryPoint, end.offset()));
        start.load(end.offset());
        epochs.load(folder, start.offset(), end.offset());
    }

    /**
     * Appends batches: gives them the next offsets, in place, and writes them. A batch of an idempotent producer that was
     * appended before is not appended again.
     *
     * @param batches valid batches of the current format, only one of them if it is an idempotent producer's; changed in place
     * @return the offset of the first record
     * @throws RecordBatchTooLargeException if they do not fit into one segment
     * @throws org.apache.kafka.common.errors.InvalidProducerEpochException if the producer's epoch is over
     * @throws org.apache.kafka.common.errors.OutOfOrderSequenceException if the batch does not follow the producer's last
     */
    public long append(MemoryRecords batches) {
        if (batches.sizeInBytes() > config.segmentBytes()) {
            throw new RecordBatchTooLargeException(
                    batches.sizeInBytes() + " bytes do not fit into a segment of " + config.segmentBytes() + " bytes");
        }
        synchronized (writer) {
            requireOpen();
            OptionalLong duplicate = checkProducer(batches);
            return duplicate.isPresent()
                    ? duplicate.getAsLong()
                    : directory.<Long>write("appending to " + name, batches.sizeInBytes(), () -> write(batches));
        }
    }

    private OptionalLong checkProducer(MemoryRecords batches) {
        MutableRecordBatch first = batches.batches().iterator().next();
        return first.hasProducerId() ? producers.check(first, System.currentTimeMillis()) : OptionalLong.empty();
    }

    private long write(MemoryRecords batches) throws IOException {
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
            rollSegment();
        }
        epochs.appending(folder, first);
        appendWhole(batches);
        batches.batches().forEach(batch -> producers.appended(batch, nowMs));
        publishEnd();
        unflushedMessages += next - first;
        if (unflushedMessages >= config.flushIntervalMessages()) {
            flushAll();
        }
        return first;
    }

    private boolean fits(MemoryRecords batches, long lastOffset) {
        return segments.active()
                .hasRoomFor(batches.sizeInBytes(), lastOffset, config.segmentBytes(), config.indexMaxBytes());
    }

    /** Appends all, or nothing: what was written in part is cut, and if not even that can be done, the directory has failed. */
    private void appendWhole(MemoryRecords batches) throws IOException {
        LogSegment active = segments.active();
        try {
            active.append(batches);
        } catch (IOException failure) {
            undoAppend(active, failure);
            throw failure;
        }
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
     * Finds the region to send to a fetch. Reads at most a few batch headers, never the batches.
     *
     * @param offset the first offset wanted
     * @param maxBytes how many bytes are wanted at most; 0 or less for none
     * @param atLeastOneBatch whether the first batch is returned even if it is larger
     * @return the region; empty at the end of the log
     * @throws OffsetOutOfRangeException if the log has no such offset
     */
    public LogSlice read(long offset, int maxBytes, boolean atLeastOneBatch) {
        requireOpen();
        truncation.readLock().lock();
        try {
            LogEnd seen = end;
            if (offset < start.offset() || offset > seen.offset()) {
                throw new OffsetOutOfRangeException("offset " + offset + " is not within " + start.offset() + " to "
                        + seen.offset() + " of " + name);
            }
            return directory.io(
                    "searching " + name, () -> search.slice(offset, maxBytes, atLeastOneBatch, start.offset(), seen));
        } finally {
            truncation.readLock().unlock();
        }
    }

    /**
     * Finds the first record that is not older than a timestamp. Reads batches.
     *
     * @param timestamp in milliseconds since the epoch
     * @return the record's offset and timestamp; empty if all are older
     */
    public Optional<TimestampAndOffset> findByTimestamp(long timestamp) {
        requireOpen();
        truncation.readLock().lock();
        try {
            return directory.io(
                    "searching " + name + " by time",
                    () -> search.firstAt(timestamp, start.offset(), config.maxMessageBytes()));
        } finally {
            truncation.readLock().unlock();
        }
    }

    /**
     * Finds the record with the largest timestamp. Reads batch headers, and a batch of some segments.
     *
     * @return the record's offset and timestamp; empty if the log is empty
     */
    public Optional<TimestampAndOffset> findLargestTimestamp() {
        requireOpen();
        truncation.readLock().lock();
        try {
            return directory.io(
                    "searching " + name + " for the largest time",
                    () -> search.largestTimestamp(start.offset(), config.maxMessageBytes()));
        } finally {
            truncation.readLock().unlock();
        }
    }

    /** Makes an empty log in another directory, to become this one's copy. */
    Log newCopy(LogDirectory target, Uuid topicId) {
        return target.write("creating a copy of " + name, 0, () -> {
            target.forget(name);
            File future = PartitionFolder.createFuture(target, name);
            return PartitionFolder.filled(future, () -> {
                PartitionFolder.writeTopicId(future, topicId);
                return open(name, future, target, config, upkeep.background());
            });
        });
    }

    /** Appends batches of another log as they are. */
    void appendCopy(MemoryRecords batches) {
        synchronized (writer) {
            requireOpen();
            directory.write("appending a copy to " + name, batches.sizeInBytes(), () -> {
                long last = end.offset();
                for (RecordBatch batch : batches.batches()) {
                    last = batch.lastOffset();
                }
                if (!fits(batches, last)) {
                    rollSegment();
                }
                appendWhole(batches);
                batches.batches().forEach(batch -> producers.appended(batch, System.currentTimeMillis()));
                publishEnd();
                return null;
            });
        }
    }

    /** Goes on at a higher offset, in a segment of its own; does nothing at or behind that offset. */
    void skipTo(long offset) {
        synchronized (writer) {
            requireOpen();
            if (offset > end.offset()) {
                directory.write("skipping to " + offset + " in " + name, 0, () -> {
                    LogSegment before = segments.active();
                    before.complete();
                    segments.add(LogSegment.create(folder, offset, config.indexIntervalBytes()));
                    if (before.size() == 0) {
                        segments.remove(before);
                        before.delete();
                    }
                    start.reset();
                    publishEnd();
                    return null;
                });
            }
        }
    }

    /** Keeps appends and all other changes waiting. */
    void whileNobodyAppends(Runnable action) {
        synchronized (writer) {
            requireOpen();
            action.run();
        }
    }

    /** Takes the place of a log of which this is a copy, durably; nobody changes that meanwhile. */
    void takeOver(Log source, TopicConfig topicConfig) {
        synchronized (writer) {
            requireOpen();
            directory.write("taking over " + name, 0, () -> {
                producers.copy(source.producers);
                ProducerSnapshots.write(folder, end.offset(), producers.batches());
                flushAll();
                start.copy(source.start);
                epochs.copy(source.epochs, folder);
                topicConfig.write(folder);
                PartitionFolder.writeMoves(folder, PartitionFolder.readMoves(source.folder) + 1);
                flusher.whileNothingIsFlushed(() -> follow(PartitionFolder.moveToCurrent(folder, name)));
                return null;
            });
        }
    }

    /** Starts a new segment, unless the active one is empty. */
    public void roll() {
        synchronized (writer) {
            requireOpen();
            directory.write("rolling " + name, 0, () -> {
                rollSegment();
                return null;
            });
        }
    }

    /** The full segment is flushed while appends go on, as in Kafka: until then the recovery point stays before it. */
    private void rollSegment() throws IOException {
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

    /** Writes what was appended to the medium. */
    public void flush() {
        synchronized (writer) {
            requireOpen();
            flushAll();
        }
    }

    /** A flush that fails is a failed directory, also on a full disk: what was acknowledged may be lost. */
    private void flushAll() {
        directory.run("flushing " + name, () -> flusher.flushTo(end.offset()));
        unflushedMessages = 0;
    }

    /** Writes what was appended to the medium, if the last time is too long ago. Appends go on meanwhile. */
    void flushIfDue(long nowMs) {
        long offset = end.offset();
        if (nowMs - flusher.flushedMs() >= config.flushIntervalMs() && flusher.recoveryPoint() < offset) {
            requireOpen();
            directory.run("flushing " + name, () -> flusher.flushTo(offset));
        }
    }

    /**
     * Up to where the log is on the medium for certain; no I/O.
     *
     * @return an offset, at most that of the end
     */
    public long recoveryPoint() {
        return flusher.recoveryPoint();
    }

    /**
     * Forgets the records from an offset on; where that lies within a batch, from the start of that batch on. Responses
     * in flight that carry forgotten records break off, and their connections are closed.
     *
     * @param offset the first offset to forget; nothing happens at or behind the end of the log
     */
    public void truncateTo(long offset) {
        synchronized (writer) {
            requireOpen();
            truncation.writeLock().lock();
            try {
                directory.write("truncating " + name, 0, () -> {
                    truncate(Math.max(offset, start.offset()));
                    return null;
                });
            } finally {
                truncation.writeLock().unlock();
            }
        }
    }

    /** That less is on the medium is known there before it is so, and before others take the place of what is forgotten. */
    private void truncate(long offset) throws IOException {
        if (offset < end.offset()) {
            truncations++;
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
            compaction.startOver();
            Durability.flushFolder(folder.toPath());
        }
    }

    /** How often something was cut from the end; no I/O. */
    int truncations() {
        return truncations;
    }

    /**
     * Deletes the segments that lie before an offset as a whole; the active one stays. Responses in flight are sent to
     * their end: the files are renamed now, and deleted after {@link LogConfig#deleteDelayMs}.
     *
     * @param offset the first offset to keep
     */
    public void deleteSegmentsBefore(long offset) {
        synchronized (writer) {
            requireOpen();
            directory.run("deleting segments of " + name, () -> {
                startAt(Math.max(start.offset(), segments.holding(offset).baseOffset()));
            });
        }
    }

    /**
     * Deletes the records before an offset. They are gone for every client at once; the files of segments that held nothing
     * else are deleted like those of {@link #deleteSegmentsBefore}.
     *
     * @param offset the first offset to keep, at most the end of the log
     * @return the first offset of the log now, which is higher if it was
     * @throws OffsetOutOfRangeException if the log does not reach up to the offset
     */
    public long deleteRecordsBefore(long offset) {
        synchronized (writer) {
            requireOpen();
            if (offset < 0 || offset > end.offset()) {
                throw new OffsetOutOfRangeException(
                        "offset " + offset + " is not within 0 to " + end.offset() + " of " + name);
            }
            if (offset > start.offset()) {
                directory.write("deleting records of " + name, 0, () -> {
                    startAt(offset);
                    return null;
                });
            }
            return start.offset();
        }
    }

    /** Compacts the log if it is to be compacted, and it is time to. One thread at a time does. */
    void compact() {
        if (config.cleanup().compact()) {
            requireOpen();
            directory.run("compacting " + name, () -> compaction.compactIfDue(System.currentTimeMillis()));
        }
    }

    /** The segments that nothing is appended to any more, oldest first. */
    List<LogSegment> closedSegments() {
        return segments.before(end.segmentBaseOffset());
    }

    /** The time of the newest record of a segment, in milliseconds since the epoch. */
    long newestMs(LogSegment segment) throws IOException {
        synchronized (writer) {
            // The files of a log that is deleted are elsewhere.
            requireOpen();
            return segment.newestMs();
        }
    }

    /** Says whether a batch is among the last of its producer, of which one that comes again is not appended again. */
    boolean mayBeSentAgain(RecordBatch batch) {
        return producers.remembers(batch);
    }

    /** Begins a copy of a segment, in files beside it. */
    LogSegment newCopyOf(LogSegment segment) throws IOException {
        synchronized (writer) {
            // A log that is deleted has no folder of its name any more.
            requireOpen();
            return LogSegment.createCleaned(folder, segment.baseOffset(), config.indexIntervalBytes());
        }
    }

    /** Reads the log while nothing is cut from it. */
    void whileNothingIsCut(LogDirectory.IoAction reading) throws IOException {
        truncation.readLock().lock();
        try {
            reading.run();
        } finally {
            truncation.readLock().unlock();
        }
    }

    /**
     * Puts a compacted copy in a segment's place. To exchange names needs no room, and so it fails for no full disk.
     *
     * @return false if the segment has gone meanwhile, or is another one
     */
    boolean replace(LogSegment segment, LogSegment copy) {
        synchronized (writer) {
            if (closed || compaction.isOvertaken() || segments.get(segment.baseOffset()) != segment) {
                return false;
            }
            directory.run(
                    "replacing " + segment,
                    () -> flusher.whileNothingIsFlushed(() -> {
                        copy.takePlaceOf(segment);
                        segments.add(copy);
                        Durability.flushFolder(folder.toPath());
                    }));
            upkeep.later(config.deleteDelayMs(), "closing files of", segment::closeHandle);
            return true;
        }
    }

    /** Deletes the segments that are older, or more, than is to be kept. */
    void enforceRetention() {
        if (config.cleanup().delete()) {
            deleteWhatIsPastRetention();
        }
    }

    private void deleteWhatIsPastRetention() {
        synchronized (writer) {
            requireOpen();
            directory.write("enforcing the retention of " + name, 0, () -> {
                Retention retention = new Retention(config.retentionMs(), config.retentionBytes());
                long offset = retention.startOffset(segments, System.currentTimeMillis());
                if (offset > start.offset()) {
                    LOG.info(
                            "{} starts at {} now, not at {}: the rest is past its retention",
                            name,
                            offset,
                            start.offset());
                    // On a full disk a new segment can be had only when the others are gone.
                    startAt(Math.max(
                            start.offset(), Math.min(offset, segments.active().baseOffset())));
                    if (offset == end.offset()) {
                        rollSegment();
                        startAt(offset);
                    }
                }
                return null;
            });
        }
    }

    private void startAt(long offset) throws IOException {
        start.moveTo(offset, config.deleteDelayMs());
    }

    /**
     * Deletes the log: its folder is renamed now, and deleted after {@link LogConfig#deleteDelayMs}, so that responses in
     * flight are sent to their end.
     */
    void delete() {
        synchronized (writer) {
            requireOpen();
            directory.write("deleting " + name, 0, () -> {
                flusher.whileNothingIsFlushed(() -> follow(PartitionFolder.moveToDeleted(folder)));
                closed = true;
                upkeep.later(config.deleteDelayMs(), "deleting files of", () -> {
                    for (LogSegment segment : segments.all()) {
                        segment.delete();
                    }
                    PartitionFolder.deleteTree(folder.toPath());
                });
                directory.forget(name);
                return null;
            });
        }
    }

    /** Follows the rename of the folder. */
    private void follow(File renamed) {
        segments.all().forEach(segment -> segment.updateParentFolder(renamed));
        folder = renamed;
    }

    private File folder() {
        return folder;
    }

    /** Flushes and closes the log, for an orderly stop, after which it can be opened without reading it. */
    void close() {
        synchronized (writer) {
            if (!closed) {
                closed = true;
                directory.run("closing " + name, () -> {
                    segments.active().complete();
                    ProducerSnapshots.write(folder, end.offset(), producers.batches());
                    ProducerSnapshots.deleteBefore(folder, segments.firstOffset());
                    flusher.flushTo(end.offset());
                    for (LogSegment segment : segments.all()) {
                        segment.close();
                    }
                });
            }
        }
    }

    /**
     * Closes the files without writing or waiting for a writer, for a directory that is offline. Responses in flight break
     * off.
     */
    void closeHandles() {
        closed = true;
        segments.all().forEach(LogSegment::closeHandle);
    }

    private void publishEnd() {
        LogSegment active = segments.active();
        end = new LogEnd(active.nextOffset(), active.baseOffset(), active.size());
    }

    private void requireOpen() {
        if (closed && !directory.isOffline()) {
            throw new NotLeaderOrFollowerException(name + " is closed");
        }
    }

    /** Keeps the log in another way from now on. */
    void reconfigure(LogConfig next) {
        config = next;
    }

    /** Keeps what is set for the topic in the log's folder, which is neither moved nor deleted meanwhile. */
    void write(TopicConfig topicConfig) {
        synchronized (writer) {
            requireOpen();
            directory.write("configuring " + name, 0, () -> {
                topicConfig.write(folder);
                return null;
            });
        }
    }

    /**
     * How the log is kept.
     *
     * @return the configuration, never null
     */
    public LogConfig config() {
        return config;
    }

    /**
     * The end of the log; no I/O.
     *
     * @return the end, never null
     */
    public LogEnd end() {
        return end;
    }

    /**
     * The leader epoch of the next record; no I/O.
     *
     * @return the epoch, at least 0
     */
    public int leaderEpoch() {
        return epochs.current();
    }

    /**
     * Finds where a leader epoch ended; no I/O.
     *
     * @param epoch the epoch, any number
     * @return its end, or {@link EpochEnd#UNKNOWN}
     */
    public EpochEnd endOfEpoch(int epoch) {
        return epochs.endOf(epoch, end.offset());
    }

    /**
     * The first offset of the log; no I/O.
     *
     * @return the offset
     */
    public long startOffset() {
        return start.offset();
    }

    /**
     * The bytes of all segments; no I/O.
     *
     * @return the sum, in bytes
     */
    public long sizeInBytes() {
        return segments.sizeInBytes();
    }

    /**
     * The files of the segments, oldest first; no I/O.
     *
     * @return absolute files
     */
    public List<File> segmentFiles() {
        return segments.filesIn(folder);
    }

    /**
     * The idempotent producers that are known; no I/O.
     *
     * @return a copy, in no order
     */
    public List<ActiveProducer> activeProducers() {
        producers.removeExpired(System.currentTimeMillis());
        return producers.active();
    }

    /** Forgets the producers that appended nothing for long; no I/O, and waits for no writer. */
    void removeExpiredProducers() {
        producers.removeExpired(System.currentTimeMillis());
    }

    /**
     * The log directory it lies in.
     *
     * @return the directory, never null
     */
    public LogDirectory directory() {
        return directory;
    }

    @Override
    public String toString() {
        return folder.toString();
    }
}
