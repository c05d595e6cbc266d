package io.faultline.broker.network;

import java.util.Map;

/**
 * How connections are served.
 *
 * @param threads how many processors each listener has
 * @param maxRequestBytes the largest request that is accepted, in bytes; a larger one closes its connection
 * @param maxIdleMs after how many milliseconds without traffic a connection is closed
 * @param sendBufferBytes the socket's send buffer, -1 for the system's default
 * @param receiveBufferBytes the socket's receive buffer, -1 for the system's default
 * @param channelConfigs what kafka-clients' channel builders are configured with: the {@code ssl.*} keys and their values
 */
public record NetworkConfig(
        int threads,
        int maxRequestBytes,
        long maxIdleMs,
        int sendBufferBytes,
        int receiveBufferBytes,
        Map<String, Object> channelConfigs) {}
