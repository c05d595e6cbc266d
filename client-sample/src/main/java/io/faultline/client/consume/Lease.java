package io.faultline.client.consume;

/**
 * Until when a member may count on its partitions: one session time-out from the sending of the last heartbeat that was answered.
 * Written on the loop, read on any thread, which compares it with the clock itself: after a stop of the whole process the thread
 * that polls may run before the loop does.
 */
final class Lease {

    private volatile long untilNanos = Long.MIN_VALUE;
    private volatile boolean needed;

    /** No group, no lease. */
    void needed(boolean now) {
        needed = now;
    }

    void until(long nanos) {
        untilNanos = Math.max(untilNanos, nanos);
    }

    void end() {
        untilNanos = Long.MIN_VALUE;
    }

    /**
     * Whether the partitions are this member's for certain.
     *
     * @param now the time
     * @return true if so, or if there is no group that could give them to others
     */
    boolean holds(long now) {
        long until = untilNanos;
        return !needed || (until != Long.MIN_VALUE && until - now > 0);
    }
}
