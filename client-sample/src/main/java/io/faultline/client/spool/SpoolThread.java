package io.faultline.client.spool;

import io.faultline.client.watchdog.Deadline;
import io.faultline.client.watchdog.MonotonicClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The one thread that touches the disk of a spool, be it to read, to write or to transfer to a socket. It tells since when it has
 * made no progress; whoever waits for it gives up by that, since a call to a hung disk cannot be ended.
 */
final class SpoolThread implements Executor {

    private static final Logger LOG = LoggerFactory.getLogger(SpoolThread.class);

    private final BlockingQueue<Runnable> queue = new LinkedBlockingQueue<>();
    private final MonotonicClock clock;
    private final Thread thread;
    private volatile long progressAt;
    private boolean ended; // of the thread itself

    SpoolThread(String name, MonotonicClock clock) {
        this.clock = clock;
        this.progressAt = clock.nanos();
        thread = new Thread(this::run, name);
        thread.setDaemon(true);
        thread.start();
    }

    private void run() {
        while (!ended) {
            try {
                Runnable next = queue.take();
                progressAt = clock.nanos();
                next.run();
            } catch (InterruptedException notFromUs) {
                LOG.debug("Somebody interrupted the spool; it goes on");
            } catch (RuntimeException failure) {
                LOG.error("The spool failed", failure);
            }
            progressAt = clock.nanos();
        }
    }

    @Override
    public void execute(Runnable operation) {
        queue.add(operation);
    }

    /** From now on it is waited for; before, there was nothing to do. */
    void awaited() {
        progressAt = clock.nanos();
    }

    /** By when something must have happened, if anything is to be done. */
    Deadline deadline(Duration timeout) {
        return Deadline.after(progressAt, timeout);
    }

    /** Takes back what was not begun. */
    List<Runnable> withdraw() {
        List<Runnable> withdrawn = new ArrayList<>();
        queue.drainTo(withdrawn);
        return withdrawn;
    }

    /** Ends the thread when it has done what it was given. */
    void end() {
        execute(() -> ended = true);
    }

    /** Waits until it has ended, no longer than so many milliseconds. */
    void awaitEnd(long millis) throws InterruptedException {
        if (millis > 0) { // 0 would be for ever
            thread.join(millis);
        }
    }
}
