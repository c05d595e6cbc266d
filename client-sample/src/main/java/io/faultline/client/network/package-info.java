/**
 * Connections: names, sockets, TLS, frames, the agreement on versions, and calls with their deadlines.
 *
 * <p>From the outside in: a {@link io.faultline.client.network.Network} knows all {@linkplain io.faultline.client.network.PeerId
 * peers} and takes {@linkplain io.faultline.client.network.Call calls} to them. A {@code Peer} has at most one ready
 * {@code Connection}, and sees to it that one comes about; a {@code Connection} agrees on versions and matches responses to
 * calls; a {@link io.faultline.client.network.Link} carries frames. A link is a socket, over TLS or not, or in a test whatever
 * the test makes of it. All of that belongs to the event loop and has no locks.
 *
 * <p>What is never waited for without a deadline: a name and a TCP connection (connect watchdog), TLS and ApiVersions
 * (negotiate), a response, from the moment the call is made (request, or the call's own).
 *
 * <p>The file of a spool is the one thing here whose reading may hang with its disk. It is read by its own thread; see
 * {@code SocketLink}.
 */
package io.faultline.client.network;
