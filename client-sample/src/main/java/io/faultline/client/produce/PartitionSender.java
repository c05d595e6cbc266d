package io.faultline.client.produce;

import io.faultline.client.protocol.ProducerStamp;
import io.faultline.client.spool.Attempt;
import io.faultline.client.watchdog.Timer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.protocol.Errors;

/**
 * What is sent to one partition, in what order and under what numbers. On the loop.
 *
 * <p>A batch goes from the queue into flight, and from there away for good or to the batches that are to be sent again. Why the
 * numbers are chosen as they are is written down in the documentation of the package.
 */
final class PartitionSender {

    /** What is needed before anything can be sent. */
    enum Need {
        NOTHING,
        LOOK_UP,
        PRODUCER_ID,
        /** What is to be sent from the spool must be stamped, and that written down. */
        STAMP
    }

    private final TopicPartition partition;
    private final PartitionQueue queue;
    private final ProduceConfig config;
    private final Deque<Batch> inFlight = new ArrayDeque<>();
    private final List<Batch> retry = new ArrayList<>(); // in the order of their first sending
    private final Deque<Batch> spooled = new ArrayDeque<>(); // behind those to be sent again, in front of the queue
    private int held;
    private boolean restored;
    private String restoredCluster;
    private Uuid topicId = Uuid.ZERO_UUID;
    private int inFlightAt;
    private boolean draining;
    private boolean recreated;
    private Timer pause;
    private int failures;
    private boolean silence; // to what was sent last there was no answer
    private boolean unconfirmed; // a batch is in doubt, and the topic may have been made anew since the last view
    private long sent;
    private long nextOffset = -1;

    private ProducerIdentity identity;
    private int nextSequence;
    private int settledEnd;
    private boolean established;
    private boolean renumber;
    private boolean freshIdentity;
    private boolean lookUp;
    private boolean lookingUp;

    PartitionSender(TopicPartition partition, PartitionQueue queue, ProduceConfig config) {
        this.partition = partition;
        this.queue = queue;
        this.config = config;
    }

    TopicPartition partition() {
        return partition;
    }

    boolean isIdle() {
        return inFlight.isEmpty() && retry.isEmpty() && spooled.isEmpty() && held == 0 && queue.oldest() == null;
    }

    /** Nothing is sent while something is written down in the spool, or a verdict is waited for. */
    void hold() {
        held++;
    }

    void release() {
        held--;
    }

    /** Says whether there is something of it in the spool, so that all newer batches have to queue behind. */
    boolean hasSpooled() {
        return !spooled.isEmpty() || retryIsSpooled() || flightIsSpooled();
    }

    /** Says whether what is to be sent next lies in a file. */
    boolean sendsFromFile() {
        return retryIsSpooled() || flightIsSpooled() || retry.isEmpty() && !spooled.isEmpty();
    }

    private boolean retryIsSpooled() {
        return !retry.isEmpty() && retry.get(0).isSpooled();
    }

    private boolean flightIsSpooled() {
        return !inFlight.isEmpty() && inFlight.peek().isSpooled();
    }

    /**
     * The batches with a number that may go into the spool now, in the order of their first sending: those on their way, and those to
     * be sent again. None if they are there already.
     */
    List<Batch> spoolable() {
        if (held > 0 || retryIsSpooled() || flightIsSpooled()) {
            return List.of();
        }
        return Stream.concat(inFlight.stream(), retry.stream())
                .filter(batch -> !batch.isSettled())
                .sorted((one, other) -> one.isBefore(other) ? -1 : 1)
                .toList();
    }

    /** Says whether batches from the queue may go into the spool now. */
    boolean maySpoolQueue() {
        return held == 0 && (retry.isEmpty() || retryIsSpooled());
    }

    /** Batches from the queue are in the spool. */
    void spooled(List<Batch> batches) {
        spooled.addAll(batches);
    }

    /** What {@link #spoolable} was is in the spool; what is in doubt there is looked for before it is sent again. */
    void numberedSpooled() {
        lookUp = retry.stream().anyMatch(Batch::isInDoubt);
    }

    /**
     * Takes over what an earlier producer left.
     *
     * @param attempted batches that it may have sent, under what
     * @param unsent batches that it did not send
     */
    void restore(Map<Batch, Attempt> attempted, List<Batch> unsent) {
        spooled.addAll(unsent);
        Attempt last = null;
        for (Map.Entry<Batch, Attempt> each : attempted.entrySet()) {
            last = each.getValue();
            Batch batch = each.getKey();
            batch.setOrdinal(sent++);
            batch.stamp(last.stamp());
            batch.setInDoubt(true);
            if (retry.isEmpty()) {
                nextOffset = last.lookFrom();
                settledEnd = last.stamp().baseSequence();
            }
            retry.add(batch);
        }
        if (last != null) {
            Uuid current = topicId;
            topicId = last.topicId();
            restoredCluster = last.clusterId();
            identity =
                    new ProducerIdentity(last.stamp().producerId(), last.stamp().epoch());
            nextSequence = retry.get(retry.size() - 1).endSequence();
            lookUp = true;
            restored = true;
            if (!current.equals(Uuid.ZERO_UUID)) {
                topicIs(current);
            }
        }
    }

