package io.faultline.agent.status;

import java.time.Duration;
import java.time.Instant;

/** How long ago something was, in the one or two units that a person needs. */
final class Age {

    private static final int HOURS = 24;
    private static final int MINUTES = 60;
    private static final int LONG_HOURS = 10;

    private Age() {}

    /** Such as "3 min ago". A moment in the future, as after a clock was set back, is just now. */
    static String of(Instant then, Instant now) {
        Duration age = Duration.between(then, now);
        return age.toSeconds() < 1 ? "just now" : lasting(age) + " ago";
    }

    /** Such as "3 min". */
    static String lasting(Duration duration) {
        if (duration.toMinutes() < 1) {
            return Math.max(0, duration.toSeconds()) + " s";
        }
        if (duration.toHours() < 1) {
            return duration.toMinutes() + " min";
        }
        if (duration.toDays() < 1) {
            long minutes = duration.toMinutes() % MINUTES;
            return duration.toHours() + " h"
                    + (duration.toHours() < LONG_HOURS && minutes > 0 ? " " + minutes + " min" : "");
        }
        long hours = duration.toHours() % HOURS;
        return duration.toDays() + " d" + (duration.toDays() < LONG_HOURS && hours > 0 ? " " + hours + " h" : "");
    }
}
