/**
 * The threads of a client.
 *
 * <ul>
 *   <li><b>The event loop</b> ({@link io.faultline.client.loop.EventLoop}): all network I/O and all state. It runs no code of
 *       the user, waits for nothing but its sockets, and sleeps no longer than until the next deadline.
 *   <li><b>Callbacks</b> ({@link io.faultline.client.loop.CallbackThread}): completes futures and calls listeners, in order. It
 *       may sleep or throw as it likes; only callbacks are late then.
 *   <li><b>Liveness</b> ({@link io.faultline.client.loop.LoopLiveness}): watches the loop. It runs no code of the user and takes
 *       no lock that the loop takes.
 * </ul>
 *
 * <p>Whatever is called "on the loop" elsewhere is on the first of them.
 */
package io.faultline.client.loop;
