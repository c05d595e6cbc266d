package io.faultline.client.watchdog;

import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What becomes of trips: each is counted, logged once and told to the listeners. Any thread may report one; it is never held
 * up, since listeners run elsewhere.
 */
public final class Trips {

    private static final Logger LOG = LoggerFactory.getLogger(Trips.class);

    /** At most one line a second for each watchdog at WARN, so that an outage does not flood the log; all others at DEBUG. */
    private static final long QUIET_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final String client;
    private final Executor listenerThread;
    private final List<TripListener> listeners = new CopyOnWriteArrayList<>();
    private final Map<Watchdog, Map<TripCause, LongAdder>> counts = new EnumMap<>(Watchdog.class);
    private final Map<Watchdog, AtomicLong> loudAgainAt = new EnumMap<>(Watchdog.class);

    /**
     * Makes the account of one client.
     *
     * @param client its name, for the log
     * @param listenerThread where listeners are called
     */
    public Trips(String client, Executor listenerThread) {
        this.client = client;
        this.listenerThread = listenerThread;
        for (Watchdog watchdog : Watchdog.values()) {
            Map<TripCause, LongAdder> byCause = new EnumMap<>(TripCause.class);
            for (TripCause cause : TripCause.values()) {
                byCause.put(cause, new LongAdder());
            }
            counts.put(watchdog, byCause);
            loudAgainAt.put(watchdog, new AtomicLong());
        }
    }

    /**
     * Adds a listener.
     *
     * @param listener told of every trip from now on
     */
    public void listen(TripListener listener) {
        listeners.add(listener);
    }

    /**
     * Counts, logs and tells.
     *
     * @param trip what fired
     */
    public void report(Trip trip) {
        counts.get(trip.watchdog()).get(trip.cause()).increment();
        log(trip);
        if (!listeners.isEmpty()) {
            listenerThread.execute(() -> tell(trip));
        }
    }

    /**
     * How often a watchdog fired.
     *
     * @param watchdog which
     * @param cause for what cause
     * @return the count since the client was made
     */
    public long count(Watchdog watchdog, TripCause cause) {
        return counts.get(watchdog).get(cause).sum();
    }

    /**
     * How often a watchdog fired, for whatever cause.
     *
     * @param watchdog which
     * @return the count since the client was made
     */
    public long count(Watchdog watchdog) {
        return counts.get(watchdog).values().stream().mapToLong(LongAdder::sum).sum();
    }

    private void log(Trip trip) {
        AtomicLong next = loudAgainAt.get(trip.watchdog());
        long loudAt = next.get();
        boolean loud = trip.cause() != TripCause.ELAPSED
                && trip.at() >= loudAt
                && next.compareAndSet(loudAt, trip.at() + QUIET_NANOS);
        if (loud) {
            LOG.warn("{}: {}", client, trip);
        } else {
            LOG.debug("{}: {}", client, trip);
        }
    }

    private void tell(Trip trip) {
        for (TripListener listener : listeners) {
            try {
                listener.onTrip(trip);
            } catch (RuntimeException failure) {
                LOG.warn("{}: a listener failed at {}", client, trip, failure);
            }
        }
    }
}
