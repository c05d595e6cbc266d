package io.faultline.client.watchdog;

/**
 * A watchdog fired.
 *
 * @param watchdog which one
 * @param cause why
 * @param subject what was waited for, for people: a broker's address, an API, a partition
 * @param at the reading of the client's clock, in nanoseconds
 */
public record Trip(Watchdog watchdog, TripCause cause, String subject, long at) {

    @Override
    public String toString() {
        return watchdog.label() + " watchdog: " + cause.label() + ", " + subject;
    }
}
