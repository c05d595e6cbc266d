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

    /** Closes the link. The listener hears nothing more. */
    void close();

    /**
     * Which two ends it has.
     *
     * @return local and remote address, for people
     */
    String description();
}
