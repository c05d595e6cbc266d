package io.faultline.client.network;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.nio.channels.UnresolvedAddressException;
import java.nio.channels.UnsupportedAddressTypeException;
import java.util.concurrent.Executor;

/** Opens sockets, in plaintext or over TLS. */
final class SocketDialer implements Dialer {

    private final SelectorPoller poller;
    private final SocketConfig config;
    private final Executor loop;
    private final Executor files;
    private final TlsClient tls;
    private final ByteBuffer outgoing = PlainTransport.outgoing();

    /**
     * Makes a dialer.
     *
     * @param loop the event loop
     * @param files where regions of files are transferred
     * @param tls how to speak TLS, null for plaintext
     */
    SocketDialer(SelectorPoller poller, SocketConfig config, Executor loop, Executor files, TlsClient tls) {
        this.poller = poller;
        this.config = config;
        this.loop = loop;
        this.files = files;
        this.tls = tls;
    }

    @Override
    public Link dial(InetSocketAddress address, String host, LinkListener listener) {
        SocketChannel socket;
        try {
            socket = SocketChannel.open();
        } catch (IOException noSocket) {
            return new NoLink(address, listener, loop, noSocket);
        }
        SocketLink link = new SocketLink(address, socket, listener, config.largestFrame(), loop, files);
        try {
            configure(socket);
            SelectionKey key = poller.register(socket, SelectionKey.OP_CONNECT, link::ready);
            link.attach(
                    key,
                    tls == null
                            ? new PlainTransport(socket, outgoing)
                            : tls.over(socket, host, address.getPort(), link::taskDone));
            if (socket.connect(address)) {
                link.connectedAtOnce();
            }
        } catch (IOException | UnresolvedAddressException | UnsupportedAddressTypeException failure) {
            link.failLater(new IOException("cannot connect to " + address, failure));
        }
        return link;
    }

    private void configure(SocketChannel socket) throws IOException {
        socket.configureBlocking(false);
        socket.setOption(StandardSocketOptions.TCP_NODELAY, true);
        socket.setOption(StandardSocketOptions.SO_KEEPALIVE, true);
        if (config.sendBufferBytes() > 0) {
            socket.setOption(StandardSocketOptions.SO_SNDBUF, config.sendBufferBytes());
        }
        if (config.receiveBufferBytes() > 0) {
            socket.setOption(StandardSocketOptions.SO_RCVBUF, config.receiveBufferBytes());
        }
    }
}
