package io.faultline.client.produce;

import io.faultline.client.watchdog.Deadline;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import org.apache.kafka.common.header.Header;

/** The batches of one partition that have not been sent. The last one may still grow. Its lock is held for moments only. */
final class PartitionQueue {

    /** What became of a record. */
    enum Outcome {
        NO_ROOM,
        APPENDED,
        /** It was the last one that the batch takes. */
        FILLED
    }

    private final Deque<Batch> batches = new ArrayDeque<>();
    private final long growthNanos;

    /**
     * Begins empty.
     *
     * @param growth how long a batch that waits to be sent may go on growing: by so much may the first of its records be
     *     given up later than its own time is up
     */
    PartitionQueue(Duration growth) {
        growthNanos = Deadline.saturatedNanos(growth);
    }

    /** Adds a record to the batch that grows, if there is one with room. */
    synchronized Outcome append(RecordDelivery delivery, long now, byte[] key, byte[] value, Header[] headers) {
        Batch growing = batches.peekLast();
        if (growing == null || growing.isSealed()) {
            return Outcome.NO_ROOM;
        }
        boolean tooOld = now - growing.createdAt() > growthNanos;
        if (tooOld || !growing.hasRoomFor(delivery.timestamp(), key, value, headers)) {
            growing.seal();
            return Outcome.NO_ROOM;
        }
        growing.append(delivery, now, key, value, headers);
        return growing.isFull() ? Outcome.FILLED : Outcome.APPENDED;
    }

    /** Begins a batch with a record, unless another thread was faster to begin one with room; returns whether it did. */
    synchronized boolean begin(
            Batch fresh, RecordDelivery delivery, long now, byte[] key, byte[] value, Header[] headers) {
        if (append(delivery, now, key, value, headers) != Outcome.NO_ROOM) {
            return false;
        }
        fresh.append(delivery, now, key, value, headers);
        batches.add(fresh);
        return true;
    }

    /** The oldest batch, null if there is none. */
    synchronized Batch oldest() {
        return batches.peek();
    }

    /** Says whether the oldest batch will not grow any more of itself. */
    synchronized boolean oldestIsWhole() {
        return batches.size() > 1
                || !batches.isEmpty()
                        && (batches.peek().isSealed() || batches.peek().isFull());
    }

    /** Takes the oldest batch out and seals it; null if there is none. */
    synchronized Batch take() {
        Batch oldest = batches.poll();
        if (oldest != null) {
            oldest.seal();
        }
        return oldest;
    }

    /** Puts batches back in front that were taken out last, in their order. */
    synchronized void putBack(List<Batch> taken) {
        for (int index = taken.size() - 1; index >= 0; index--) {
            batches.addFirst(taken.get(index));
        }
    }

    /** Takes a batch out; returns false if it is not here any more. */
    synchronized boolean remove(Batch batch) {
        boolean removed = batches.remove(batch);
        if (removed) {
            batch.seal();
        }
        return removed;
    }
}
