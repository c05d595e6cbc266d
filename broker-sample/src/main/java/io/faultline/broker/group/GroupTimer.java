package io.faultline.broker.group;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Runs things of one group later, under the group's lock. Safe for use by any thread. */
final class GroupTimer {

    private static final Logger LOG = LoggerFactory.getLogger(GroupTimer.class);

    private final String groupId;
    private final Object lock;
    private final ScheduledExecutorService timer;

    /**
     * Makes a timer.
     *
     * @param groupId the group, for the log
     * @param lock the group's lock
     * @param timer runs what is due; nothing of it does any I/O
     */
    GroupTimer(String groupId, Object lock, ScheduledExecutorService timer) {
        this.groupId = groupId;
        this.lock = lock;
        this.timer = timer;
    }

    /** Runs something after a delay, unless that is cancelled, or the broker stops before. */
    Future<?> schedule(long delayMs, Runnable action) {
        try {
            return timer.schedule(() -> run(action), delayMs, TimeUnit.MILLISECONDS);
        } catch (RejectedExecutionException stopping) {
            return CompletableFuture.completedFuture(null);
        }
    }

    private void run(Runnable action) {
        synchronized (lock) {
            try {
                action.run();
            } catch (RuntimeException unexpected) {
                LOG.error("Group {} goes on after", groupId, unexpected);
            }
        }
    }
}
