package io.faultline.client.virtual;

import io.faultline.client.network.Dialer;
import io.faultline.client.network.HostPort;
import io.faultline.client.network.Link;
import io.faultline.client.network.LinkListener;
import io.faultline.client.network.Resolver;
import io.faultline.client.protocol.Frame;
import io.faultline.client.protocol.FramePart;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;

/** Links to {@link VirtualPeer}s. Each frame takes a while; a peer may refuse, be silent or be cut off. */
final class VirtualNetwork implements Dialer, Resolver {

    static final Duration LATENCY = Duration.ofNanos(100_000);

    private final VirtualTime time;
    private final Map<HostPort, VirtualPeer> peers = new HashMap<>();
    private final List<VirtualLink> links = new ArrayList<>();
    private final List<String> resolved = new ArrayList<>();
    private int dials;
    private boolean resolverHangs;

    VirtualNetwork(VirtualTime time) {
        this.time = time;
    }

    /** Has a peer listen. */
    void listen(HostPort address, VirtualPeer peer) {
        peers.put(address, peer);
    }

    /** Whether lookups are never answered. */
    void resolverHangs(boolean hangs) {
        resolverHangs = hangs;
    }

    /** The links that the client has and has not closed. */
    long openLinks() {
        return links.stream().filter(link -> !link.closed).count();
    }

    /** How many links were dialled. */
    int dials() {
        return dials;
    }

    /** The names that were looked up. */
    List<String> resolved() {
        return resolved;
    }

    /** Resets all links to a peer, as when its process is killed. */
    void reset(VirtualPeer peer) {
        for (VirtualLink link : List.copyOf(links)) {
            if (link.peer == peer) {
                link.lose(new IOException("Connection reset by peer"));
            }
        }
    }

    @Override
    public Link dial(InetSocketAddress address, String host, LinkListener listener) {
        dials++;
        VirtualPeer peer = peers.get(new HostPort(host, address.getPort()));
        VirtualLink link = new VirtualLink(peer, listener);
        links.add(link);
        time.in(LATENCY, link::connect);
        return link;
    }

    @Override
    public void resolve(String host, BiConsumer<List<InetAddress>, Exception> found) {
        resolved.add(host);
        if (!resolverHangs) {
            time.in(LATENCY, () -> found.accept(List.of(loopback()), null));
        }
    }

    private static InetAddress loopback() {
        try {
            return InetAddress.getByAddress("virtual", new byte[] {127, 0, 0, 1});
        } catch (UnknownHostException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    @Override
    public void close() {
        // No threads.
    }

    /** One link, from the client's side. */
    final class VirtualLink implements Link {

        private final VirtualPeer peer;
        private final LinkListener listener;
        private boolean closed;

        private VirtualLink(VirtualPeer peer, LinkListener listener) {
            this.peer = peer;
            this.listener = listener;
        }

        private void connect() {
            if (closed) {
                return;
            }
            if (peer == null || peer.refuses()) {
                lose(new IOException("Connection refused"));
            } else if (!peer.isCutOff()) {
                listener.onTcpConnected();
                listener.onOpen();
            }
        }

        @Override
        public void send(Frame frame) {
            ByteBuffer bytes = ByteBuffer.allocate((int) frame.size());
            for (FramePart part : frame.parts()) {
                bytes.put(((FramePart.Bytes) part).buffer().duplicate());
            }
            bytes.flip().position(Integer.BYTES);
            frame.released().run();
            if (!closed && !peer.isCutOff()) {
                time.in(LATENCY, () -> peer.receive(this, bytes.slice()));
            }
        }

        /** The peer answers. */
        void answer(ByteBuffer frame) {
            if (!peer.isCutOff()) {
                time.in(LATENCY, () -> {
                    if (!closed) {
                        listener.onFrame(frame);
                    }
                });
            }
        }

        /** The link breaks, as the client sees it. */
        void lose(Exception cause) {
            if (!closed) {
                close();
                listener.onClosed(cause);
            }
        }

        boolean isClosed() {
            return closed;
        }

        @Override
        public void close() {
            closed = true;
        }

        @Override
        public void abort() {
            close();
        }

        @Override
        public String description() {
            return "a virtual link";
        }
    }
}
