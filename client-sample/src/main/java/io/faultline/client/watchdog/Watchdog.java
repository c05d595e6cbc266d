package io.faultline.client.watchdog;

import java.util.Locale;

/** The waits of a client. Each has a deadline of its own. */
public enum Watchdog {
    /** A name is resolved and a TCP connection made: {@code socket.connection.setup.timeout.ms}, growing to its {@code .max}. */
    CONNECT,
    /** TLS and the first ApiVersions exchange, under what is left of the same time. */
    NEGOTIATE,
    /** A response: {@code request.timeout.ms}, or the request's own time. */
    REQUEST,
    /** The ack of a record: {@code delivery.timeout.ms}. */
    DELIVERY,
    /** A view of the cluster: {@code metadata.recovery.rebootstrap.trigger.ms}. */
    METADATA,
    /** The coordinator of a group. */
    COORDINATOR,
    /** A JoinGroup or SyncGroup that the coordinator holds on purpose: rebalance time-out plus 5 s. */
    REBALANCE,
    /** A group member's heartbeats: {@code session.timeout.ms}. */
    HEARTBEAT,
    /** The pause before something is tried again: {@code retry.backoff.ms}, growing to its {@code .max.ms}. */
    RETRY_BACKOFF,
    /** A caller in {@code flush}. */
    FLUSH,
    /** A caller in {@code close}. */
    CLOSE,
    /** The verdict on a failed send from the spool. */
    VERDICT,
    /** One operation on the disk of the spool: {@code spool.timeout.ms}. */
    SPOOL,
    /** The event loop itself. */
    LOOP;

    private final String label = name().toLowerCase(Locale.ROOT).replace('_', '-');

    /**
     * How the watchdog is called in metrics and logs.
     *
     * @return lower case with hyphens
     */
    public String label() {
        return label;
    }
}
