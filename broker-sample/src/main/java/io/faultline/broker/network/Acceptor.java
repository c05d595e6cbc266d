package io.faultline.broker.network;

import java.io.IOException;
import java.net.InetAddress;
import java.net.StandardSocketOptions;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.LoggerFactory;

/**
 * Accepts the connections of one listener and hands them to its processors in turn, until its socket is closed. Where there
 * may be no more connections it accepts none: they wait in the backlog of the socket.
 */
final class Acceptor implements Runnable {

    /** When accepting fails, mostly for want of descriptors, trying again at once would fail too. */
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    /** How often it looks whether the listener is closed while it waits for room. */
    private static final long ROOM_MS = 100;

    private final ServerSocketChannel socket;
    private final NetworkConfig config;
    private final ConnectionLimits limits;
    private final List<Processor> processors;
    private final RateLimitedLog log = new RateLimitedLog(LoggerFactory.getLogger(Acceptor.class));
    private int next;

    Acceptor(ServerSocketChannel socket, NetworkConfig config, ConnectionLimits limits, List<Processor> processors) {
        this.socket = socket;
        this.config = config;
        this.limits = limits;
        this.processors = List.copyOf(processors);
    }

    @Override
    public void run() {
        while (socket.isOpen()) {
            try {
                if (limits.awaitRoom(ROOM_MS)) {
                    accept();
                }
            } catch (ClosedChannelException stopped) {
                // Either the listener is closed, which ends the loop, or just the connection.
                continue;
            } catch (IOException failure) {
                log.warn("Accepting a connection failed: {}", failure.toString());
                LockSupport.parkNanos(PAUSE_NANOS);
            } catch (InterruptedException stopped) {
                Thread.currentThread().interrupt();
                return;
            }
        }
    }

    private void accept() throws IOException {
        SocketChannel connection = socket.accept();
        InetAddress address = connection.socket().getInetAddress();
        if (address == null || !limits.opened(address)) {
            connection.close();
            if (address != null) {
                log.warn(
                        "Closed a connection from {}: there are {} from there (max.connections.per.ip)",
                        address.getHostAddress(),
                        config.maxConnectionsPerIp());
            }
            return;
        }
        try {
            configure(connection);
        } catch (IOException failure) {
            connection.close();
            limits.closed(address);
            throw failure;
        }
        processors.get(next).accept(connection);
        next = (next + 1) % processors.size();
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
