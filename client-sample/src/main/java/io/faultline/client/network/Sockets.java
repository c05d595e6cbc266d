package io.faultline.client.network;

import io.faultline.client.loop.Poller;
import java.io.IOException;
import java.net.InetAddress;
import java.util.concurrent.Executor;

/** The real network of one client: a selector, sockets, and the system's resolver. */
public final class Sockets {

    private final SelectorPoller poller;

    private Sockets(SelectorPoller poller) {
        this.poller = poller;
    }

    /**
     * Opens the selector.
     *
     * @return with no sockets yet
     * @throws IOException if the process cannot have one
     */
    public static Sockets open() throws IOException {
        return new Sockets(new SelectorPoller());
    }

    /**
     * Where the event loop sleeps.
     *
     * @return the poller
     */
    public Poller poller() {
        return poller;
    }

    /**
     * What makes the client's links.
     *
     * @param config how sockets are set up
     * @param loop the event loop
     * @param files where regions of files are transferred; may be held up by a disk
     * @param tls how to speak TLS, null for plaintext
     * @return the dialer
     */
    public Dialer dialer(SocketConfig config, Executor loop, Executor files, TlsClient tls) {
        return new SocketDialer(poller, config, loop, files, tls);
    }

    /**
     * The system's resolver.
     *
     * @param threadName of its threads
     * @param loop the event loop
     * @return the resolver
     */
    public static Resolver resolver(String threadName, Executor loop) {
        return new DnsResolver(threadName, loop, InetAddress::getAllByName);
    }
}
