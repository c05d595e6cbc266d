package io.faultline.classifier;

import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/**
 * How many bytes may be re-read per second: a token bucket that holds one second's worth and may be overdrawn by one slice. Used by one
 * thread at a time.
 */
final class ReadBudget {

    private static final long LONGEST_PARK_NANOS = 50_000_000L;
    private static final double NANOS = 1e9;

    private final long bytesPerSecond;
    private double tokens;
    private long filledAt = System.nanoTime();

    ReadBudget(long bytesPerSecond) {
        this.bytesPerSecond = bytesPerSecond;
        this.tokens = bytesPerSecond;
    }

    /**
     * Waits until the bucket holds anything, then takes the bytes out of it.
     *
     * @param bytes how many will be read
     * @param abandoned asked while waiting
     * @return false if the wait was abandoned
     */
    boolean take(int bytes, BooleanSupplier abandoned) {
        while (refill() <= 0) {
            if (abandoned.getAsBoolean()) {
                return false;
            }
            long untilPositive = (long) (-tokens / bytesPerSecond * NANOS) + 1;
            Thread.interrupted(); // with a stranger's mark, no thread is parked
            LockSupport.parkNanos(this, Math.min(untilPositive, LONGEST_PARK_NANOS));
        }
        tokens -= bytes;
        return true;
    }

    private double refill() {
        long now = System.nanoTime();
        tokens = Math.min(bytesPerSecond, tokens + (now - filledAt) / NANOS * bytesPerSecond);
        filledAt = now;
        return tokens;
    }
}
