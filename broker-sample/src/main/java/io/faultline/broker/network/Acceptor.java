package io.faultline.broker.network;

import java.io.IOException;
import java.net.StandardSocketOptions;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Accepts the connections of one listener and hands them to its processors in turn, until its socket is closed. */
final class Acceptor implements Runnable {

    private static final Logger LOG = LoggerFactory.getLogger(Acceptor.class);

    /** When accepting fails, mostly for want of descriptors, trying again at once would fail too. */
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private final ServerSocketChannel socket;
    private final NetworkConfig config;
    private final List<Processor> processors;
    private int next;

    Acceptor(ServerSocketChannel socket, NetworkConfig config, List<Processor> processors) {
        this.socket = socket;
        this.config = config;
        this.processors = List.copyOf(processors);
    }

    @Override
    public void run() {
        while (socket.isOpen()) {
            try {
                SocketChannel connection = socket.accept();
                try {
                    configure(connection);
                } catch (IOException failure) {
                    connection.close();
                    throw failure;
                }
                processors.get(next++ % processors.size()).accept(connection);
                next %= processors.size();
            } catch (ClosedChannelException stopped) {
                // Either the listener is closed, which ends the loop, or just the connection.
                continue;
            } catch (IOException failure) {
                LOG.warn("Accepting a connection failed: {}", failure.toString());
                LockSupport.parkNanos(PAUSE_NANOS);
            }
        }
    }

    private void configure(SocketChannel connection) throws IOException {
        connection.configureBlocking(false);
        connection.setOption(StandardSocketOptions.TCP_NODELAY, true);
        connection.setOption(StandardSocketOptions.SO_KEEPALIVE, true);
        if (config.sendBufferBytes() > 0) {
            connection.setOption(StandardSocketOptions.SO_SNDBUF, config.sendBufferBytes());
        }
    }
}
