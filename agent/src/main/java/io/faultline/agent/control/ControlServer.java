package io.faultline.agent.control;

import io.faultline.classifier.FaultlineThreads;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.locks.LockSupport;
import java.util.function.UnaryOperator;

/**
 * Answers the command line over the process's {@link ControlSocket}: one line in, some lines out, and the connection closes.
 */
public final class ControlServer implements AutoCloseable {

    private static final int LONGEST_REQUEST = 8192;
    private static final int MOST_ATTEMPTS = 5;
    private static final int MOST_CLIENTS = 64;
    private static final long AFTER_FAILURE_NANOS = 100_000_000L;

    private final UnaryOperator<String> answer;
    private final Thread cleaner;

    /** Those that have a thread each, the oldest first. Guarded by itself. */
    private final Deque<SocketChannel> clients = new ArrayDeque<>();

    /** Null until bound. Guarded by this, as is the socket. */
    private ServerSocketChannel server;

    private Path socket;
    private boolean closed;

    private ControlServer(UnaryOperator<String> answer) {
        this.answer = answer;
        this.cleaner = new Thread(this::cleanUp, "faultline-socket-cleaner");
    }

    /**
     * Opens the socket and starts to answer.
     *
     * @param answer makes the answer to a request; called on a thread for each request
     * @return the open server
     * @throws IOException if the socket cannot be had, or the JVM ends already
     */
    public static ControlServer open(UnaryOperator<String> answer) throws IOException {
        ControlServer opened = new ControlServer(answer);
        try {
            // Before there is a socket, or a JVM that ends while we bind would leave it behind.
            Runtime.getRuntime().addShutdownHook(opened.cleaner);
        } catch (IllegalStateException ending) {
            throw new IOException("the JVM ends", ending);
        }
        try {
            ServerSocketChannel server = opened.bind();
            FaultlineThreads.start("control", () -> opened.accept(server));
            return opened;
        } catch (IOException | RuntimeException | Error failed) {
            opened.close();
            throw failed;
        }
    }

    /**
     * Makes the socket again where somebody removed it, as cleaners of temporary files do. To be called every second or so.
     *
     * @throws IOException if it cannot be had
     */
    public synchronized void tend() throws IOException {
        if (closed || Files.exists(socket, LinkOption.NOFOLLOW_LINKS)) {
            return;
        }
        ServerSocketChannel before = server;
        ServerSocketChannel again = bind();
        before.close();
        FaultlineThreads.start("control", () -> accept(again));
    }

    private synchronized ServerSocketChannel bind() throws IOException {
        for (int attempt = 1; ; attempt++) {
            if (closed) {
                throw new IOException("the JVM ends");
            }
            socket = ControlSocket.ofThisProcess();
            try {
                server = bind(socket);
                return server;
            } catch (IOException failed) {
                // Another process that ended may have taken the folder along between our making and using it.
                if (attempt == MOST_ATTEMPTS) {
                    throw failed;
                }
            }
        }
    }

    private static ServerSocketChannel bind(Path socket) throws IOException {
        Files.deleteIfExists(socket); // of an earlier process with this number, which did not end well
        ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        try {
            return server.bind(ControlSocket.address(socket));
        } catch (IOException | RuntimeException failed) {
            server.close();
            throw failed;
        }
    }

    /** Closes the socket and removes it. */
    @Override
    public void close() {
        closeSocket();
        try {
            Runtime.getRuntime().removeShutdownHook(cleaner);
        } catch (IllegalStateException ending) { // then it runs anyhow
        }
    }

    /** When the JVM ends: a copy of the jar that the command line put beside the socket is needed until then. */
    private void cleanUp() {
        Path own = socket;
        try {
            if (own != null) {
                String name = own.getFileName().toString();
                Files.deleteIfExists(own.resolveSibling(name.substring(0, name.lastIndexOf('.')) + ".jar"));
            }
        } catch (IOException ignored) { // then it stays, where only this user reaches it
        }
        closeSocket();
    }

    private synchronized void closeSocket() {
        closed = true;
        try {
            if (server != null) {
                server.close();
            }
        } catch (IOException ignored) { // it accepts no more either way
        }
        try {
            if (server != null) {
                Files.deleteIfExists(socket);
                Files.deleteIfExists(socket.getParent());
            }
        } catch (IOException othersThere) { // the folder serves another process of this user
        }
    }

    private void accept(ServerSocketChannel server) {
        while (server.isOpen()) {
            SocketChannel client = null;
            try {
                SocketChannel accepted = client = server.accept();
                makeRoomFor(accepted);
                FaultlineThreads.start("control-request", () -> serve(accepted));
            } catch (ClosedChannelException closed) {
                return;
            } catch (IOException | OutOfMemoryError exhausted) { // no descriptor or no thread to be had, for now
                synchronized (clients) {
                    clients.remove(client);
                }
                closeQuietly(client);
                LockSupport.parkNanos(AFTER_FAILURE_NANOS);
            }
        }
    }

    /** Whoever only connects gives way to those who ask. */
    private void makeRoomFor(SocketChannel accepted) {
        synchronized (clients) {
            if (clients.size() == MOST_CLIENTS) {
                closeQuietly(clients.poll());
            }
            clients.add(accepted);
        }
    }

    private void serve(SocketChannel client) {
        try (client) {
            String reply;
            try {
                reply = answer.apply(readLine(client));
            } catch (RuntimeException | Error failed) {
                reply = "error " + failed;
            }
            ByteBuffer bytes = ByteBuffer.wrap((reply + "\n").getBytes(StandardCharsets.UTF_8));
            while (bytes.hasRemaining()) {
                client.write(bytes);
            }
        } catch (IOException gone) { // whoever asked does not wait for the answer
        } finally {
            synchronized (clients) {
                clients.remove(client);
            }
        }
    }

    private static void closeQuietly(SocketChannel client) {
        try {
            if (client != null) {
                client.close();
            }
        } catch (IOException ignored) { // whoever asks may ask again
        }
    }

    private static String readLine(SocketChannel client) throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        ByteBuffer one = ByteBuffer.allocate(1);
        while (line.size() < LONGEST_REQUEST && client.read(one.clear()) > 0 && one.get(0) != '\n') {
            line.write(one.get(0));
        }
        return line.toString(StandardCharsets.UTF_8);
    }
}
