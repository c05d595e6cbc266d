package io.faultline.client.produce;

import java.util.ArrayDeque;
import java.util.Deque;
import org.apache.kafka.common.header.Header;

/** The batches of one partition that have not been sent. The last one may still grow. Its lock is held for moments only. */
final class PartitionQueue {

    private final Deque<Batch> batches = new ArrayDeque<>();

    /** Adds a record to the batch that grows; returns that batch, or null if there is none with room. */
    synchronized Batch append(RecordDelivery delivery, byte[] key, byte[] value, Header[] headers) {
        Batch growing = batches.peekLast();
        if (growing == null || !growing.hasRoomFor(delivery.timestamp(), key, value, headers)) {
            return null;
        }
        growing.append(delivery, key, value, headers);
        return growing;
    }

    /** Adds a record to the batch that grows, or to the new one; returns the batch that took it. */
    synchronized Batch append(Batch fresh, RecordDelivery delivery, byte[] key, byte[] value, Header[] headers) {
        Batch growing = append(delivery, key, value, headers);
        if (growing != null) {
            return growing; // another thread was faster to begin one
        }
        fresh.append(delivery, key, value, headers);
        batches.add(fresh);
        return fresh;
    }

    /** The oldest batch, null if there is none. */
    synchronized Batch oldest() {
        return batches.peek();
    }

    /** Says whether the oldest batch will not grow any more of itself. */
    synchronized boolean oldestIsWhole() {
        return batches.size() > 1 || !batches.isEmpty() && batches.peek().isFull();
    }

    /** Takes the oldest batch out and seals it; null if there is none. */
    synchronized Batch take() {
        Batch oldest = batches.poll();
        if (oldest != null) {
            oldest.seal();
        }
        return oldest;
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
