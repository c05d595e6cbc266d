package io.faultline.broker.log;

import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.kafka.common.errors.KafkaStorageException;
import org.apache.kafka.common.errors.NotLeaderOrFollowerException;
import org.apache.kafka.common.record.internal.MemoryRecords;

/**
 * One partition of a topic: online with a log, or offline.
 *
 * <p>Safe for use by any thread.
 */
public final class Partition {

    private final String topic;
    private final int index;
    private volatile LogDirectory directory;
    private final Set<Runnable> watchers = ConcurrentHashMap.newKeySet();
    private volatile Log log;
    private volatile Log future;
    private volatile int lastLeaderEpoch = -1;

    /**
     * Makes a partition.
     *
     * @param topic the name of its topic
     * @param index its index
     * @param directory where it lies, or null if no directory that could be read has it
     * @param log its log, or null if it is offline
     */
    Partition(String topic, int index, LogDirectory directory, Log log) {
        this.topic = topic;
        this.index = index;
        this.directory = directory;
        this.log = log;
    }

    /**
     * The index of the partition.
     *
     * @return the index, at least 0
     */
    public int index() {
        return index;
    }

    /**
     * The directory that the partition lies in.
     *
     * @return the directory, or null if none that could be read has it
     */
    public LogDirectory directory() {
        return directory;
    }

    /**
     * Says whether the partition can be neither read nor written, because its directory failed.
     *
     * @return true if so
     */
    public boolean isOffline() {
        LogDirectory current = directory;
        return log == null || current == null || current.isOffline();
    }

    /**
     * The log of the partition.
     *
     * @return the log, never null
     * @throws KafkaStorageException if the partition is offline
     * @throws NotLeaderOrFollowerException if the topic was deleted, or the broker stops
     */
    public Log log() {
        Log open = log;
        LogDirectory current = directory;
        if (current == null || current.isOffline()) {
            throw new KafkaStorageException(this + " is offline: its log directory failed");
        }
        if (open == null) {
            throw new NotLeaderOrFollowerException(this + " is gone");
        }
        return open;
    }

    /**
     * Appends batches as {@link Log#append} does. Where the partition was moved while they waited they go into the log that
     * took the place: were they refused, those behind them on the same connection would come first, and of an idempotent
     * producer that the new log has not seen yet it would take those and never these.
     *
     * @param batches valid batches of the current format; changed in place
     * @return the offset of the first record
     * @throws KafkaStorageException if the partition is offline
     * @throws NotLeaderOrFollowerException if the topic was deleted, or the broker stops
     */
    public long append(MemoryRecords batches) {
        Log open = log();
        while (true) {
            try {
                return open.append(batches);
            } catch (NotLeaderOrFollowerException closed) {
                Log successor = log();
                if (successor == open) {
                    throw closed;
                }
                open = successor;
            }
        }
    }

    /** The log, if the partition is online. */
    Optional<Log> openLog() {
        return isOffline() ? Optional.empty() : Optional.ofNullable(log);
    }

    /**
     * What the log holds.
     *
     * @return bytes; 0 while the partition is offline
     */
    public long sizeInBytes() {
        return openLog().map(Log::sizeInBytes).orElse(0L);
    }

    /**
     * Watches the partition: the watcher is called after each append, and when the partition goes offline or away, on the
     * thread that did it.
     *
     * @param watcher must return at once
     */
    public void watch(Runnable watcher) {
        watchers.add(watcher);
    }

    /**
     * Ends a watch.
     *
     * @param watcher the watcher
     */
    public void unwatch(Runnable watcher) {
        watchers.remove(watcher);
    }

    /** Calls the watchers. */
    public void changed() {
        watchers.forEach(Runnable::run);
    }

    /**
     * The leader epoch that clients know the partition by; it stays when the partition goes offline, because clients take no
     * news with a lower one.
     *
     * @return the epoch, or -1 if the partition was offline from the start
     */
    public int leaderEpoch() {
        Log open = log;
        return open == null ? lastLeaderEpoch : open.leaderEpoch();
    }

    /**
     * The copy that is to take the partition's place, in another directory.
     *
     * @return the copy, empty if the partition is not being moved
     */
    public Optional<Log> future() {
        return Optional.ofNullable(future);
    }

    void setFuture(Log copy) {
        future = copy;
    }

    /**
     * Lets the copy in another directory take the log's place, unless the topic was deleted meanwhile: one of its name may have
     * been made again, and have the folder that the copy would take, or the one that the log leaves. Nobody lets go of the log
     * before both folders have the names that they keep.
     *
     * @param target where the copy is
     * @param copy the copy
     * @param takeOver gives the copy its folder
     * @param leave gives up the log's folder; must not throw
     */
    synchronized void moveTo(LogDirectory target, Log copy, Runnable takeOver, Runnable leave) {
        if (log == null) {
            throw new NotLeaderOrFollowerException(this + " is gone");
        }
        takeOver.run();
        directory = target;
        log = copy;
        future = null;
        leave.run();
    }

    /** Lets go of the log if the partition lies in a directory; returns it, or null where there was none. */
    synchronized Log letGo(LogDirectory failed) {
        return directory == failed ? letGo() : null;
    }

    /** Lets go of the log; returns it, or null where there was none. */
    synchronized Log letGo() {
        Log last = log;
        lastLeaderEpoch = last == null ? lastLeaderEpoch : last.leaderEpoch();
        log = null;
        return last;
    }

    @Override
    public String toString() {
        return topic + "-" + index;
    }
}
