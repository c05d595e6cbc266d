package io.faultline.broker.log;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.ConcurrentNavigableMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.errors.NotLeaderOrFollowerException;
import org.apache.kafka.common.errors.OffsetOutOfRangeException;
import org.apache.kafka.common.errors.RecordBatchTooLargeException;
import org.apache.kafka.common.record.internal.FileRecords.LogOffsetPosition;
import org.apache.kafka.common.record.internal.FileRecords.TimestampAndOffset;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.MutableRecordBatch;
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
    private final ScheduledExecutorService deletions;
    private final ConcurrentNavigableMap<Long, LogSegment> segments = new ConcurrentSkipListMap<>();
    private final ProducerStates producers;
    private final LeaderEpochCheckpoint epochs = new LeaderEpochCheckpoint();
    private final Object writer = new Object();
    private final ReentrantReadWriteLock truncation = new ReentrantReadWriteLock();

    private volatile File folder;
    private volatile LogEnd end;
    private volatile long startOffset;
    private volatile boolean closed;
    private long unflushedMessages;

    private Log(
            String name, File folder, LogDirectory directory, LogConfig config, ScheduledExecutorService deletions) {
        this.name = name;
        this.folder = folder;
        this.directory = directory;
        this.config = config;
        this.deletions = deletions;
        this.producers = new ProducerStates(config.producerIdExpirationMs());
    }

    /**
     * Opens the log in a folder, or makes a new one there. Whole batches are kept, and a torn end of the last segment is cut.
     *
     * @param folder the partition's folder, which exists
     * @param directory the log directory it lies in
     * @param config how the log is kept
     * @param deletions deletes files with a delay
     * @return the log
     * @throws IOException if the disk fails
     */
    static Log open(File folder, LogDirectory directory, LogConfig config, ScheduledExecutorService deletions)
            throws IOException {
        return open(folder.getName(), folder, directory, config, deletions);
    }

    private static Log open(
            String name, File folder, LogDirectory directory, LogConfig config, ScheduledExecutorService deletions)
            throws IOException {
        Log log = new Log(name, folder, directory, config, deletions);
        try {
            log.load();
            return log;
        } catch (IOException | RuntimeException failure) {
            log.closeHandles();
            throw failure;
        }
    }

    private void load() throws IOException {
        String[] names = folder.list();
        if (names == null) {
            throw new IOException("cannot list " + folder);
        }
        Arrays.sort(names);
        List<File> files = new ArrayList<>();
        for (String file : names) {
            if (file.endsWith(LogSegment.DELETED)) {
                Files.deleteIfExists(folder.toPath().resolve(file));
            } else if (file.matches("\\d{20}\\.log")) {
                files.add(new File(folder, file));
            }
        }
        for (File file : files) {
            boolean last = file == files.get(files.size() - 1);
            LogSegment segment = LogSegment.open(file, config.indexIntervalBytes(), last, producers);
            segments.put(segment.baseOffset(), segment);
        }
        if (segments.isEmpty()) {
            segments.put(0L, LogSegment.create(folder, 0, config.indexIntervalBytes()));
        }
        publishEnd(active());
        long kept = directory.startOffsets().get(name).orElse(0);
        startOffset = Math.min(Math.max(segments.firstKey(), kept), end.offset());
        epochs.load(folder, startOffset, end.offset());
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
                    : directory.<Long>io("appending to " + name, () -> write(batches));
        }
    }

    private OptionalLong checkProducer(MemoryRecords batches) {
        MutableRecordBatch first = batches.batches().iterator().next();
        return first.hasProducerId() ? producers.check(first, System.currentTimeMillis()) : OptionalLong.empty();
    }

    private long write(MemoryRecords batches) throws IOException {
        long nowMs = System.currentTimeMillis();
        boolean full = active().size() > config.segmentBytes() - batches.sizeInBytes();
        if (full || nowMs - active().startedMs() >= config.segmentMs()) {
            rollSegment();
        }
        LogSegment active = active();
        long first = active.nextOffset();
        long next = first;
        long largestTimestamp = Long.MIN_VALUE;
        epochs.appending(folder, first);
        for (MutableRecordBatch batch : batches.batches()) {
            next += batch.lastOffset() - batch.baseOffset() + 1;
            batch.setLastOffset(next - 1);
            batch.setPartitionLeaderEpoch(epochs.current());
            largestTimestamp = Math.max(largestTimestamp, batch.maxTimestamp());
        }
        active.append(batches, first, next - 1, largestTimestamp);
        batches.batches().forEach(batch -> producers.appended(batch, nowMs));
        publishEnd(active);
        unflushedMessages += next - first;
        if (unflushedMessages >= config.flushIntervalMessages()) {
            active.flush();
            unflushedMessages = 0;
        }
        return first;
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
            if (offset < startOffset || offset > seen.offset()) {
                throw new OffsetOutOfRangeException(
                        "offset " + offset + " is not within " + startOffset + " to " + seen.offset() + " of " + name);
            }
            return directory.io("searching " + name, () -> slice(offset, maxBytes, atLeastOneBatch, seen));
        } finally {
            truncation.readLock().unlock();
        }
    }

    private LogSlice slice(long offset, int maxBytes, boolean atLeastOneBatch, LogEnd seen) {
        Map.Entry<Long, LogSegment> entry = segments.floorEntry(offset);
        while (entry != null && offset < seen.offset()) {
            LogSegment segment = entry.getValue();
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
            entry = segments.higherEntry(entry.getKey());
        }
        return new LogSlice(MemoryRecords.EMPTY, seen.segmentBaseOffset(), seen.position(), 0, startOffset, seen);
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
            return directory.io("searching " + name + " by time", () -> {
                for (LogSegment segment : segments.values()) {
                    if (segment.maxTimestamp() >= timestamp) {
                        TimestampAndOffset found =
                                segment.findByTimestamp(timestamp, startOffset, config.maxMessageBytes());
                        if (found != null) {
                            return Optional.of(found);
                        }
                    }
                }
                return Optional.empty();
            });
        } finally {
            truncation.readLock().unlock();
        }
    }

    /**
     * Finds the record with the largest timestamp. Reads batch headers.
     *
     * @return the record's offset and timestamp; empty if the log is empty
     */
    public Optional<TimestampAndOffset> findLargestTimestamp() {
        requireOpen();
        truncation.readLock().lock();
        try {
            return directory.io("searching " + name + " for the largest time", () -> {
                TimestampAndOffset largest = null;
                for (LogSegment segment : segments.values()) {
                    if (largest == null || segment.maxTimestamp() > largest.timestamp) {
                        TimestampAndOffset found = segment.largestTimestamp(startOffset);
                        boolean larger = largest == null || found.timestamp > largest.timestamp;
                        largest = found.offset >= 0 && larger ? found : largest;
                    }
                }
                return Optional.ofNullable(largest);
            });
        } finally {
            truncation.readLock().unlock();
        }
    }

    /** Makes an empty log in another directory, to become this one's copy. */
    Log newCopy(LogDirectory target, Uuid topicId) {
        return target.io("creating a copy of " + name, () -> {
            target.startOffsets().remove(name);
            File future = PartitionFolder.createFuture(target, name);
            PartitionFolder.writeTopicId(future, topicId);
            return open(name, future, target, config, deletions);
        });
    }

    /** Appends batches of another log as they are. */
    void appendCopy(MemoryRecords batches) {
        synchronized (writer) {
            requireOpen();
            directory.run("appending a copy to " + name, () -> {
                if (active().size() > config.segmentBytes() - batches.sizeInBytes()) {
                    rollSegment();
                }
                long first = -1;
                long last = -1;
                long largestTimestamp = Long.MIN_VALUE;
                for (MutableRecordBatch batch : batches.batches()) {
                    first = first < 0 ? batch.baseOffset() : first;
                    last = batch.lastOffset();
                    largestTimestamp = Math.max(largestTimestamp, batch.maxTimestamp());
                    producers.appended(batch, System.currentTimeMillis());
                }
                LogSegment active = active();
                active.append(batches, first, last, largestTimestamp);
                publishEnd(active);
            });
        }
    }

    /** Goes on at a higher offset, in a segment of its own; does nothing at or behind that offset. */
    void skipTo(long offset) {
        synchronized (writer) {
            requireOpen();
            if (offset > end.offset()) {
                directory.run("skipping to " + offset + " in " + name, () -> {
                    LogSegment before = active();
                    LogSegment next = LogSegment.create(folder, offset, config.indexIntervalBytes());
                    segments.put(next.baseOffset(), next);
                    if (before.size() == 0) {
                        segments.remove(before.baseOffset());
                        before.delete();
                    }
                    startOffset = segments.firstKey();
                    publishEnd(next);
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
            directory.run("taking over " + name, () -> {
                active().flush();
                if (source.startOffset > segments.firstKey()) {
                    directory.startOffsets().put(name, source.startOffset);
                }
                startOffset = source.startOffset;
                epochs.copy(source.epochs, folder);
                topicConfig.write(folder);
                PartitionFolder.writeMoves(folder, PartitionFolder.readMoves(source.folder) + 1);
                File current = PartitionFolder.moveToCurrent(folder, name);
                segments.values().forEach(segment -> segment.updateParentDirectory(current));
                folder = current;
            });
        }
    }

    /** Starts a new segment, unless the active one is empty. */
    public void roll() {
        synchronized (writer) {
            requireOpen();
            directory.run("rolling " + name, this::rollSegment);
        }
    }

    private void rollSegment() throws IOException {
        LogSegment full = active();
        if (full.size() > 0) {
            // Flushed here so that recovery need only doubt the last segment.
            full.flush();
            unflushedMessages = 0;
            LogSegment next = LogSegment.create(folder, full.nextOffset(), config.indexIntervalBytes());
            segments.put(next.baseOffset(), next);
            publishEnd(next);
        }
    }

    /** Writes what was appended to the medium. */
    public void flush() {
        synchronized (writer) {
            requireOpen();
            directory.run("flushing " + name, () -> active().flush());
            unflushedMessages = 0;
        }
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
                directory.run("truncating " + name, () -> truncate(Math.max(offset, startOffset)));
            } finally {
                truncation.writeLock().unlock();
            }
        }
    }

    private void truncate(long offset) throws IOException {
        if (offset < end.offset()) {
            Collection<LogSegment> behind = segments.tailMap(offset, false).values();
            moveAside(behind);
            active().truncateTo(offset);
            publishEnd(active());
            epochs.truncateTo(folder, end.offset());
            producers.clear();
            for (LogSegment segment : segments.values()) {
                segment.replay(producers);
            }
        }
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
                Long first = segments.floorKey(offset);
                if (first != null) {
                    startAt(Math.max(startOffset, first));
                }
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
            if (offset > startOffset) {
                directory.run("deleting records of " + name, () -> startAt(offset));
            }
            return startOffset;
        }
    }

    /** Deletes the segments that are older, or more, than is to be kept. */
    void enforceRetention() {
        synchronized (writer) {
            requireOpen();
            directory.run("enforcing the retention of " + name, () -> {
                deleteExpired(System.currentTimeMillis());
                deleteExcess();
            });
        }
    }

    private void deleteExpired(long nowMs) throws IOException {
        long keepFrom = startOffset;
        for (LogSegment segment : segments.values()) {
            boolean expired = config.retentionMs() >= 0
                    && segment.size() > 0
                    && nowMs - segment.newestMs() > config.retentionMs();
            if (!expired) {
                break;
            }
            if (segment == active()) {
                rollSegment();
            }
            keepFrom = segment.nextOffset();
        }
        keepFrom(keepFrom);
    }

    private void deleteExcess() throws IOException {
        long keepFrom = startOffset;
        long excess = config.retentionBytes() < 0 ? -1 : sizeInBytes() - config.retentionBytes();
        for (LogSegment segment : segments.values()) {
            excess -= segment.size();
            if (excess < 0 || segment == active()) {
                break;
            }
            keepFrom = segment.nextOffset();
        }
        keepFrom(keepFrom);
    }

    private void keepFrom(long offset) throws IOException {
        if (offset > startOffset) {
            LOG.info(
                    "{} starts at offset {} now, not at {}: the rest is past its retention", name, offset, startOffset);
            startAt(offset);
        }
    }

    /** What says where the log starts is kept before anything is deleted. */
    private void startAt(long offset) throws IOException {
        long first = segments.floorKey(offset);
        if (offset > first) {
            directory.startOffsets().put(name, offset);
        }
        startOffset = offset;
        moveAside(segments.headMap(first).values());
        if (offset == first) {
            directory.startOffsets().remove(name);
        }
    }

    private void moveAside(Collection<LogSegment> live) throws IOException {
        List<LogSegment> gone = List.copyOf(live);
        for (LogSegment segment : gone) {
            segment.renameToDeleted();
            segments.remove(segment.baseOffset());
        }
        later(() -> {
            for (LogSegment segment : gone) {
                segment.delete();
            }
        });
    }

    /**
     * Deletes the log: its folder is renamed now, and deleted after {@link LogConfig#deleteDelayMs}, so that responses in
     * flight are sent to their end.
     */
    void delete() {
        synchronized (writer) {
            requireOpen();
            directory.run("deleting " + name, () -> {
                File aside = PartitionFolder.moveToDeleted(folder);
                closed = true;
                directory.startOffsets().remove(name);
                folder = aside;
                segments.values().forEach(segment -> segment.updateParentDirectory(aside));
                later(() -> {
                    for (LogSegment segment : segments.values()) {
                        segment.delete();
                    }
                    PartitionFolder.deleteTree(aside.toPath());
                });
            });
        }
    }

    private void later(LogDirectory.IoAction deletion) {
        try {
            deletions.schedule(() -> deleteNow(deletion), config.deleteDelayMs(), TimeUnit.MILLISECONDS);
        } catch (RejectedExecutionException stopping) {
            LOG.debug("{}: what was moved aside is deleted at the next start", name);
        }
    }

    private void deleteNow(LogDirectory.IoAction deletion) {
        try {
            directory.run("deleting files of " + name, deletion);
        } catch (RuntimeException failure) {
            LOG.debug("{}: {}", name, failure.getMessage());
        }
    }

    /** Flushes and closes the log, for an orderly stop. */
    void close() {
        synchronized (writer) {
            if (!closed) {
                closed = true;
                directory.run("closing " + name, () -> {
                    for (LogSegment segment : segments.values()) {
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
        segments.values().forEach(LogSegment::closeHandle);
    }

    private LogSegment active() {
        return segments.lastEntry().getValue();
    }

    private void publishEnd(LogSegment active) {
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

    /** Keeps what is set for the topic in the log's folder. */
    void write(TopicConfig topicConfig) {
        directory.run("configuring " + name, () -> topicConfig.write(folder));
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
        return startOffset;
    }

    /**
     * The bytes of all segments; no I/O.
     *
     * @return the sum, in bytes
     */
    public long sizeInBytes() {
        long sum = 0;
        for (LogSegment segment : segments.values()) {
            sum += segment.size();
        }
        return sum;
    }

    /**
     * The files of the segments, oldest first; no I/O.
     *
     * @return absolute files
     */
    public List<File> segmentFiles() {
        List<File> files = new ArrayList<>();
        segments.keySet().forEach(base -> files.add(LogSegment.file(folder, base)));
        return files;
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
