package io.faultline.client.network;

/** Hears of the ways to the peers, on the loop. */
public interface PeerListener {

    /**
     * A connection is ready, or ready again after the broker wanted to be left alone.
     *
     * @param peer to whom
     */
    void onReady(PeerId peer);

    /**
     * A connection was lost, or none could be made. There will be another attempt if somebody wants it.
     *
     * @param peer to whom
     * @param cause why; an {@link org.apache.kafka.common.errors.AuthenticationException} if the peers do not trust each other
     */
    void onUnreachable(PeerId peer, Exception cause);

    /**
     * Asks whether a connection is wanted though no call waits for one.
     *
     * @param peer to whom
     * @return true to go on trying
     */
    boolean wants(PeerId peer);
}
