package io.faultline.client.watchdog;

import java.util.EnumSet;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The waits of one client, in the order of their deadlines. Belongs to the thread of the event loop, which asks for the
 * {@linkplain #next next deadline} before it sleeps and lets what is due {@linkplain #fire fire} when it has woken.
 */
public final class Watchdogs {

    private static final Logger LOG = LoggerFactory.getLogger(Watchdogs.class);

    private final MonotonicClock clock;
    private final Trips trips;
    private final Set<Watchdog> disabled;
    private final TreeSet<Timer> armed = new TreeSet<>();
    private long armedSoFar;

    /**
     * Makes the set.
     *
     * @param clock the clock of the deadlines
     * @param trips where trips are reported
     * @param disabled watchdogs that never fire; empty but where a test shows what happens without one
     */
    public Watchdogs(MonotonicClock clock, Trips trips, Set<Watchdog> disabled) {
        this.clock = clock;
        this.trips = trips;
        this.disabled = disabled.isEmpty() ? EnumSet.noneOf(Watchdog.class) : EnumSet.copyOf(disabled);
    }

    /**
     * The clock of the deadlines.
     *
     * @return the clock
     */
    public MonotonicClock clock() {
        return clock;
    }

    /**
     * The time.
     *
     * @return the reading of the clock, in nanoseconds
     */
    public long now() {
        return clock.nanos();
    }

    /**
     * Begins a wait that must not last.
     *
     * @param watchdog its name
     * @param subject what is waited for, for people
     * @param deadline when to give up
     * @param move what moves the state machine on then; called once, on the loop, unless the wait is disarmed before
     * @return to disarm it
     */
    public Timer arm(Watchdog watchdog, String subject, Deadline deadline, Runnable move) {
        return arm(watchdog, subject, () -> deadline, move);
    }

    /**
     * Begins a wait whose deadline may move away without the loop being told.
     *
     * @param watchdog its name
     * @param subject what is waited for, for people
     * @param latest the deadline as it is; asked now, and again when that one is due
     * @param move what moves the state machine on then; called once, on the loop, unless the wait is disarmed before
     * @return to disarm it
     */
    public Timer arm(Watchdog watchdog, String subject, Supplier<Deadline> latest, Runnable move) {
        TripCause cause = watchdog == Watchdog.RETRY_BACKOFF ? TripCause.ELAPSED : TripCause.SILENCE;
        return add(new Timer(this, watchdog, cause, subject, latest, move, armedSoFar++));
    }

    /**
     * Sets a time for something that is wanted then, such as a refresh: no watchdog, and no trip.
     *
     * @param subject what is to happen, for people
     * @param deadline when
     * @param move what happens; called once, on the loop, unless it is disarmed before
     * @return to disarm it
     */
    public Timer schedule(String subject, Deadline deadline, Runnable move) {
        return add(new Timer(this, null, TripCause.ELAPSED, subject, () -> deadline, move, armedSoFar++));
    }

    /**
     * The next moment at which something fires.
     *
     * @return the earliest deadline, {@link Deadline#NEVER} if nothing is waited for
     */
    public Deadline next() {
        return armed.isEmpty() ? Deadline.NEVER : armed.first().deadline();
    }

    /**
     * Lets everything fire that is due. A move that throws holds up no other.
     *
     * @param now the reading of the clock by which deadlines are judged
     * @return how many fired
     */
    public int fire(long now) {
        int fired = 0;
        // One that a move arms waits for the next turn, even if it is due: moves that arm each other must not hold the
        // loop.
        long armedBefore = armedSoFar;
        while (!armed.isEmpty()
                && armed.first().deadline().isDue(now)
                && armed.first().armedBefore(armedBefore)) {
            Timer due = armed.pollFirst();
            if (!due.isStillDue(now)) {
                armed.add(due);
                continue;
            }
            fired++;
            if (due.isWatchdog()) {
                trips.report(due.tripAt(now));
            }
            try {
                due.move();
            } catch (RuntimeException failure) {
                LOG.error("What follows on \"{}\" failed", due, failure);
            }
        }
        return fired;
    }

    /**
     * How many waits there are.
     *
     * @return those that were armed and have neither fired nor been disarmed
     */
    public int size() {
        return armed.size();
    }

    /** Ends all waits without a trip: the client is closed. */
    public void disarmAll() {
        armed.clear();
    }

    /** A disabled watchdog is made but not listed, so that it never fires. */
    Timer add(Timer wait) {
        if (wait.watchdog() == null || !disabled.contains(wait.watchdog())) {
            armed.add(wait);
        }
        return wait;
    }

    boolean remove(Timer wait) {
        return armed.remove(wait);
    }
}
