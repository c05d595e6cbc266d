package io.faultline.client.watchdog;

import java.util.Locale;

/** Why a watchdog fired. */
public enum TripCause {
    /** Nothing was heard until the deadline. */
    SILENCE,
    /** The pause that was wanted is over. */
    ELAPSED,
    /** A verdict on a failed transfer says so. */
    VERDICT,
    /** The loop made no turn. */
    STUCK,
    /** The loop ended by an error. */
    DIED;

    private final String label = name().toLowerCase(Locale.ROOT);

    /**
     * How the cause is called in metrics and logs.
     *
     * @return lower case
     */
    public String label() {
        return label;
    }
}
