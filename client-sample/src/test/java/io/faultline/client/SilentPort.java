package io.faultline.client;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** A port behind which nobody says anything. */
final class SilentPort implements AutoCloseable {

    private static final int MOST_FILLERS = 50;
    private static final int HANGS_AFTER_MILLIS = 200;

    private final ServerSocket listener;
    private final List<Socket> fillers = new ArrayList<>();
    private final List<Socket> accepted = new CopyOnWriteArrayList<>();

    private SilentPort(int backlog) throws IOException {
        listener = new ServerSocket(0, backlog, InetAddress.getLoopbackAddress());
    }

    /** Connections are taken; what comes on them is read, and that is all. */
    static SilentPort thatAccepts() throws IOException {
        SilentPort port = new SilentPort(50);
        port.thread(port::accept).start();
        return port;
    }

    /** Nobody takes connections and the queue for them is full: the kernel answers no SYN any more. */
    static SilentPort thatAnswersNoSyn() throws IOException {
        SilentPort port = new SilentPort(1);
        for (int filler = 0; filler < MOST_FILLERS; filler++) {
            Socket socket = new Socket();
            port.fillers.add(socket);
            try {
                socket.connect(port.listener.getLocalSocketAddress(), HANGS_AFTER_MILLIS);
            } catch (SocketTimeoutException full) {
                return port;
            }
        }
        port.close();
        throw new IOException("the queue of the listener does not fill");
    }

    private void accept() {
        while (!listener.isClosed()) {
            try {
                Socket socket = listener.accept();
                accepted.add(socket);
                thread(() -> drain(socket)).start();
            } catch (IOException closed) { // the loop ends then
            }
        }
    }

    private static void drain(Socket socket) {
        try (socket) {
            socket.getInputStream().skipNBytes(Long.MAX_VALUE);
        } catch (IOException ended) { // that is what was waited for
        }
    }

    private Thread thread(Runnable task) {
        Thread thread = new Thread(task, "silent-port");
        thread.setDaemon(true);
        return thread;
    }

    String address() {
        return "127.0.0.1:" + port();
    }

    int port() {
        return listener.getLocalPort();
    }

    int accepted() {
        return accepted.size();
    }

    /** Whether the client has not closed one of the connections, counted from 0 on. */
    boolean isOpen(int connection) {
        return !accepted.get(connection).isClosed();
    }

    @Override
    public void close() throws IOException {
        listener.close();
        for (Socket socket : fillers) {
            socket.close();
        }
        for (Socket socket : accepted) {
            socket.close();
        }
    }
}
