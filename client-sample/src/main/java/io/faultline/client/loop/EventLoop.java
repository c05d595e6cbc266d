package io.faultline.client.loop;

import io.faultline.client.watchdog.Deadline;
import io.faultline.client.watchdog.Watchdogs;
import java.io.IOException;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The one thread that does a client's network I/O and owns its state.
 *
 * <p>A turn runs the tasks that came in, sleeps until something is ready or the next deadline is due, handles what is ready,
 * and only then judges deadlines: when the thread comes late, after a pause of the process say, what has long arrived must not
 * be held to have been late. An exception of a task or a move is logged and holds up nothing else; an {@link Error}, or a
 * selector that cannot go on, ends the loop, and whoever owns it is told at once.
 *
 * <p>{@link #execute} and {@link #stop} may be called from any thread. Tests make the turns themselves.
 */
public final class EventLoop implements Executor {

    /** The loop turns at least so often, so that a stuck loop is known from a sleeping one. */
    public static final long LONGEST_SLEEP_NANOS = TimeUnit.SECONDS.toNanos(1);

    private static final Logger LOG = LoggerFactory.getLogger(EventLoop.class);

    /** How often sockets that go on being ready are drained before deadlines are judged all the same. */
    private static final int DRAINS = 64;

    /** How many generations of tasks run in a turn. To send a record takes three, and each that waited for the next turn would cost a look at the sockets. */
    private static final int GENERATIONS = 4;

    private final String name;
    private final Poller poller;
    private final Watchdogs watchdogs;
    private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();
    private final AtomicBoolean asleep = new AtomicBoolean();
    private volatile Thread thread;
    private volatile boolean stopped;
    private volatile long turns;
    private volatile long turnBegan;

    /**
     * Makes a loop that does not run yet.
     *
     * @param name of its thread
     * @param poller where it sleeps
     * @param watchdogs whose deadlines it keeps
     */
    public EventLoop(String name, Poller poller, Watchdogs watchdogs) {
        this.name = name;
        this.poller = poller;
        this.watchdogs = watchdogs;
        this.turnBegan = watchdogs.now();
    }

    /**
     * Starts the thread.
     *
     * @param onEnd called on that thread when the loop has ended: with null after {@link #stop}, else with what ended it
     */
    public void start(Consumer<Throwable> onEnd) {
        Thread started = new Thread(() -> run(onEnd), name);
        started.setDaemon(true);
        thread = started;
        started.start();
    }

    private void run(Consumer<Throwable> onEnd) {
        Throwable cause = null;
        try {
            while (!stopped) {
                turn();
            }
        } catch (Throwable death) { // an Error may come from anywhere, and nobody else would hear of it
            cause = death;
        }
        onEnd.accept(cause);
    }

    /**
     * Makes one turn on the calling thread.
     *
     * @throws IOException if the poller cannot go on
     */
    public void turn() throws IOException {
        // One writer: this thread.
        turns = turns + 1;
        turnBegan = watchdogs.now();
        runTasks();
        asleep.set(true); // before the tasks are looked at: who adds one after that, wakes the loop
        long sleep = tasks.isEmpty() && !stopped
                ? Math.min(watchdogs.next().remaining(watchdogs.now()), LONGEST_SLEEP_NANOS)
                : 0;
        poller.poll(sleep);
        asleep.set(false);
        long now = watchdogs.now();
        if (watchdogs.next().isDue(now)) {
            drain();
            watchdogs.fire(now);
        }
    }

    /** Tasks that beget tasks, and those more, must not keep the sockets waiting. */
    private void runTasks() {
        for (int generation = 0; generation < GENERATIONS && !tasks.isEmpty(); generation++) {
            runThoseThatAreThere();
        }
    }

    private void runThoseThatAreThere() {
        Runnable last = () -> {};
        tasks.add(last);
        for (Runnable task = tasks.poll(); task != last; task = tasks.poll()) {
            try {
                task.run();
            } catch (RuntimeException failure) {
                LOG.error("{}: a task failed", name, failure);
            }
        }
    }

    private void drain() throws IOException {
        int drains = 0;
        while (drains < DRAINS && poller.poll(0) > 0) {
            drains++;
        }
    }

    /**
     * Has something run on the loop, after what was handed over before. What is handed over when the loop has ended is never
     * run.
     *
     * @param task what to run; must not wait
     */
    @Override
    public void execute(Runnable task) {
        tasks.add(task);
        // The loop looks for tasks before it sleeps; to be woken costs it a system call, and another one to sleep
        // again.
        if (!isCurrentThread() && asleep.getAndSet(false)) {
            poller.wakeup();
        }
    }

    /** Ends the loop after the turn that it is in. */
    public void stop() {
        stopped = true;
        poller.wakeup();
    }

    /**
     * The waits that the loop keeps.
     *
     * @return its watchdogs and timers
     */
    public Watchdogs watchdogs() {
        return watchdogs;
    }

    /**
     * The time on the loop's clock.
     *
     * @return nanoseconds
     */
    public long now() {
        return watchdogs.now();
    }

    /**
     * The deadline that is so far from now.
     *
     * @param wait how long
     * @return the deadline
     */
    public Deadline in(Duration wait) {
        return Deadline.after(now(), wait);
    }

    /**
     * Says whether the caller is the loop.
     *
     * @return true on its thread
     */
    public boolean isCurrentThread() {
        return Thread.currentThread() == thread;
    }

    /**
     * How many turns were begun.
     *
     * @return a count that stands still while the loop is stuck, and only then or when it has ended
     */
    public long turns() {
        return turns;
    }

    /**
     * How long ago the last turn was begun. A loop that lives begins one every {@link #LONGEST_SLEEP_NANOS} at the latest.
     *
     * @return nanoseconds; grows while the loop is stuck, and when it has ended
     */
    public long age() {
        return watchdogs.now() - turnBegan;
    }

    /**
     * The thread of the loop.
     *
     * @return the thread, null before {@link #start}
     */
    public Thread thread() {
        return thread;
    }
}
