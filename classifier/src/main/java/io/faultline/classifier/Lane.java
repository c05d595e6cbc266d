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

    /** Also guards the flags below. */
    private final Queue<Call> queue = new ArrayDeque<>();

    private final AtomicLong lost = new AtomicLong();
    private final AtomicLong thrown = new AtomicLong();
    private boolean threadRuns;
    private boolean overdue;
    private boolean closed;

    /** A call, and what says that it has ended or was forgotten. */
    private record Call(Runnable work, CountDownLatch ended) {}

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
    boolean offer(Runnable work) {
        return offer(new Call(work, new CountDownLatch(1)));
    }

    private boolean offer(Call call) {
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
     * Queues a call and waits until it has ended, but no longer than the limit. While the lane is {@link #isOverdue overdue} the call is
     * queued and not waited for: whoever blocks costs a caller the limit once, not with every call.
     *
     * @return true if it ended in time, whether normally or not
     */
    boolean callAndWait(Runnable work, Duration limit) {
        Call call = new Call(work, new CountDownLatch(1));
        if (!offer(call) || isOverdue()) {
            return false;
        }
        if (ended(call, limit)) {
            return true;
        }
        synchronized (queue) {
            overdue |= call.ended.getCount() > 0;
        }
        return false;
    }

    private static boolean ended(Call call, Duration limit) {
        long deadline = System.nanoTime() + limit.toNanos();
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    return call.ended.await(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
                } catch (InterruptedException stranger) { // a mark that somebody left here is no answer
                    interrupted = true;
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Says whether somebody waited in vain for a call and no call has ended since. */
    boolean isOverdue() {
        synchronized (queue) {
            return overdue;
        }
    }

    /** Says whether the lane's thread runs, be it idle. */
    boolean isBusy() {
        synchronized (queue) {
            return threadRuns;
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

    /** Takes no further call. Those in the queue are still made; then the thread ends at once. */
    void finish() {
        synchronized (queue) {
            closed = true;
            queue.notifyAll();
        }
    }

    /** Takes no further call and forgets the queued ones. One under way may finish; it is not interrupted. */
    void close() {
        synchronized (queue) {
            closed = true;
            queue.forEach(call -> call.ended.countDown());
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
        Call call;
        while ((call = next()) != null) {
            try {
                call.work.run();
            } catch (Throwable listenersOwn) { // it must not end the lane, whatever it is
                thrown.incrementAndGet();
            } finally {
                call.ended.countDown();
                synchronized (queue) {
                    overdue = false;
                }
            }
        }
    }

    private Call next() {
        // The next call is not to find a mark that the last one left.
        Thread.interrupted();
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
                } catch (InterruptedException stranger) { // nobody of ours interrupts; go on serving
                    continue;
                }
            }
            return queue.remove();
        }
    }
}
