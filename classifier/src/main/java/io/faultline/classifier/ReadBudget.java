package io.faultline.classifier;

import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

/**
 * How many bytes may be re-read per second: a token bucket that holds one second's worth and may be overdrawn by one slice. Used by one
 * thread at a time.
 */
final class ReadBudget {

    private static final long LONGEST_PARK_NANOS = 50_000_000L;
    private static final double NANOS = 1e9;

    private final LongSupplier bytesPerSecond;
    private double tokens;
    private long filledAt = System.nanoTime();

    /**
     * Makes a full bucket.
     *
     * @param bytesPerSecond asked each time, at least 1
     */
    ReadBudget(LongSupplier bytesPerSecond) {
        this.bytesPerSecond = bytesPerSecond;
        this.tokens = bytesPerSecond.getAsLong();
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
            long untilPositive = (long) (-tokens / bytesPerSecond.getAsLong() * NANOS) + 1;
            Thread.interrupted(); // with a stranger's mark, no thread is parked
            LockSupport.parkNanos(this, Math.min(untilPositive, LONGEST_PARK_NANOS));
        }
        tokens -= bytes;
        return true;
    }

    private double refill() {
        long now = System.nanoTime();
        long rate = bytesPerSecond.getAsLong();
        tokens = Math.min(rate, tokens + (now - filledAt) / NANOS * rate);
        filledAt = now;
        return tokens;
    }
}
