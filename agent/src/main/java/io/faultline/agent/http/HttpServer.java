package io.faultline.agent.http;

import io.faultline.classifier.FaultlineThreads;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.locks.LockSupport;

/**
 * Serves pages that can only be read, from inside somebody else's process: whatever clients do, it keeps answering and takes no more than its share. One thread; at most
 * {@value #MOST_CONNECTIONS} connections, fewer where the process has run out of file descriptors, of which the oldest gives way to a new one; a deadline for each; a bound on answers
 * that wait for a slow reader; one request for each connection. One descriptor is held in reserve, for a client that comes when there is no other.
 *
 * <p>Not the JDK's own HTTP server: that one initialises {@code java.util.logging} before the host does. And none of the small libraries, which bound neither connections
 * nor slow readers, and of which the host would pay the price: a broker without descriptors takes its log directories offline.
 */
public final class HttpServer implements AutoCloseable {

    static final int MOST_CONNECTIONS = 256;

    private static final int MOST_UNSENT_BYTES = 8 << 20;
    private static final int BACKLOG = 64;
    private static final int BUFFER = 16 << 10;
    private static final Duration DEADLINE = Duration.ofSeconds(10);
    private static final long PAUSE_NANOS = 200_000_000L;
    private static final long TICK_MILLIS = 100;

    private final ServerSocketChannel server;
    private final Selector selector;
    private final SelectionKey accepting;
    private final long deadlineNanos;
    private final Page pages;
    private final int port;
    private final Thread thread;
    private final ByteBuffer buffer = ByteBuffer.allocateDirect(BUFFER);

    /** The oldest first. */
    private final Deque<Connection> connections = new ArrayDeque<>();

    /** Holds a descriptor that is given up to accept a client where there is no other; null while it is given up. */
    private SocketChannel reserve;

    private long acceptAgainAt;
    private volatile boolean closed;

    private HttpServer(ServerSocketChannel server, Selector selector, Duration deadline, Page pages)
            throws IOException {
        this.server = server;
        this.selector = selector;
        this.deadlineNanos = deadline.toNanos();
        this.pages = pages;
        this.accepting = server.register(selector, SelectionKey.OP_ACCEPT);
        this.port = ((InetSocketAddress) server.getLocalAddress()).getPort();
        this.thread = FaultlineThreads.start("http", this::serve);
    }

    /**
     * Binds and starts to serve.
     *
     * @param host the address to bind
     * @param port the port, 0 for any free one
     * @param pages makes the answer to every GET and HEAD
     * @return the running server
     * @throws IOException if the address cannot be bound
     */
    public static HttpServer open(String host, int port, Page pages) throws IOException {
        return open(host, port, DEADLINE, pages);
    }

    static HttpServer open(String host, int port, Duration deadline, Page pages) throws IOException {
        InetSocketAddress address = new InetSocketAddress(host, port);
        if (address.isUnresolved()) {
            throw new IOException("unknown host " + host);
        }
        Selector selector = Selector.open();
        ServerSocketChannel server = null;
        try {
            server = ServerSocketChannel.open();
            server.configureBlocking(false);
            server.setOption(StandardSocketOptions.SO_REUSEADDR, true).bind(address, BACKLOG);
            return new HttpServer(server, selector, deadline, pages);
        } catch (IOException | RuntimeException | Error failed) {
            selector.close();
            if (server != null) {
                server.close();
            }
            throw failed;
        }
    }

    /**
     * The port that is bound.
     *
     * @return the port
     */
    public int port() {
        return port;
    }

    /** Stops. Returns at once; port and connections close, and the thread ends, soon after. */
    @Override
    public void close() {
        closed = true;
        selector.wakeup();
    }

    /**
     * Waits for the thread to end, which needs classes of ours until it has.
     *
     * @throws InterruptedException if the waiting thread is interrupted
     */
    public void awaitEnd() throws InterruptedException {
        thread.join();
    }

    private void serve() {
        while (!closed) {
            try {
                turn();
            } catch (IOException | RuntimeException | Error failed) { // such as no memory: what can be let go of is
                dropAll();
                LockSupport.parkNanos(this, PAUSE_NANOS);
            }
        }
        dropAll();
        closeQuietly(reserve);
        closeQuietly(server);
        closeQuietly(selector);
    }

    private void turn() throws IOException {
        boolean idle = connections.isEmpty() && accepting.interestOps() != 0 && reserve != null;
        selector.select(idle ? 0 : TICK_MILLIS);
        for (SelectionKey key : selector.selectedKeys()) {
            if (key == accepting) {
                accept();
            } else {
                proceed((Connection) key.attachment());
            }
        }
        selector.selectedKeys().clear();
        long now = System.nanoTime();
        connections.forEach(connection -> {
            if (connection.isOverdue(now)) {
                connection.close();
            }
        });
        connections.removeIf(connection -> !connection.isOpen());
        if (accepting.interestOps() == 0 && now - acceptAgainAt > 0) {
            accepting.interestOps(SelectionKey.OP_ACCEPT);
        }
        refillReserve();
    }

    private void accept() {
        try {
            SocketChannel client = acceptOrUseReserve();
            if (client == null) { // gone before we came
                return;
            }
            if (connections.size() == MOST_CONNECTIONS) {
                connections.remove().close();
            }
            connections.add(connect(client));
        } catch (IOException exhausted) { // the client waits in the backlog until the oldest has given way
            Connection oldest = connections.poll();
            if (oldest == null) {
                accepting.interestOps(0); // asked at once again, accept would fail at once again
                acceptAgainAt = System.nanoTime() + PAUSE_NANOS;
            } else {
                oldest.close();
            }
        }
    }

    private Connection connect(SocketChannel client) throws IOException {
        try {
            return new Connection(client, selector, System.nanoTime() + deadlineNanos);
        } catch (IOException | RuntimeException | Error failed) {
            closeQuietly(client);
            throw failed;
        }
    }

    private SocketChannel acceptOrUseReserve() throws IOException {
        try {
            return server.accept();
        } catch (IOException exhausted) {
            if (reserve == null) {
                throw exhausted;
            }
            closeQuietly(reserve);
            reserve = null;
            return server.accept();
        }
    }

    /** In the first turn after a client was accepted on the reserve and is gone: its descriptor is free then, if no thread of the host was faster. */
    private void refillReserve() {
        if (reserve == null) {
            try {
                reserve = SocketChannel.open();
            } catch (IOException exhausted) { // tried again in the next turn
            }
        }
    }

    private void proceed(Connection connection) {
        if (!connection.isOpen()) { // it gave way in this very turn
            return;
        }
        try {
            connection.proceed(buffer, pages);
            if (connection.unsent() > 0) {
                makeRoomFor(connection);
            }
        } catch (IOException | RuntimeException failed) { // the client's affair
            connection.close();
        }
    }

    private void makeRoomFor(Connection answered) {
        long unsent = 0;
        for (Connection connection : connections) {
            unsent += connection.unsent();
        }
        for (Connection oldest : connections) {
            if (unsent <= MOST_UNSENT_BYTES) {
                return;
            }
            if (oldest != answered && oldest.unsent() > 0) {
                unsent -= oldest.unsent();
                oldest.close();
            }
        }
    }

    private void dropAll() {
        connections.forEach(Connection::close);
        connections.clear();
    }

    private static void closeQuietly(AutoCloseable resource) {
        try {
            if (resource != null) {
                resource.close();
            }
        } catch (Exception ignored) { // nothing more can be done
        }
    }
}
