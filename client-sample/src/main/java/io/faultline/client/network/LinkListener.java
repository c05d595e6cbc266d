package io.faultline.client.network;

import java.nio.ByteBuffer;

/** Hears of one {@link Link}, on the loop. Nothing comes after {@link #onClosed}, or after {@link Link#close}. */
public interface LinkListener {

    /** TCP is connected; over TLS the handshake begins. */
    void onTcpConnected();

    /** Frames can be sent. */
    void onOpen();

    /**
     * A frame begins to come in.
     *
     * @param bytes how long it is, without the length
     * @return an empty buffer with that limit
     */
    default ByteBuffer roomFor(int bytes) {
        return ByteBuffer.allocate(bytes);
    }

    /**
     * A frame came in.
     *
     * @param frame its bytes without the length
     */
    void onFrame(ByteBuffer frame);

    /**
     * The link is closed and has given back what it held.
     *
     * @param cause why: an {@link org.apache.kafka.common.errors.AuthenticationException} if the peers do not trust each
     *     other, else what the socket or the wire said
     */
    void onClosed(Exception cause);
}
