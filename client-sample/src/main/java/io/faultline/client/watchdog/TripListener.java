package io.faultline.client.watchdog;

/** Is told of watchdogs that fired, on the client's callback thread; what it throws is logged. */
@FunctionalInterface
public interface TripListener {

    /**
     * Takes notice of a trip. The state machine has moved on, or is about to.
     *
     * @param trip what fired
     */
    void onTrip(Trip trip);
}
