package io.faultline.client.watchdog;

import java.util.function.Supplier;

/** A wait under a deadline. Only the thread of the event loop may touch it. */
public final class Timer implements Comparable<Timer> {

    private final Watchdogs owner;
    private final Watchdog watchdog;
    private final TripCause cause;
    private final String subject;
    private final Supplier<Deadline> latest;
    private final Runnable move;
    private final long number;
    private Deadline deadline;

    Timer(
            Watchdogs owner,
            Watchdog watchdog,
            TripCause cause,
            String subject,
            Supplier<Deadline> latest,
            Runnable move,
            long number) {
        this.owner = owner;
        this.watchdog = watchdog;
        this.cause = cause;
        this.subject = subject;
        this.latest = latest;
        this.deadline = latest.get();
        this.move = move;
        this.number = number;
    }

    /** Ends the wait: what was awaited has come, or does not matter any more. Nothing happens if it has fired or was disarmed. */
    public void disarm() {
        owner.remove(this);
    }

    /**
     * Moves the deadline of a wait that has not ended. Nothing happens if it has.
     *
     * @param other the new deadline, earlier or later than before
     */
    public void rearm(Deadline other) {
        if (owner.remove(this)) {
            deadline = other;
            owner.add(this);
        }
    }

    /**
     * When it fires.
     *
     * @return the deadline
     */
    public Deadline deadline() {
        return deadline;
    }

    /** Asks for the deadline again, when the one that is known is due; returns whether it is due still. */
    boolean isStillDue(long now) {
        deadline = deadline.later(latest.get());
        return deadline.isDue(now);
    }

    boolean isWatchdog() {
        return watchdog != null;
    }

    Watchdog watchdog() {
        return watchdog;
    }

    boolean armedBefore(long otherNumber) {
        return number < otherNumber;
    }

    Trip tripAt(long now) {
        return new Trip(watchdog, cause, subject, now);
    }

    void move() {
        move.run();
    }

    @Override
    public String toString() {
        return (watchdog == null ? "timer" : watchdog.label()) + ", " + subject;
    }

    /** By deadline, and in the order in which they were armed where that is the same. */
    @Override
    public int compareTo(Timer other) {
        int byDeadline = deadline.compareTo(other.deadline);
        return byDeadline != 0 ? byDeadline : Long.compare(number, other.number);
    }
}