    /** The cluster is known; what was sent to another one cannot be found here. */
    void clusterIs(String id) {
        if (restoredCluster != null && id != null) {
            if (!restoredCluster.equals(id)) {
                retry.stream().filter(Batch::isInDoubt).forEach(Batch::setForeign);
                freshIdentity = true;
                nextOffset = -1;
            }
            restoredCluster = null;
        }
    }

    /** Where to look for batches in doubt: behind the last one that was acked, -1 if none was. */
    long nextOffset() {
        return nextOffset;
    }

    ProducerIdentity identity() {
        return identity;
    }

    /** The batches to be sent again, the first in front. */
    Collection<Batch> retrying() {
        return List.copyOf(retry);
    }

    void topicIs(Uuid id) {
        if (!topicId.equals(Uuid.ZERO_UUID) && !topicId.equals(id)) {
            recreated = true;
        }
        unconfirmed = false;
        topicId = id;
    }

    Uuid topicId() {
        return topicId;
    }

    boolean isPaused() {
        return pause != null;
    }

    /**
     * Says whether all waits for a view of the cluster: a batch in doubt is sent again only to the topic that it was sent to, and a broker that takes
     * batches by the topic's name does not tell one from the other.
     */
    boolean awaitsView() {
        return unconfirmed;
    }

    void paused(Timer until) {
        pause = until;
    }

    void resumed() {
        pause = null;
    }

    int failures() {
        return failures;
    }

    /** Says what has to be had first, when the next batch could be sent but for that. */
    Need need(ProducerIdentity current) {
        settleRecreation();
        if (!config.idempotent() || !inFlight.isEmpty() || held > 0) {
            return Need.NOTHING;
        }
        if (lookUp) {
            return lookingUp ? Need.NOTHING : Need.LOOK_UP;
        }
        if (retryIsSpooled() && mustRenumber()) {
            unstampRetries();
        }
        boolean unusable = identity == null || mustRenumber() && (freshIdentity || identity.isExhausted());
        if (unusable && !isUsable(current)) {
            return Need.PRODUCER_ID;
        }
        return retry.isEmpty() && !spooled.isEmpty() ? Need.STAMP : Need.NOTHING;
    }

    /** Those that are known not to be in the log get other numbers, which have to be written down first. */
    private void unstampRetries() {
        for (int index = retry.size() - 1; index >= 0; index--) {
            Batch batch = retry.get(index);
            batch.stamp(ProducerStamp.NONE);
            spooled.addFirst(batch);
        }
        retry.clear();
        renumber = true;
    }

    /**
     * Stamps the next batch from the spool. It is out until {@link #stamped} or {@link #notStamped}.
     *
     * @param current the newest producer id, null if there is none or none is needed
     */
    Batch stampNext(ProducerIdentity current) {
        if (restored) {
            restored = false;
            renumber = true; // what the earlier producer did not send goes out under the next epoch
        }
        if (mustRenumber() && !renumbered(current)) {
            return null;
        }
        Batch batch = spooled.poll();
        batch.setOrdinal(sent++);
        batch.stamp(new ProducerStamp(identity.producerId(), identity.epoch(), nextSequence));
        nextSequence = batch.endSequence();
        return batch;
    }

    /** It is written down under what a batch is going to be sent. */
    void stamped(Batch batch) {
        if (!batch.isSettled()) {
            retry.add(0, batch);
        }
    }

    /** It could not be written down, and the batch was not sent. */
    void notStamped(Batch batch) {
        nextSequence = batch.stamp().baseSequence();
        if (!batch.isSettled()) {
            batch.stamp(ProducerStamp.NONE);
            spooled.addFirst(batch);
        }
    }

    private boolean isUsable(ProducerIdentity current) {
        return current != null && (identity == null || current.producerId() != identity.producerId());
    }

    /**
     * The next batch to send, stamped, and from now on in flight.
     *
     * @param leader to whom
     * @param flushed whether the newest batch need not wait for more records
     * @param room how large the batch may be
     * @param current the newest producer id, null if there is none or none is needed
     * @return null if nothing is to be sent now
     */
    Batch next(int leader, boolean flushed, int room, ProducerIdentity current) {
        if (pause != null
                || unconfirmed
                || draining
                || lookUp
                || held > 0
                || !inFlight.isEmpty() && inFlightAt != leader) {
            return null;
        }
        settleRecreation();
        Batch batch = config.idempotent() ? nextNumbered(flushed, room, current) : nextUnnumbered(flushed, room);
        if (batch != null) {
            inFlight.add(batch);
            inFlightAt = leader;
        }
        return batch;
    }

