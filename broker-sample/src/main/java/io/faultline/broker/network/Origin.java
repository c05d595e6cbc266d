package io.faultline.broker.network;

/**
 * Where a request came from.
 *
 * @param listener the listener that it came in through, as it is advertised: its address is one that the client can reach
 * @param connectionId the addresses and ports of both sides, for answers and logs
 * @param clientHost the client's address, as text
 */
public record Origin(Listener listener, String connectionId, String clientHost) {}
