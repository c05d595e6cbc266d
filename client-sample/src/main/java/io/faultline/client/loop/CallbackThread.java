package io.faultline.client.loop;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The one thread on which a client completes futures and calls listeners, in the order in which that was handed over. A
 * callback that sleeps or throws delays the others and nothing else: what it waits on was settled before.
 */
public final class CallbackThread implements Callbacks {

    private static final Logger LOG = LoggerFactory.getLogger(CallbackThread.class);

    /** How long the thread waits awake when it was woken ahead. To take an answer apart takes less. */
    private static final long AWAKE_NANOS = 50_000;

    /** With one processor, to wait awake would hold up the very thread that is waited for. */
    private static final boolean IS_WOKEN_AHEAD = Runtime.getRuntime().availableProcessors() > 1;

    private final Queue<Runnable> queue = new ConcurrentLinkedQueue<>();
    private final Thread thread;
    private volatile boolean ended;

    /**
     * Starts the thread.
     *
     * @param name its name
     */
    public CallbackThread(String name) {
        thread = new Thread(this::run, name);
        thread.setDaemon(true);
        thread.start();
    }

    private void run() {
        callAll();
        while (!ended) {
            LockSupport.park(this); // not at all if something was handed over since the last time
            stayAwake();
            callAll();
        }
    }

    /** Nothing is there yet when the thread was woken ahead. Others who want the processor have it meanwhile. */
    private void stayAwake() {
        long woken = System.nanoTime();
        while (queue.isEmpty() && System.nanoTime() - woken < AWAKE_NANOS) {
            Thread.yield();
        }
    }

    /** What was handed over before the end of the thread is there when that is its turn. */
    private void callAll() {
        forgetInterrupt();
        for (Runnable next = queue.poll(); next != null; next = queue.poll()) {
            call(next);
            forgetInterrupt();
        }
    }

    /** Nobody of ours interrupts this thread. A callback that was interrupted, or gives an interrupt back, would hand it to the next one. */
    private static void forgetInterrupt() {
        if (Thread.interrupted()) {
            LOG.debug("Somebody interrupted the callbacks; they go on");
        }
    }

    private static void call(Runnable callback) {
        try {
            callback.run();
        } catch (Throwable failure) { // of the user, of any kind; the next one has its turn
            LOG.warn("A callback failed", failure);
        }
    }

    /**
     * Has a callback called. When the thread has ended the caller calls it: that is somebody who sent as the client was closed,
     * and whose future must complete all the same.
     */
    @Override
    public void execute(Runnable callback) {
        queue.add(callback);
        LockSupport.unpark(thread);
        if (ended && queue.remove(callback)) {
            call(callback);
        }
    }

    /** To wake a thread on a processor that sleeps takes some 20 us, about as long as to read an answer and take it apart. */
    @Override
    public void expect() {
        if (IS_WOKEN_AHEAD) {
            LockSupport.unpark(thread);
        }
    }

    /** Ends the thread when everything that was handed over so far has been called. */
    public void endWhenDone() {
        execute(() -> ended = true);
    }

    /**
     * Waits until everything has been called and the thread has ended; on that thread itself not at all.
     *
     * @param nanos for how long at most
     * @return whether it has ended
     * @throws InterruptedException if the caller is interrupted meanwhile
     */
    public boolean awaitEnd(long nanos) throws InterruptedException {
        if (!isCurrentThread()) {
            TimeUnit.NANOSECONDS.timedJoin(thread, nanos);
        }
        return !thread.isAlive();
    }

    @Override
    public boolean isCurrentThread() {
        return Thread.currentThread() == thread;
    }

    /**
     * The thread.
     *
     * @return the thread
     */
    public Thread thread() {
        return thread;
    }
}