    private Batch nextUnnumbered(boolean flushed, int room) {
        if (inFlight.size() >= config.maxInFlight()) {
            return null;
        }
        return retry.isEmpty() ? fromQueue(flushed, room) : fromRetry(room);
    }

    private Batch nextNumbered(boolean flushed, int room, ProducerIdentity current) {
        if (inFlight.isEmpty()) {
            boolean doubt = !retry.isEmpty() && retry.get(0).isInDoubt();
            if (doubt) {
                return fromRetry(room); // under its old number, and alone
            }
            if (mustRenumber() && (retryIsSpooled() || !renumbered(current))) {
                return null;
            }
        } else if (flightIsSpooled() || retryIsSpooled()) {
            return null; // one at a time
        } else if (!established || inFlight.peek().isInDoubt() || inFlight.size() >= config.maxInFlight()) {
            return null;
        } else if (!retry.isEmpty() ? retry.get(0).isInDoubt() : mustRenumber()) {
            return null;
        }
        if (!retry.isEmpty()) {
            return fromRetry(room);
        }
        if (!spooled.isEmpty()) {
            return null; // until it is stamped
        }
        Batch batch = fromQueue(flushed, room);
        if (batch != null) {
            batch.stamp(new ProducerStamp(identity.producerId(), identity.epoch(), nextSequence));
            nextSequence = batch.endSequence();
        }
        return batch;
    }

    private Batch fromRetry(int room) {
        return retry.get(0).size() <= room ? retry.remove(0) : null;
    }

    private Batch fromQueue(boolean flushed, int room) {
        Batch oldest = queue.oldest();
        if (oldest == null || !flushed && !queue.oldestIsWhole()) {
            return null;
        }
        if (oldest.sizeBound() > room) {
            return null;
        }
        Batch batch = queue.take();
        if (batch != null) {
            batch.setOrdinal(sent++);
        }
        return batch;
    }

    /** Says whether the broker would find a gap in front of the next batch. */
    private boolean mustRenumber() {
        if (identity == null || renumber) {
            return true;
        }
        int next = retry.isEmpty() ? nextSequence : retry.get(0).stamp().baseSequence();
        int end = inFlight.isEmpty() ? settledEnd : inFlight.peekLast().endSequence();
        return next != end;
    }

    /** Begins to number again, in a new epoch, with what is known not to be in the log. */
    private boolean renumbered(ProducerIdentity current) {
        if (identity == null || freshIdentity || identity.isExhausted()) {
            if (!isUsable(current)) {
                return false;
            }
            identity = current;
        } else {
            identity = identity.bumped();
        }
        int sequence = 0;
        for (Batch batch : retry) {
            batch.setInDoubt(false);
            batch.stamp(new ProducerStamp(identity.producerId(), identity.epoch(), sequence));
            sequence = batch.endSequence();
        }
        nextSequence = sequence;
        settledEnd = 0;
        established = false;
        renumber = false;
        freshIdentity = false;
        return true;
    }

    /** The log that knew our numbers is gone, and with it whatever was in doubt. */
    private void settleRecreation() {
        if (recreated && inFlight.isEmpty()) {
            recreated = false;
            retry.forEach(this::settleRecreation);
            lookUp = retry.stream().anyMatch(Batch::isInDoubt);
            renumber = identity != null;
            nextOffset = -1;
        }
    }

    /** From memory, it went with the log; from the spool, that is for others to decide. */
    private void settleRecreation(Batch batch) {
        if (batch.isSpooled() && batch.isInDoubt()) {
            batch.setForeign();
        } else {
            batch.setInDoubt(false);
        }
    }

    /** The broker has a batch. */
    void acked(Batch batch, long baseOffset, long appendTime) {
        landed(batch);
        established = true;
        failures = 0;
        silence = false;
        settledEnd = config.idempotent() ? batch.endSequence() : 0;
        if (baseOffset >= 0) {
            nextOffset = baseOffset + batch.count();
        }
        batch.ack(baseOffset, appendTime);
    }

    /** A batch is not in the log and never will be. */
    void refused(Batch batch, Exception cause) {
        landed(batch);
        batch.fail(cause);
    }

    /** Nobody answered, and the batch may be sent again. */
    void unanswered(Batch batch, boolean doubt) {
        silence = true;
        unconfirmed |= doubt;
        failed(batch, doubt);
    }

    /** The broker answered something after which the batch may be sent again. A leader that is just back from an outage soon knows better, so that pauses begin anew. */
    void answeredWithError(Batch batch, boolean doubt) {
        if (silence) {
            silence = false;
            failures = 0;
        }
        failed(batch, doubt);
    }

