package io.faultline.client.produce;

import io.faultline.client.watchdog.Deadline;
import io.faultline.client.watchdog.MonotonicClock;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * {@code buffer.memory}: how many bytes all batches together may have. Whoever finds too little waits, first come, first
 * served. It has no lock, so that nobody who gives back or closes can be held up by anybody who waits.
 */
final class MemoryLimit {

    private final long total;
    private final MonotonicClock clock;
    private final AtomicLong free;
    private final Queue<Thread> waiters = new ConcurrentLinkedQueue<>();
    private final Runnable onWait;
    private volatile boolean closed;

    /**
     * Begins with all of it free.
     *
     * @param onWait told, on the thread of a caller, that it has to wait
     */
    MemoryLimit(long total, MonotonicClock clock, Runnable onWait) {
        this.total = total;
        this.clock = clock;
        this.onWait = onWait;
        this.free = new AtomicLong(total);
    }

    long total() {
        return total;
    }

    long free() {
        return free.get();
    }

    boolean hasWaiters() {
        return !waiters.isEmpty();
    }

    /**
     * Takes bytes, waiting for them where there are too few.
     *
     * @return false if there were too few until the deadline, or the client was closed
     * @throws InterruptedException if the caller was interrupted
     */
    boolean take(int bytes, Deadline deadline) throws InterruptedException {
        if (waiters.isEmpty() && tryTake(bytes)) {
            return true;
        }
        Thread self = Thread.currentThread();
        waiters.add(self);
        onWait.run();
        try {
            while (!closed) {
                if (waiters.peek() == self && tryTake(bytes)) {
                    return true;
                }
                long left = deadline.remaining(clock.nanos());
                if (left == 0) {
                    return false;
                }
                LockSupport.parkNanos(this, left);
                if (Thread.interrupted()) {
                    throw new InterruptedException();
                }
            }
            return false;
        } finally {
            waiters.remove(self);
            wakeFirst();
        }
    }

    private boolean tryTake(int bytes) {
        long before = free.get();
        while (before >= bytes) {
            if (free.compareAndSet(before, before - bytes)) {
                return true;
            }
            before = free.get();
        }
        return false;
    }

    /** Gives bytes back. */
    void give(int bytes) {
        free.addAndGet(bytes);
        wakeFirst();
    }

    private void wakeFirst() {
        Thread first = waiters.peek();
        if (first != null) {
            LockSupport.unpark(first);
        }
    }

    /** Lets all go who wait, with nothing, and all who come. */
    void close() {
        closed = true;
        waiters.forEach(LockSupport::unpark);
    }
}
