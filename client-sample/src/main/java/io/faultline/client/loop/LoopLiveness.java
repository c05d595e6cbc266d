package io.faultline.client.loop;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

/**
 * Watches the event loop from a daemon thread of its own.
 *
 * <p>It does not measure time but counts its own ticks in which the loop made no turn. A pause of the whole process stops
 * both threads and costs one tick at most; a loop that is stuck alone costs all of them.
 */
public final class LoopLiveness {

    private static final int TICKS = 10;

    private final EventLoop loop;
    private final long tickNanos;
    private final Consumer<StackTraceElement[]> onStuck;
    private final Thread thread;
    private volatile boolean ended;
    private long turnsSeen = -1;
    private int still;

    /**
     * Prepares the watch.
     *
     * @param name of the thread
     * @param loop the loop to watch
     * @param patienceNanos how long the loop may be stuck, give or take a tenth
     * @param onStuck what to do then, on this thread, with the stack of the loop; called once, and the watch ends
     */
    public LoopLiveness(String name, EventLoop loop, long patienceNanos, Consumer<StackTraceElement[]> onStuck) {
        this.loop = loop;
        this.tickNanos = Math.max(patienceNanos / TICKS, TimeUnit.MILLISECONDS.toNanos(1));
        this.onStuck = onStuck;
        this.thread = new Thread(this::run, name);
        thread.setDaemon(true);
    }

    /** Starts the thread. */
    public void start() {
        thread.start();
    }

    /** Ends the watch. */
    public void end() {
        ended = true;
        LockSupport.unpark(thread);
    }

    private void run() {
        while (!ended) {
            LockSupport.parkNanos(tickNanos);
            if (!ended) {
                tick();
            }
        }
    }

    /** Looks once. */
    void tick() {
        long turns = loop.turns();
        still = turns == turnsSeen ? still + 1 : 0;
        turnsSeen = turns;
        if (still >= TICKS && !ended) {
            ended = true;
            onStuck.accept(stackOf(loop.thread()));
        }
    }

    private static StackTraceElement[] stackOf(Thread stuck) {
        return stuck == null ? new StackTraceElement[0] : stuck.getStackTrace();
    }
}
