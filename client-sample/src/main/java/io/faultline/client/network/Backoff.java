package io.faultline.client.network;

import io.faultline.client.watchdog.Deadline;
import java.time.Duration;
import java.util.random.RandomGenerator;

/**
 * A time that doubles with each failure up to a limit, and varies by a fifth so that clients do not move in step.
 *
 * @param first after one failure
 * @param max never more, before it is varied
 * @param random varies it
 */
public record Backoff(Duration first, Duration max, RandomGenerator random) {

    private static final double JITTER = 0.2;
    private static final int DOUBLINGS = 62;

    /**
     * The time to wait.
     *
     * @param failures how many there were in a row, at least 1
     * @return the time
     */
    public Duration after(int failures) {
        long firstNanos = Deadline.saturatedNanos(first);
        long maxNanos = Math.max(firstNanos, Deadline.saturatedNanos(max));
        double doubled = firstNanos * Math.pow(2, Math.min(failures - 1, DOUBLINGS));
        double varied = Math.min(doubled, maxNanos) * (1 - JITTER + 2 * JITTER * random.nextDouble());
        return Duration.ofNanos((long) varied); // a double too large becomes Long.MAX_VALUE
    }
}
