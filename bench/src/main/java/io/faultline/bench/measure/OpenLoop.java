package io.faultline.bench.measure;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.ConcurrentHistogram;

/**
 * Begins operations at a fixed rate, whether or not earlier ones have ended. An operation counts from when it was due, not from when it could be begun: whoever is late makes all that wait for him late.
 *
 * @param perSecond operations in a second
 * @param length for how long
 */
public record OpenLoop(double perSecond, Duration length) {

    private static final double NANOS_PER_SECOND = 1e9;
    private static final int DIGITS = 3;

    /** What a parked thread may oversleep; for that long it spins. */
    private static final long SPIN_NANOS = 60_000;

    private static final Duration PATIENCE = Duration.ofSeconds(30);

    /** What is begun. */
    @FunctionalInterface
    public interface Operation {

        /**
         * Begins one. Called by one thread.
         *
         * @param ended to be told once, by any thread: null if it ended well, else why not
         * @throws Exception if it cannot be begun, which counts as failed
         */
        void begin(Ended ended) throws Exception;
    }

    /** Is told when an operation has ended. */
    @FunctionalInterface
    public interface Ended {

        /**
         * It has ended.
         *
         * @param failure why it failed, or null
         */
        void with(Throwable failure);
    }

    /**
     * Runs on the calling thread, and waits up to half a minute for the last operations to end.
     *
     * @param operation what to begin
     * @return the latencies
     * @throws InterruptedException if interrupted
     */
    public Latency run(Operation operation) throws InterruptedException {
        ConcurrentHistogram histogram = new ConcurrentHistogram(DIGITS);
        histogram.setAutoResize(true);
        LongAdder failed = new LongAdder();
        int operations = Math.toIntExact(Math.round(perSecond * length.toNanos() / NANOS_PER_SECOND));
        CountDownLatch open = new CountDownLatch(operations);
        double nanosBetween = NANOS_PER_SECOND / perSecond;
        long began = System.nanoTime();
        for (int number = 0; number < operations; number++) {
            long due = began + Math.round(number * nanosBetween);
            await(due);
            Ended ended = failure -> {
                if (failure == null) {
                    histogram.recordValue(Math.max(0, System.nanoTime() - due));
                } else {
                    failed.increment();
                }
                open.countDown();
            };
            try {
                operation.begin(ended);
            } catch (InterruptedException interrupted) {
                throw interrupted;
            } catch (Exception notBegun) {
                ended.with(notBegun);
            }
        }
        open.await(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        long unfinished = open.getCount();
        return new Latency(histogram.copy(), failed.sum(), unfinished);
    }

    private static void await(long due) throws InterruptedException {
        for (long left = due - System.nanoTime(); left > 0; left = due - System.nanoTime()) {
            if (Thread.interrupted()) {
                throw new InterruptedException();
            }
            if (left > SPIN_NANOS) {
                LockSupport.parkNanos(left - SPIN_NANOS);
            } else {
                Thread.onSpinWait();
            }
        }
    }
}
