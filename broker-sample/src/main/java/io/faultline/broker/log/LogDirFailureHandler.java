package io.faultline.broker.log;

import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The one thread that takes failed directories offline: it closes their partitions, says so, and reports the loss of the
 * last directory.
 */
public final class LogDirFailureHandler implements Runnable {

    private static final Logger LOG = LoggerFactory.getLogger(LogDirFailureHandler.class);

    private final LogDirFailureChannel failures;
    /** Those that were not handled yet, which may be fewer than those that are not in the channel yet. */
    private final Set<LogDirectory> online;

    private final Topics topics;
    private final LastDirectoryLost lastDirectoryLost;

    /**
     * Makes a handler; run it on a thread of its own and end it by an interrupt.
     *
     * @param failures where failed directories come from
     * @param directories all directories of the broker
     * @param topics what lies in them
     * @param lastDirectoryLost told once, when no directory is left
     */
    public LogDirFailureHandler(
            LogDirFailureChannel failures,
            Collection<LogDirectory> directories,
            Topics topics,
            LastDirectoryLost lastDirectoryLost) {
        this.failures = failures;
        this.online = new HashSet<>(directories);
        this.topics = topics;
        this.lastDirectoryLost = lastDirectoryLost;
    }

    @Override
    public void run() {
        try {
            while (true) {
                handle(failures.take());
            }
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        }
    }

    private void handle(LogDirFailure failure) {
        LogDirectory directory = failure.directory();
        try {
            List<Log> logs = topics.takeOffline(directory);
            LOG.error("Log directory {} is offline: {} ({} partitions)", directory, failure.reason(), logs.size());
            closeInBackground(directory, logs);
        } catch (RuntimeException unexpected) {
            LOG.error("Log directory {} could not be taken offline in full", directory, unexpected);
        }
        if (online.remove(directory) && online.isEmpty()) {
            lastDirectoryLost.lost(failure);
        }
    }

    /** On a hung disk even a close can hang. It must not keep the next failed directory waiting. */
    private static void closeInBackground(LogDirectory directory, List<Log> logs) {
        Thread closing = new Thread(() -> logs.forEach(Log::closeHandles), "faultline-broker-closing-" + directory);
        closing.setDaemon(true);
        closing.start();
    }

    /** Whoever must know that no directory is left. */
    @FunctionalInterface
    public interface LastDirectoryLost {

        /**
         * Called on the handler's thread; must return at once.
         *
         * @param failure the failure of the last directory
         */
        void lost(LogDirFailure failure);
    }
}
