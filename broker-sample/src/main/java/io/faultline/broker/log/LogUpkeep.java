package io.faultline.broker.log;

import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a log does while it serves: flushes, and deletions with a delay. A failure takes the directory offline like any other.
 *
 * @param name the name of the log
 * @param directory the log directory it lies in
 * @param background runs one thing after the other
 */
record LogUpkeep(String name, LogDirectory directory, ScheduledExecutorService background) {

    private static final Logger LOG = LoggerFactory.getLogger(LogUpkeep.class);

    /** Does something now, on another thread. */
    void soon(String doing, LogDirectory.IoAction action) {
        later(0, doing, action);
    }

    /** Does something after a delay, unless the broker stops before: the next start has to find what is left, and to do it. */
    void later(long delayMs, String doing, LogDirectory.IoAction action) {
        try {
            background.schedule(() -> run(doing, action), delayMs, TimeUnit.MILLISECONDS);
        } catch (RejectedExecutionException stopping) {
            LOG.debug("{}: {} is left to the next start", name, doing);
        }
    }

    private void run(String doing, LogDirectory.IoAction action) {
        try {
            directory.run(doing + " " + name, action);
        } catch (RuntimeException failure) {
            LOG.debug("{}: {}", name, failure.getMessage());
        }
    }
}
