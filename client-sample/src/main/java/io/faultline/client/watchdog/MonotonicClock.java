package io.faultline.client.watchdog;

/** A clock that only goes forward. Its readings compare with {@code <}: they begin near 0 and never wrap. */
@FunctionalInterface
public interface MonotonicClock {

    /**
     * The time since some fixed moment.
     *
     * @return nanoseconds, never less than an earlier reading
     */
    long nanos();

    /**
     * The clock of this machine, which goes on while the process is stopped.
     *
     * @return a clock that begins at 0 now
     */
    static MonotonicClock system() {
        long origin = System.nanoTime();
        return () -> System.nanoTime() - origin;
    }
}
