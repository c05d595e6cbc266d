package io.faultline.broker.group;

import io.faultline.broker.log.LogDirectory;
import java.io.IOException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.ApiException;
import org.apache.kafka.common.errors.KafkaStorageException;
import org.apache.kafka.common.errors.NotLeaderOrFollowerException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The offsets that groups committed, in memory and in a journal in every log directory that is online: whichever of them fails,
 * now or while the broker is down, the others have all. A commit is acknowledged when one journal has it at least.
 *
 * <p>Every change has a version, which grows with the time. At the start the journal with the latest one is taken, so that one which
 * missed changes while its directory was offline brings nothing back, not even where it alone had been there before, and all are
 * written anew from it.
 *
 * <p>Safe for use by any thread, except {@link #load} and {@link #close}.
 */
public final class CommittedOffsets {

    private static final Logger LOG = LoggerFactory.getLogger(CommittedOffsets.class);

    private final List<OffsetJournal> journals;
    private final Map<String, Map<TopicPartition, CommittedOffset>> byGroup = new ConcurrentHashMap<>();
    /**
     * Taken in the order in which changes come: a member that waited too long for an answer commits again, and more, on another
     * connection, and its earlier commit must not be the last to be kept.
     */
    private final ReentrantLock writer = new ReentrantLock(true);

    private long version;
    private boolean closed;

    /**
     * Makes an empty register.
     *
     * @param directories the log directories
     */
    public CommittedOffsets(Collection<LogDirectory> directories) {
        this(directories, OffsetJournal.USUAL_SIZE);
    }

    CommittedOffsets(Collection<LogDirectory> directories, long smallJournalBytes) {
        journals = directories.stream()
                .map(directory -> new OffsetJournal(directory, smallJournalBytes))
                .toList();
    }

    /** Reads what was committed before the start. A directory that cannot be read goes offline. */
    public void load() {
        List<OffsetChange> latest = List.of();
        for (OffsetJournal journal : journals) {
            try {
                List<OffsetChange> changes = journal.read();
                long last =
                        changes.isEmpty() ? 0 : changes.get(changes.size() - 1).version();
                if (last > version) {
                    version = last;
                    latest = changes;
                }
            } catch (KafkaStorageException offline) {
                LOG.debug("{}", offline.getMessage());
            }
        }
        latest.forEach(this::apply);
        journals.forEach(this::compact);
    }

    private void apply(OffsetChange change) {
        byGroup.compute(change.group(), (group, before) -> {
            Map<TopicPartition, CommittedOffset> after = before == null ? new HashMap<>() : new HashMap<>(before);
            change.removed().forEach(after::remove);
            after.putAll(change.committed());
            return after.isEmpty() ? null : Map.copyOf(after);
        });
    }

    private void compact(OffsetJournal journal) {
        try {
            journal.rewrite(snapshot());
        } catch (KafkaStorageException offline) {
            LOG.debug("{}", offline.getMessage());
        }
    }

    /** The last change says how late the snapshot is, even if nothing is left. */
    private List<OffsetChange> snapshot() {
        List<OffsetChange> changes = new ArrayList<>();
        byGroup.forEach((group, offsets) -> changes.add(new OffsetChange(version, group, offsets, Set.of())));
        if (changes.isEmpty() && version > 0) {
            changes.add(new OffsetChange(version, "", Map.of(), Set.of()));
        }
        return changes;
    }

    private List<OffsetChange> snapshotWith(OffsetChange change) {
        List<OffsetChange> changes = snapshot();
        changes.add(change);
        return changes;
    }

    /**
     * Keeps offsets. They are all kept, or none.
     *
     * @param group the group
     * @param offsets the offsets
     * @throws KafkaStorageException if no directory is online, or has room
     */
    public void commit(String group, Map<TopicPartition, CommittedOffset> offsets) {
        change(group, offsets, Set.of());
    }

    /**
     * Forgets offsets.
     *
     * @param group the group
     * @param partitions the partitions, known or not
     * @throws KafkaStorageException if no directory is online, or has room
     */
    public void remove(String group, Set<TopicPartition> partitions) {
        change(group, Map.of(), partitions);
    }

    private void change(String group, Map<TopicPartition, CommittedOffset> committed, Set<TopicPartition> removed) {
        if (committed.isEmpty() && removed.isEmpty()) {
            return;
        }
        writer.lock();
        try {
            if (closed) {
                // The broker that came after this one has the journals now.
                throw new KafkaStorageException("the broker has stopped");
            }
            OffsetChange change = new OffsetChange(nextVersion(), group, committed, removed);
            keep(change);
            version = change.version();
            apply(change);
            journals.stream().filter(OffsetJournal::isMostlyOld).forEach(this::compact);
        } finally {
            writer.unlock();
        }
    }

    /**
     * Where two journals were in use by turns, never together, the one that was in use last has to count as the later one, whichever
     * of them had more changes.
     */
    private long nextVersion() {
        return Math.max(version + 1, ChronoUnit.NANOS.between(Instant.EPOCH, Instant.now()));
    }

    private void keep(OffsetChange change) {
        ApiException lastFailure = new KafkaStorageException("there is none");
        boolean kept = false;
        for (OffsetJournal journal : journals) {
            try {
                journal.keep(change, () -> snapshotWith(change));
                kept = true;
            } catch (KafkaStorageException | NotLeaderOrFollowerException offline) {
                lastFailure = offline;
            }
        }
        if (!kept) {
            throw new KafkaStorageException(
                    "no log directory keeps the offsets: " + lastFailure.getMessage(), lastFailure);
        }
    }

    /**
     * Writes what was committed to the media; commits go on meanwhile. Whoever calls it every second has offsets that are at most so
     * much behind after a power failure. A directory that cannot be written goes offline.
     */
    public void flush() {
        for (OffsetJournal journal : journals) {
            try {
                journal.flush();
            } catch (KafkaStorageException | NotLeaderOrFollowerException failure) {
                // Or it was written anew meanwhile, and flushed with that.
                LOG.debug("{}", failure.getMessage());
            }
        }
    }

    /**
     * The offsets of a group.
     *
     * @param group the group
     * @return an immutable map, empty if there are none
     */
    public Map<TopicPartition, CommittedOffset> of(String group) {
        return byGroup.getOrDefault(group, Map.of());
    }

    /**
     * The groups that have committed offsets.
     *
     * @return a copy
     */
    public Set<String> groups() {
        return new TreeSet<>(byGroup.keySet());
    }

    /** Writes what was committed to the media and closes the journals. */
    public void close() {
        closeEach(OffsetJournal::close);
    }

    /** Closes the journals as they are, for a broker whose directories are deleted next. */
    public void discard() {
        closeEach(OffsetJournal::discard);
    }

    /** A way to close a journal. */
    @FunctionalInterface
    private interface Closing {

        void close(OffsetJournal journal) throws IOException;
    }

    private void closeEach(Closing closing) {
        writer.lock();
        try {
            closed = true;
            for (OffsetJournal journal : journals) {
                try {
                    closing.close(journal);
                } catch (IOException | KafkaStorageException failure) {
                    LOG.warn("{}: {}", journal, failure.getMessage());
                }
            }
        } finally {
            writer.unlock();
        }
    }
}
