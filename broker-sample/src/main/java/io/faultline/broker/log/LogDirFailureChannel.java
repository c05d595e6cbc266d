package io.faultline.broker.log;

import java.io.IOException;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Carries failed log directories from whoever met the failure to the one thread that takes them offline.
 *
 * <p>A directory goes through once, however many threads meet its failure: it counts as offline from the first call of
 * {@link #feed} on, for the rest of the channel's life. Feeding never blocks. Safe for use by any thread.
 */
public final class LogDirFailureChannel {

    private final Map<LogDirectory, LogDirFailure> offline = new ConcurrentHashMap<>();
    private final BlockingQueue<LogDirFailure> failures;

    /**
     * Makes a channel.
     *
     * @param directories how many directories there are, at least 1: more can never wait in the channel
     */
    public LogDirFailureChannel(int directories) {
        failures = new ArrayBlockingQueue<>(directories);
    }

    /**
     * Says that a directory failed.
     *
     * @param directory the directory
     * @param doing what was being done
     * @param cause what was met
     * @return true if this is the first failure of that directory; false if it was offline already
     */
    public boolean feed(LogDirectory directory, String doing, IOException cause) {
        LogDirFailure failure = new LogDirFailure(directory, doing, cause);
        return offline.putIfAbsent(directory, failure) == null && failures.add(failure);
    }

    /**
     * Says whether a directory failed.
     *
     * @param directory the directory
     * @return true from its first {@link #feed} on
     */
    public boolean isOffline(LogDirectory directory) {
        return offline.containsKey(directory);
    }

    /**
     * The directories that failed.
     *
     * @return a copy
     */
    public Set<LogDirectory> offline() {
        return Set.copyOf(offline.keySet());
    }

    /**
     * Waits for the next failed directory.
     *
     * @return the failure, never null
     * @throws InterruptedException if the calling thread is interrupted
     */
    LogDirFailure take() throws InterruptedException {
        return failures.take();
    }
}
