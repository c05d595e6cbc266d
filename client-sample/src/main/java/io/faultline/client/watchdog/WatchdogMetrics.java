package io.faultline.client.watchdog;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.Objects;

/** The trips of a client as Micrometer counters {@code faultline.watchdog.trips}, by {@code watchdog} and {@code cause}. */
public final class WatchdogMetrics implements MeterBinder {

    private final Trips trips;
    private final String clientId;

    /**
     * Makes the binder.
     *
     * @param trips whose counts
     * @param clientId the value of the tag {@code client.id}
     */
    public WatchdogMetrics(Trips trips, String clientId) {
        this.trips = Objects.requireNonNull(trips, "trips");
        this.clientId = Objects.requireNonNull(clientId, "clientId");
    }

    @Override
    public void bindTo(MeterRegistry registry) {
        for (Watchdog watchdog : Watchdog.values()) {
            for (TripCause cause : TripCause.values()) {
                FunctionCounter.builder("faultline.watchdog.trips", trips, counted -> counted.count(watchdog, cause))
                        .tags("client.id", clientId, "watchdog", watchdog.label(), "cause", cause.label())
                        .description("Watchdogs that fired")
                        .register(registry);
            }
        }
    }
}
