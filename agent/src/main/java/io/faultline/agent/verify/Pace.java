package io.faultline.agent.verify;

import java.util.concurrent.locks.LockSupport;

/** Keeps reads below a rate, so that the server that shares the disk is not starved. */
final class Pace {

    private static final double NANOS = 1e9;

    private final long bytesPerSecond;
    private final long began = System.nanoTime();
    private long bytes;

    /**
     * Begins.
     *
     * @param bytesPerSecond 0 for no limit
     */
    Pace(long bytesPerSecond) {
        this.bytesPerSecond = bytesPerSecond;
    }

    /** Counts bytes that were read, and waits until they were due. */
    void read(long count) {
        bytes += count;
        if (bytesPerSecond <= 0) {
            return;
        }
        long due = began + (long) (bytes / (double) bytesPerSecond * NANOS);
        for (long left = due - System.nanoTime(); left > 0; left = due - System.nanoTime()) {
            LockSupport.parkNanos(this, left);
        }
    }
}
