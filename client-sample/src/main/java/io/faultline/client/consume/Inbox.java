package io.faultline.client.consume;

import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.WakeupException;

/**
 * What the loop has for the thread that polls, without a lock: the loop never waits for the application, and the liveness thread
 * can tell it of the loop's end.
 */
final class Inbox {

    /** Something for the caller. */
    sealed interface Item permits Chunk, PositionFound, Truncated, NoPosition, Trouble {}

    /**
     * From where a partition is fetched.
     *
     * @param flow the partition
     * @param seeks how often the caller had moved it when that was found
     * @param place where
     */
    record PositionFound(Flow flow, int seeks, Flow.Place place) implements Item {}

    /**
     * The log was truncated behind what was fetched of it. What of that was not delivered yet is void; nothing more is fetched until
     * the caller seeks to where it goes on.
     *
     * @param flow the partition
     * @param seeks how often the caller had moved it when that was found
     * @param divergence up to where the log is still as it was
     */
    record Truncated(Flow flow, int seeks, Flow.Place divergence) implements Item {}

    /**
     * From where a partition is to be fetched could not be found out.
     *
     * @param flow the partition
     * @param seeks how often the caller had moved it then; one who has moved it since need not know
     * @param exception what to throw
     */
    record NoPosition(Flow flow, int seeks, KafkaException exception) implements Item {}

    /**
     * An exception for the next poll; the consumer goes on.
     *
     * @param exception what to throw
     */
    record Trouble(KafkaException exception) implements Item {}

    private final Queue<Item> items = new ConcurrentLinkedQueue<>();
    private final AtomicReference<Step> step = new AtomicReference<>();
    private final AtomicReference<KafkaException> failure = new AtomicReference<>();
    private final AtomicBoolean woken = new AtomicBoolean();
    private volatile Thread waiter;

    void put(Item item) {
        items.add(item);
        signal();
    }

    /** Says each thing once, however often it happens until the caller looks. */
    void put(Trouble trouble) {
        boolean isKnown = items.stream()
                .anyMatch(item -> item instanceof Trouble other
                        && other.exception.toString().equals(trouble.exception.toString()));
        if (!isKnown) {
            put((Item) trouble);
        }
    }

    /** Replaces a step that was not taken yet. */
    void put(Step next) {
        step.set(next);
        signal();
    }

    /** The consumer has come to its end; the first reason counts. */
    void fail(KafkaException cause) {
        failure.compareAndSet(null, cause);
        signal();
    }

    void wakeup() {
        woken.set(true);
        signal();
    }

    /** Has the caller look again at what it waits for. */
    void signal() {
        Thread waiting = waiter;
        if (waiting != null) {
            LockSupport.unpark(waiting);
        }
    }

    Item take() {
        return items.poll();
    }

    Optional<Step> takeStep() {
        return Optional.ofNullable(step.getAndSet(null));
    }

    KafkaException failure() {
        return failure.get();
    }

    void throwFailure() {
        KafkaException cause = failure.get();
        if (cause != null) {
            throw cause;
        }
    }

    void throwIfWoken() {
        if (woken.getAndSet(false)) {
            throw new WakeupException();
        }
    }

    boolean hasItems() {
        return !items.isEmpty();
    }

    private boolean hasAnything() {
        return hasItems() || step.get() != null || failure.get() != null || woken.get();
    }

    /**
     * Waits on the caller's thread until there is something, for a while at most.
     *
     * @param done something else that ends the wait
     * @param nanos how long
     * @throws InterruptedException if the caller is interrupted
     */
    void await(BooleanSupplier done, long nanos) throws InterruptedException {
        waiter = Thread.currentThread();
        try {
            // Looked at after the waiter is known: whoever puts something in later sees it, and unparks.
            if (!done.getAsBoolean() && !hasAnything() && nanos > 0) {
                LockSupport.parkNanos(this, nanos);
            }
        } finally {
            waiter = null;
        }
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
    }

    /** As {@link #await}, but only for that, for the end of the consumer and, where that is wanted, for a wakeup. */
    void awaitOnly(BooleanSupplier done, boolean wakeable, long nanos) throws InterruptedException {
        waiter = Thread.currentThread();
        try {
            boolean wake = wakeable && woken.get();
            if (!done.getAsBoolean() && failure.get() == null && !wake && nanos > 0) {
                LockSupport.parkNanos(this, nanos);
            }
        } finally {
            waiter = null;
        }
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
    }
}
