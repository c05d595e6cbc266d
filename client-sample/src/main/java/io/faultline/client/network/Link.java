package io.faultline.client.network;

import io.faultline.client.protocol.Frame;

/** A way to one peer that carries frames in order: a socket, over TLS or not. Belongs to the loop. */
public interface Link {

    /**
     * Sends a frame after those before it.
     *
     * @param frame the frame; it is released in any case, at last when the link is closed and a write that runs has ended
     */
    void send(Frame frame);

    /** Closes the link in an orderly way: what was sent still gets to the peer. The listener hears nothing more. */
    void close();

    /**
     * Closes the link and takes back what the peer has not got yet. The listener hears nothing more.
     *
     * <p>For a client that goes on, and asks again over another link: after an outage the kernel would repeat the old bytes, and the
     * peer would carry out an older request behind a newer one.
     */
    void abort();

    /**
     * Which two ends it has.
     *
     * @return local and remote address, for people
     */
    String description();
}
