package io.faultline.client.produce;

import io.faultline.client.Delivery;
import io.faultline.client.loop.Callbacks;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;
import org.apache.kafka.clients.producer.RecordMetadata;

/**
 * What becomes of one record. It is settled once, by whichever thread comes first: the loop, or the liveness thread when the
 * loop is stuck. Only the callback thread completes the futures that wait for it.
 */
final class RecordDelivery implements Delivery {

    private static final AtomicReferenceFieldUpdater<RecordDelivery, Object> OUTCOME =
            AtomicReferenceFieldUpdater.newUpdater(RecordDelivery.class, Object.class, "outcome");

    private final Waiters<Void> accepted = new Waiters<>();
    private final Waiters<RecordMetadata> delivered = new Waiters<>();
    private final Callbacks callbacks;
    private final DeliveryCounts counts;
    private final int keySize;
    private final int valueSize;
    private final long timestamp;

    /** Null while it is pending, then its metadata or why it failed. */
    private volatile Object outcome;

    /** Whether it came into the spool before it had an outcome. */
    private volatile boolean isAccepted;

    /** The next record of the same batch; written once, by the thread that appends, and read by any. */
    private volatile RecordDelivery next;

    RecordDelivery(Callbacks callbacks, DeliveryCounts counts, int keySize, int valueSize, long timestamp) {
        this.callbacks = callbacks;
        this.counts = counts;
        this.keySize = keySize;
        this.valueSize = valueSize;
        this.timestamp = timestamp;
        counts.produced();
    }

    RecordDelivery next() {
        return next;
    }

    void setNext(RecordDelivery following) {
        next = following;
    }

    int keySize() {
        return keySize;
    }

    int valueSize() {
        return valueSize;
    }

    long timestamp() {
        return timestamp;
    }

    /** It is in the spool, which a failure from now on does not undo. */
    void accept() {
        isAccepted = outcome == null;
        callbacks.execute(() -> accepted.tell(this::completeAccepted));
    }

    /** Settles it, unless it is. Those who wait for it are to be {@linkplain #tellAll told}. */
    void ack(RecordMetadata metadata) {
        if (OUTCOME.compareAndSet(this, null, metadata)) {
            counts.acked();
        }
    }

    /**
     * Tells those who wait for records that are settled: as one callback, since one for each record would wake a thread each time.
     *
     * @param first the first of a batch
     * @param end the record behind its last one, or null
     */
    static void tellAll(RecordDelivery first, RecordDelivery end) {
        if (first != end) {
            first.callbacks.execute(() -> {
                for (RecordDelivery record = first; record != end; record = record.next) {
                    record.tell();
                }
            });
        }
    }

    /** Gives it up, unless it is settled. Those who wait for it are to be {@linkplain #tellAll told}. */
    void giveUp(Exception cause) {
        if (OUTCOME.compareAndSet(this, null, cause)) {
            counts.failed();
        }
    }

    /** Gives it up, unless it is settled, and tells those who wait for it. */
    void fail(Exception cause) {
        giveUp(cause);
        callbacks.execute(this::tell);
    }

    private void tell() {
        accepted.tell(this::completeAccepted);
        delivered.tell(this::completeDelivered);
    }

    private void completeAccepted(CallerFuture<Void> future) {
        if (!isAccepted && outcome instanceof Exception cause) {
            future.completeExceptionally(cause);
        } else {
            future.complete(null);
        }
    }

    private void completeDelivered(CallerFuture<RecordMetadata> future) {
        if (outcome instanceof Exception cause) {
            future.completeExceptionally(cause);
        } else {
            future.complete((RecordMetadata) outcome);
        }
    }

    @Override
    public CompletableFuture<Void> accepted() {
        return accepted.add(callbacks, this::completeAccepted);
    }

    @Override
    public CompletableFuture<RecordMetadata> delivered() {
        return delivered.add(callbacks, this::completeDelivered);
    }
}