    private void failed(Batch batch, boolean doubt) {
        landed(batch);
        failures++;
        if (!batch.isSettled()) {
            batch.setInDoubt(batch.isInDoubt() || doubt);
            // A broker that has forgotten the producer in a long outage would take it twice.
            lookUp = lookUp || batch.isSpooled() && batch.isInDoubt();
            again(batch);
        }
    }

    /** The broker does not like the number of a batch. */
    void misnumbered(Batch batch, Errors error) {
        boolean inOrder =
                batch.stamp().baseSequence() == settledEnd && (retry.isEmpty() || batch.isBefore(retry.get(0)));
        landed(batch);
        failures++;
        if (error == Errors.INVALID_PRODUCER_EPOCH || error == Errors.PRODUCER_FENCED) {
            freshIdentity = true;
            renumber = true;
        }
        if (inOrder || error == Errors.UNKNOWN_PRODUCER_ID) {
            renumber = true;
        }
        if (!batch.isSettled()) {
            lookUp = lookUp || batch.isInDoubt();
            again(batch);
        }
    }

    /** A batch is too large for the broker, and its parts are sent instead, under the same numbers. */
    void split(Batch batch, List<Batch> parts) {
        landed(batch);
        int sequence = batch.stamp().baseSequence();
        for (Batch part : parts) {
            if (batch.hasStamp()) {
                part.stamp(new ProducerStamp(
                        batch.stamp().producerId(), batch.stamp().epoch(), sequence));
                sequence = part.endSequence();
            }
            again(part);
        }
    }

    private void landed(Batch batch) {
        inFlight.remove(batch);
        draining = draining && !inFlight.isEmpty();
    }

    private void again(Batch batch) {
        int index = retry.size();
        while (index > 0 && batch.isBefore(retry.get(index - 1))) {
            index--;
        }
        retry.add(index, batch);
        draining = !inFlight.isEmpty();
    }

    /** The time of a batch is up, wherever it is. */
    void expired(Batch batch, Exception cause) {
        if (!queue.remove(batch) && !spooled.remove(batch)) {
            retry.remove(batch);
        }
        batch.fail(cause);
        lookUp = lookUp && retry.stream().anyMatch(Batch::isInDoubt);
    }

    void lookUpBegins() {
        lookingUp = true;
    }

    /** A look-up has failed, and is to be made again. */
    void lookUpFailed() {
        lookingUp = false;
        failures++;
    }

    /**
     * A look-up has told what is in the log; everything else that was in doubt is not.
     *
     * @param offsets where the batches are that are there, -1 where that could not be told
     * @param end the sequence behind the last of ours in the log, null if the broker does not know us
     * @param whole whether all was seen that there was since the last ack
     * @return batches from the spool of which it cannot be known any more whether they were in the log; they are out
     */
    List<Batch> lookedUp(Map<Batch, Long> offsets, Integer end, boolean whole) {
        List<Batch> undecided = new ArrayList<>();
        lookingUp = false;
        lookUp = false;
        failures = 0;
        for (Iterator<Batch> each = retry.iterator(); each.hasNext(); ) {
            Batch batch = each.next();
            Long offset = offsets.get(batch);
            if (offset != null) {
                each.remove();
                if (offset >= 0) {
                    nextOffset = offset + batch.count();
                }
                batch.ack(offset, -1);
            } else if (batch.isSpooled() && batch.isInDoubt() && (batch.isForeign() || end == null && !whole)) {
                each.remove();
                undecided.add(batch);
            } else {
                batch.setInDoubt(false);
            }
        }
        if (end == null && retryIsSpooled() && undecided.isEmpty()) {
            // It has no copy, and one that comes late is recognised when it is sent again byte for byte.
            settledEnd = retry.get(0).stamp().baseSequence();
            established = false;
            renumber = freshIdentity;
        } else if (end == null) {
            renumber = true;
        } else {
            settledEnd = end;
            established = true;
            renumber = freshIdentity;
        }
        return undecided;
    }

    /** Gives up everything that is not in the spool: the cluster will have none of it now, but may at another time. */
    void failMemory(Exception cause) {
        for (Batch batch = queue.take(); batch != null; batch = queue.take()) {
            batch.fail(cause);
        }
        for (Batch batch : List.copyOf(retry)) {
            if (!batch.isSpooled()) {
                retry.remove(batch);
                batch.fail(cause);
            }
        }
    }

    /** Gives up everything. */
    void failAll(Exception cause) {
        spooled.forEach(batch -> batch.fail(cause));
        spooled.clear();
        for (Batch batch = queue.take(); batch != null; batch = queue.take()) {
            batch.fail(cause);
        }
        retry.forEach(batch -> batch.fail(cause));
        retry.clear();
        inFlight.forEach(batch -> batch.fail(cause));
    }
}
