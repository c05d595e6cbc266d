package io.faultline.broker.log;

import java.io.File;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.ScheduledExecutorService;
import org.apache.kafka.common.errors.NotLeaderOrFollowerException;
import org.apache.kafka.common.errors.OffsetOutOfRangeException;
import org.apache.kafka.common.errors.RecordBatchTooLargeException;
import org.apache.kafka.common.record.internal.FileRecords.TimestampAndOffset;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.MutableRecordBatch;

/**
 * The log of one partition: a directory of segments.
 *
 * <p>Safe for use by any thread. One thread at a time appends, rolls, truncates or deletes; reads go on meanwhile and wait
 * for truncation only. Every I/O failure takes the log directory offline, see {@link LogDirectory#io}; from then on the
 * methods throw {@link org.apache.kafka.common.errors.KafkaStorageException}, and on a log that was closed or deleted
 * {@link NotLeaderOrFollowerException}.
 */
public final class Log {

    private final String name;
    private final LogDirectory directory;
    private final LogFiles files;
    private final LogSearch search;
    private final Compaction compaction;

    private Log(
            String name, File folder, LogDirectory directory, LogConfig config, ScheduledExecutorService background) {
        this.name = name;
        this.directory = directory;
        this.files = new LogFiles(name, folder, config, new LogUpkeep(name, directory, background));
        this.search = new LogSearch(files.segments());
        this.compaction = new Compaction(files);
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

    /** Opens a log in a folder that does not have its name yet. */
    static Log open(
            String name, File folder, LogDirectory directory, LogConfig config, ScheduledExecutorService background)
            throws IOException {
        Log log = new Log(name, folder, directory, config, background);
        try {
            log.files.load();
            return log;
        } catch (IOException | RuntimeException failure) {
            log.closeHandles();
            throw failure;
        }
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
        int segmentBytes = files.config().segmentBytes();
        if (batches.sizeInBytes() > segmentBytes) {
            throw new RecordBatchTooLargeException(
                    batches.sizeInBytes() + " bytes do not fit into a segment of " + segmentBytes + " bytes");
        }
        synchronized (files) {
            files.requireOpen();
            OptionalLong duplicate = checkProducer(batches);
            return duplicate.isPresent()
                    ? duplicate.getAsLong()
                    : directory.<Long>write("appending to " + name, batches.sizeInBytes(), () -> files.append(batches));
        }
    }

    private OptionalLong checkProducer(MemoryRecords batches) {
        MutableRecordBatch first = batches.batches().iterator().next();
        return first.hasProducerId()
                ? files.producers().check(first, System.currentTimeMillis())
                : OptionalLong.empty();
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
        return reading("searching", () -> {
            LogEnd seen = files.end();
            long start = files.startOffset();
            if (offset < start || offset > seen.offset()) {
                throw new OffsetOutOfRangeException(
                        "offset " + offset + " is not within " + start + " to " + seen.offset() + " of " + name);
            }
            return search.slice(offset, maxBytes, atLeastOneBatch, start, seen);
        });
    }

    private <T> T reading(String doing, LogDirectory.IoCall<T> read) {
        files.requireOpen();
        return directory.io(doing + " " + name, () -> files.whileNothingIsCut(read));
    }

    /**
     * Finds the first record that is not older than a timestamp. Reads batches.
     *
     * @param timestamp in milliseconds since the epoch
     * @return the record's offset and timestamp; empty if all are older
     */
    public Optional<TimestampAndOffset> findByTimestamp(long timestamp) {
        return reading(
                "searching by time",
                () -> search.firstAt(
                        timestamp, files.startOffset(), files.config().maxMessageBytes()));
    }

    /**
     * Finds the record with the largest timestamp. Reads batch headers, and a batch of some segments.
     *
     * @return the record's offset and timestamp; empty if the log is empty
     */
    public Optional<TimestampAndOffset> findLargestTimestamp() {
        return reading(
                "searching for the largest time",
                () -> search.largestTimestamp(
                        files.startOffset(), files.config().maxMessageBytes()));
    }

    /** Keeps appends and all other changes waiting. */
    void whileNobodyAppends(Runnable action) {
        synchronized (files) {
            files.requireOpen();
            action.run();
        }
    }

    /** Starts a new segment, unless the active one is empty. */
    public void roll() {
        files.change("rolling", 0, files::roll);
    }

    /** Writes what was appended to the medium. */
    public void flush() {
        synchronized (files) {
            files.requireOpen();
            files.flush();
        }
    }

    /** Writes what was appended to the medium, if the last time is too long ago. Appends go on meanwhile. */
    void flushIfDue(long nowMs) {
        LogFlusher flusher = files.flusher();
        long offset = files.end().offset();
        if (nowMs - flusher.flushedMs() >= files.config().flushIntervalMs() && flusher.recoveryPoint() < offset) {
            files.requireOpen();
            directory.run("flushing " + name, () -> flusher.flushTo(offset));
        }
    }

    /**
     * Up to where the log is on the medium for certain; no I/O.
     *
     * @return an offset, at most that of the end
     */
    public long recoveryPoint() {
        return files.flusher().recoveryPoint();
    }

    /**
     * Forgets the records from an offset on; where that lies within a batch, from the start of that batch on. Responses
     * in flight that carry forgotten records break off, and their connections are closed.
     *
     * @param offset the first offset to forget; nothing happens at or behind the end of the log
     */
    public void truncateTo(long offset) {
        files.change("truncating", 0, () -> {
            files.truncateTo(offset);
        });
    }

    /** How often something was cut from the end; no I/O. */
    int truncations() {
        return files.truncations();
    }

    /**
     * Deletes the segments that lie before an offset as a whole; the active one stays. Responses in flight are sent to
     * their end: the files are renamed now, and deleted after {@link LogConfig#deleteDelayMs}.
     *
     * @param offset the first offset to keep
     */
    public void deleteSegmentsBefore(long offset) {
        synchronized (files) {
            files.requireOpen();
            directory.run("deleting segments of " + name, () -> {
                files.startAt(Math.max(
                        files.startOffset(), files.segments().holding(offset).baseOffset()));
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
        synchronized (files) {
            files.requireOpen();
            long end = files.end().offset();
            if (offset < 0 || offset > end) {
                throw new OffsetOutOfRangeException("offset " + offset + " is not within 0 to " + end + " of " + name);
            }
            if (offset > files.startOffset()) {
                files.change("deleting records of", 0, () -> files.startAt(offset));
            }
            return files.startOffset();
        }
    }

    /** Compacts the log if it is to be compacted, and it is time to. One thread at a time does. */
    void compact() {
        if (files.config().cleanup().compact()) {
            files.requireOpen();
            directory.run("compacting " + name, () -> compaction.compactIfDue(System.currentTimeMillis()));
        }
    }

    /** Deletes the segments that are older, or more, than is to be kept. */
    void enforceRetention() {
        if (files.config().cleanup().delete()) {
            files.change("enforcing the retention of", 0, files::enforceRetention);
        }
    }

    /**
     * Deletes the log: its folder is renamed now, and deleted after {@link LogConfig#deleteDelayMs}, so that responses in
     * flight are sent to their end.
     */
    void delete() {
        files.change("deleting", 0, files::delete);
    }

    /** Flushes and closes the log, for an orderly stop, after which it can be opened without reading it. */
    void close() {
        files.close();
    }

    /**
     * Closes the files without writing or waiting for a writer, for a directory that is offline. Responses in flight break
     * off.
     */
    void closeHandles() {
        files.closeHandles();
    }

    /** Keeps the log in another way from now on. */
    void reconfigure(LogConfig next) {
        files.reconfigure(next);
    }

    /** Keeps what is set for the topic in the log's folder, which is neither moved nor deleted meanwhile. */
    void write(TopicConfig topicConfig) {
        files.change("configuring", 0, () -> topicConfig.write(files.folder()));
    }

    /**
     * How the log is kept.
     *
     * @return the configuration, never null
     */
    public LogConfig config() {
        return files.config();
    }

    /**
     * The end of the log; no I/O.
     *
     * @return the end, never null
     */
    public LogEnd end() {
        return files.end();
    }

    /**
     * The leader epoch of the next record; no I/O.
     *
     * @return the epoch, at least 0
     */
    public int leaderEpoch() {
        return files.epochs().current();
    }

    /**
     * Finds where a leader epoch ended; no I/O.
     *
     * @param epoch the epoch, any number
     * @return its end, or {@link EpochEnd#UNKNOWN}
     */
    public EpochEnd endOfEpoch(int epoch) {
        return files.epochs().endOf(epoch, files.end().offset());
    }

    /**
     * The first offset of the log; no I/O.
     *
     * @return the offset
     */
    public long startOffset() {
        return files.startOffset();
    }

    /**
     * The bytes of all segments; no I/O.
     *
     * @return the sum, in bytes
     */
    public long sizeInBytes() {
        return files.segments().sizeInBytes();
    }

    /**
     * The files of the segments, oldest first; no I/O.
     *
     * @return absolute files
     */
    public List<File> segmentFiles() {
        return files.segments().filesIn(files.folder());
    }

    /**
     * The idempotent producers that are known; no I/O.
     *
     * @return a copy, in no order
     */
    public List<ActiveProducer> activeProducers() {
        removeExpiredProducers();
        return files.producers().active();
    }

    /** Forgets the producers that appended nothing for long; no I/O, and waits for no writer. */
    void removeExpiredProducers() {
        files.producers().removeExpired(System.currentTimeMillis());
    }

    /**
     * The log directory it lies in.
     *
     * @return the directory, never null
     */
    public LogDirectory directory() {
        return directory;
    }

    /** What it consists of. */
    LogFiles files() {
        return files;
    }

    @Override
    public String toString() {
        return files.toString();
    }
}
