package io.faultline.client.spool;

import io.faultline.client.spool.JournalRecord.Begun;
import io.faultline.client.spool.JournalRecord.Moved;
import io.faultline.client.spool.JournalRecord.Settled;
import io.faultline.client.spool.JournalRecord.Stamped;
import io.faultline.client.spool.JournalRecord.Stored;
import io.faultline.client.spool.JournalRecord.Undecided;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.apache.kafka.common.TopicPartition;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What the records of a journal come to: which batches are there, and how they stand.
 *
 * <p>In a gap anything may have become of the batches before it. What a later record says holds; of the others it is not known any
 * more whether they were sent or settled.
 */
final class JournalReplay implements JournalReader {

    private static final Logger LOG = LoggerFactory.getLogger(JournalReplay.class);

    private static final String DAMAGED = "the journal of the spool is damaged where it tells what became of them";
    private static final String UNLISTED = "the journal of the spool is damaged where it should tell of them";

    private final String name;
    private final Map<Long, Stored> stored = new TreeMap<>();
    private final Map<Long, Attempt> attempts = new HashMap<>();
    private final Map<Long, String> undecided = new HashMap<>();
    private final Set<Long> unknownSince = new HashSet<>(); // batches before a gap that nothing was said of since
    private final Set<Long> settled = new HashSet<>();
    private final Map<TopicPartition, Attempt> numbering = new HashMap<>();
    private Begun begun;
    private int ofBefore;
    private long nextId;
    private boolean damaged;

    /**
     * Begins with nothing.
     *
     * @param name of the spool, for people
     */
    JournalReplay(String name) {
        this.name = name;
    }

    @Override
    public void record(JournalRecord record) {
        long id = record.id();
        if (record instanceof Begun beginning) {
            begun = beginning;
            nextId = Math.max(nextId, id);
            return;
        }
        nextId = Math.max(nextId, id + 1);
        if (record instanceof Stored batch) {
            stored.put(id, batch);
            ofBefore += begun != null && id < begun.id() ? 1 : 0;
        } else if (record instanceof Stamped stamped) {
            attempts.put(id, stamped.attempt());
            unknownSince.remove(id);
            voidOthers(stored.get(id), stamped.attempt());
        } else if (record instanceof Moved moved) {
            stored.computeIfPresent(id, (same, before) -> moved(before, moved));
        } else if (record instanceof Undecided found) {
            undecided.put(id, found.why());
        } else if (record instanceof Settled) {
            stored.remove(id);
            settled.add(id);
        }
    }

    /** Where a partition is numbered anew, nothing that had a number before is in the log, and it counts as not sent. */
    private void voidOthers(Stored batch, Attempt attempt) {
        if (batch == null) {
            return;
        }
        TopicPartition partition = batch.partition();
        Attempt before = numbering.put(partition, attempt);
        if (before != null && !before.isSameNumbering(attempt)) {
            attempts.keySet()
                    .removeIf(id -> stored.containsKey(id)
                            && stored.get(id).partition().equals(partition)
                            && !attempts.get(id).isSameNumbering(attempt));
        }
    }

    private static Stored moved(Stored before, Moved to) {
        return new Stored(
                before.id(),
                to.segment(),
                to.position(),
                before.partition(),
                before.count(),
                before.size(),
                before.bodyChecksum(),
                before.acceptedAt(),
                before.header());
    }

    @Override
    public void gap(long from, long to) {
        LOG.error("The journal of the spool {} is damaged from {} to {}", name, from, to);
        damaged = true;
        unknownSince.addAll(stored.keySet());
    }

    /** Says whether there may be batches that no record tells of. */
    boolean isDamaged() {
        return damaged;
    }

    /**
     * Takes in a batch that lies in a segment. If no record tells what became of it, that is not known.
     *
     * @param entry the entry in front of it
     */
    void found(Stored entry) {
        boolean listed = stored.containsKey(entry.id()) || settled.contains(entry.id());
        boolean gone = begun != null && entry.id() < begun.id() && ofBefore == begun.batches();
        if (!listed && !gone) {
            LOG.error(
                    "The journal of the spool {} does not tell of {} records for {}",
                    name,
                    entry.count(),
                    entry.partition());
            stored.put(entry.id(), entry);
            undecided.putIfAbsent(entry.id(), UNLISTED);
            nextId = Math.max(nextId, entry.id() + 1);
        }
    }

    /** The batches that are not settled, in the order in which they were accepted. */
    Collection<Stored> batches() {
        return stored.values();
    }

    /** Under what a batch was last sent, null if it never was. */
    Attempt attempt(long id) {
        return attempts.get(id);
    }

    /** Why it is not known whether a batch is in the log; null if that can be found out, or was not tried. */
    String undecided(long id) {
        return undecided.getOrDefault(id, unknownSince.contains(id) ? DAMAGED : null);
    }

    /** The latest numbering of each partition. */
    Map<TopicPartition, Attempt> numbering() {
        return numbering;
    }

    long nextId() {
        return nextId;
    }
}
