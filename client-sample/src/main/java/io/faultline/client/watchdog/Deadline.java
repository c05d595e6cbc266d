package io.faultline.client.watchdog;

import java.time.Duration;

/**
 * A moment on a {@link MonotonicClock} by which something has to have happened. All arithmetic saturates: a time too long to
 * count is {@link #NEVER}.
 *
 * @param nanos the reading of the clock from which on the deadline is due
 */
public record Deadline(long nanos) implements Comparable<Deadline> {

    /** The deadline that is never due. */
    public static final Deadline NEVER = new Deadline(Long.MAX_VALUE);

    /**
     * The deadline that is so far away.
     *
     * @param now a reading of the clock
     * @param wait how long from then; less than nothing counts as nothing
     * @return the deadline
     */
    public static Deadline after(long now, Duration wait) {
        return new Deadline(now).plus(wait);
    }

    /**
     * A later deadline.
     *
     * @param wait how much later; less than nothing counts as nothing
     * @return the deadline
     */
    public Deadline plus(Duration wait) {
        if (wait.isNegative()) {
            return this;
        }
        long sum = nanos + saturatedNanos(wait);
        return sum < nanos ? NEVER : new Deadline(sum);
    }

    /**
     * Says whether the time is up.
     *
     * @param now a reading of the clock
     * @return true from the deadline on; never for {@link #NEVER}
     */
    public boolean isDue(long now) {
        return nanos <= now && nanos != Long.MAX_VALUE;
    }

    /**
     * How much time is left.
     *
     * @param now a reading of the clock
     * @return nanoseconds, 0 if it is due, {@link Long#MAX_VALUE} if it never will be
     */
    public long remaining(long now) {
        return nanos == Long.MAX_VALUE ? Long.MAX_VALUE : Math.max(0, nanos - now);
    }

    /**
     * The earlier of two deadlines.
     *
     * @param other the other one
     * @return this or the other
     */
    public Deadline earlier(Deadline other) {
        return nanos <= other.nanos ? this : other;
    }

    /**
     * The later of two deadlines.
     *
     * @param other the other one
     * @return this or the other
     */
    public Deadline later(Deadline other) {
        return nanos >= other.nanos ? this : other;
    }

    /**
     * A duration in nanoseconds, as far as they can be counted.
     *
     * @param duration any duration
     * @return its nanoseconds, {@link Long#MAX_VALUE} or {@link Long#MIN_VALUE} where they do not fit
     */
    public static long saturatedNanos(Duration duration) {
        try {
            return duration.toNanos();
        } catch (ArithmeticException tooLong) {
            return duration.isNegative() ? Long.MIN_VALUE : Long.MAX_VALUE;
        }
    }

    @Override
    public int compareTo(Deadline other) {
        return Long.compare(nanos, other.nanos);
    }
}
