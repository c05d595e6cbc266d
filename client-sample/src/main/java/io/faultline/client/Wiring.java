package io.faultline.client;

import io.faultline.client.watchdog.MonotonicClock;
import io.faultline.client.watchdog.Watchdog;
import java.util.EnumSet;
import java.util.Set;

/**
 * What a client is put together with, where a test may want something else.
 *
 * @param clock the clock of all deadlines
 * @param disabled watchdogs that never fire, so that it can be shown what happens without one
 */
record Wiring(MonotonicClock clock, Set<Watchdog> disabled) {

    /** As in production. */
    static Wiring production() {
        return new Wiring(MonotonicClock.system(), EnumSet.noneOf(Watchdog.class));
    }

    /** As in production, but for some watchdogs. */
    static Wiring without(Watchdog... some) {
        return new Wiring(MonotonicClock.system(), EnumSet.copyOf(Set.of(some)));
    }
}
