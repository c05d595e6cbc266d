package io.faultline.classifier;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Runs somebody else's code, one call at a time and in order, on a thread of its own behind a bounded queue, so that code
 * that blocks or throws harms nobody but itself. The thread is made when there is work and ends when there is none.
 */
final class Lane {

    /** How long an idle thread is kept, so that a burst of calls does not make a thread for each. */
    private static final Duration LINGER = Duration.ofSeconds(1);

    private final String name;
    private final int capacity;
    private final Queue<Runnable> queue = new ArrayDeque<>();
    private final AtomicLong lost = new AtomicLong();
    private final AtomicLong thrown = new AtomicLong();
    private boolean threadRuns;
    private boolean closed;

    /**
     * Makes a lane with no thread.
     *
     * @param name of its thread
     * @param capacity how many calls may wait
     */
    Lane(String name, int capacity) {
        this.name = name;
        this.capacity = capacity;
    }

    /**
     * Queues a call.
     *
     * @return false if the queue is full or the lane is closed; the call is counted as lost then
     */
    boolean offer(Runnable call) {
        synchronized (queue) {
            if (closed || queue.size() >= capacity || !ensureThread()) {
                lost.incrementAndGet();
                return false;
            }
            queue.add(call);
            queue.notifyAll();
            return true;
        }
    }

    /**
     * Queues a call and waits until it has ended, but no longer than the limit.
     *
     * @return true if it ended in time, whether normally or not
     */
    boolean callAndWait(Runnable call, Duration limit) {
        CountDownLatch ended = new CountDownLatch(1);
        boolean queued = offer(() -> {
            try {
                call.run();
            } finally {
                ended.countDown();
            }
        });
        try {
            return queued && ended.await(limit.toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException stranger) {
            // Nobody of ours interrupts; keep the mark for whoever did and do not wait on.
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /** Calls that were not taken because the queue was full or the lane closed. */
    long lost() {
        return lost.get();
    }

    /** Calls that ended in a throwable. */
    long thrown() {
        return thrown.get();
    }

    /** Takes no further call and forgets the queued ones. One under way may finish; it is not interrupted. */
    void close() {
        synchronized (queue) {
            closed = true;
            queue.clear();
            queue.notifyAll();
        }
    }

    private boolean ensureThread() {
        if (!threadRuns) {
            try {
                FaultlineThreads.start(name, this::run);
            } catch (Throwable noThread) { // out of memory or native threads: the caller must not see it
                return false;
            }
            threadRuns = true;
        }
        return true;
    }

    private void run() {
        Runnable call;
        while ((call = next()) != null) {
            try {
                call.run();
            } catch (Throwable listenersOwn) { // it must not end the lane, whatever it is
                thrown.incrementAndGet();
            }
        }
    }

    private Runnable next() {
        synchronized (queue) {
            long deadline = System.nanoTime() + LINGER.toNanos();
            while (queue.isEmpty()) {
                long left = deadline - System.nanoTime();
                if (closed || left <= 0) {
                    threadRuns = false;
                    return null;
                }
                try {
                    TimeUnit.NANOSECONDS.timedWait(queue, left);
                } catch (InterruptedException stranger) {
                    // A listener interrupted its own thread. That is no reason to stop serving it.
                    continue;
                }
            }
            return queue.remove();
        }
    }
}
