package io.faultline.client.network;

import java.net.InetSocketAddress;

/** Makes links. In production it opens sockets; tests have others. */
public interface Dialer {

    /**
     * Begins to connect. Nothing is told to the listener before this has returned.
     *
     * @param address where to
     * @param host the name that was resolved, which a certificate has to be for
     * @param listener hears of the link, of its failure to connect too
     * @return the link, not open yet
     */
    Link dial(InetSocketAddress address, String host, LinkListener listener);
}
