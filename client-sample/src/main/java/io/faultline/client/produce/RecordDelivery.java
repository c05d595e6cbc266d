package io.faultline.client.produce;

import io.faultline.client.Delivery;
import io.faultline.client.loop.Callbacks;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.clients.producer.RecordMetadata;

/**
 * What becomes of one record. It is settled once, by whichever thread comes first: the loop, or the liveness thread when the
 * loop is stuck. Only the callback thread completes the future.
 */
final class RecordDelivery implements Delivery {

    /** Where a record stands. */
    enum State {
        PENDING,
        ACKED,
        FAILED
    }

    private final AtomicReference<State> state = new AtomicReference<>(State.PENDING);
    private final CallerFuture<Void> accepted;
    private final CallerFuture<RecordMetadata> delivered;
    private final Callbacks callbacks;
    private final DeliveryCounts counts;
    private final int keySize;
    private final int valueSize;
    private final long timestamp;

    /** The next record of the same batch; written once, by the thread that appends, and read by any. */
    private volatile RecordDelivery next;

    RecordDelivery(Callbacks callbacks, DeliveryCounts counts, int keySize, int valueSize, long timestamp) {
        this.callbacks = callbacks;
        this.counts = counts;
        this.accepted = new CallerFuture<>(callbacks);
        this.delivered = new CallerFuture<>(callbacks);
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

    /** It is in the spool. */
    void accept() {
        callbacks.execute(() -> accepted.complete(null));
    }

    /** Settles it, unless it is; returns whether it did. The future follows when the returned step is run in a callback. */
    boolean ack(RecordMetadata metadata) {
        if (!state.compareAndSet(State.PENDING, State.ACKED)) {
            return false;
        }
        counts.acked();
        callbacks.execute(() -> {
            accepted.complete(null);
            delivered.complete(metadata);
        });
        return true;
    }

    /** Settles it, unless it is; returns whether it did. */
    boolean fail(Exception cause) {
        if (!state.compareAndSet(State.PENDING, State.FAILED)) {
            return false;
        }
        counts.failed();
        callbacks.execute(() -> {
            accepted.completeExceptionally(cause);
            delivered.completeExceptionally(cause);
        });
        return true;
    }

    @Override
    public CompletableFuture<Void> accepted() {
        return accepted.copy();
    }

    @Override
    public CompletableFuture<RecordMetadata> delivered() {
        return delivered.copy();
    }
}
