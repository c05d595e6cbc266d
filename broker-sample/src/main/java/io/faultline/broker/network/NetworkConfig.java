package io.faultline.broker.network;

import java.util.Map;

/**
 * How connections are served.
 *
 * @param threads how many processors each listener has
 * @param maxRequestBytes the largest request that is accepted, in bytes; a larger one closes its connection
 * @param maxQueuedRequestBytes how much memory requests may take altogether, in bytes; one alone may take more
 * @param maxIdleMs after how many milliseconds without traffic a connection is closed
 * @param maxConnections how many connections there may be; further ones wait
 * @param maxConnectionsPerIp how many connections there may be from one address; further ones are closed
 * @param maxConnectionsPerSecond how many connections may come in a second; further ones wait
 * @param sendBufferBytes the socket's send buffer, -1 for the system's default
 * @param receiveBufferBytes the socket's receive buffer, -1 for the system's default
 * @param backlog how many connections may wait to be accepted
 * @param channelConfigs what TLS is configured with: the {@code ssl.*} keys and their values
 */
public record NetworkConfig(
        int threads,
        int maxRequestBytes,
        long maxQueuedRequestBytes,
        long maxIdleMs,
        int maxConnections,
        int maxConnectionsPerIp,
        int maxConnectionsPerSecond,
        int sendBufferBytes,
        int receiveBufferBytes,
        int backlog,
        Map<String, Object> channelConfigs) {}
