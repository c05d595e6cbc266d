package io.faultline.client.network;

import java.time.Duration;

/**
 * How connections are made and kept.
 *
 * @param clientId {@code client.id}
 * @param setUpTimeout {@code socket.connection.setup.timeout.ms}: for TCP, TLS and ApiVersions together
 * @param setUpTimeoutMax {@code socket.connection.setup.timeout.max.ms}: it doubles with each failure up to this
 * @param reconnectBackoff {@code reconnect.backoff.ms}
 * @param reconnectBackoffMax {@code reconnect.backoff.max.ms}
 * @param maxIdle {@code connections.max.idle.ms}
 */
public record ConnectConfig(
        String clientId,
        Duration setUpTimeout,
        Duration setUpTimeoutMax,
        Duration reconnectBackoff,
        Duration reconnectBackoffMax,
        Duration maxIdle) {

    /** While a peer is unreachable a fresh connect starts so often: the kernel retries an older one ever more rarely. */
    static final Duration FRESH_CONNECT = Duration.ofSeconds(1);
}
