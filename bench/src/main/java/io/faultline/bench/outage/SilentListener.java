package io.faultline.bench.outage;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/** Stands where a broker was: takes connections, reads nothing, says nothing. */
final class SilentListener implements AutoCloseable {

    private static final int BACKLOG = 200;

    private final ServerSocket listener;
    private final Queue<Socket> accepted = new ConcurrentLinkedQueue<>();

    SilentListener(String host, int port) throws IOException {
        listener = new ServerSocket(port, BACKLOG, InetAddress.getByName(host));
        Thread acceptor = new Thread(this::accept, "silent-listener");
        acceptor.setDaemon(true);
        acceptor.start();
    }

    private void accept() {
        while (!listener.isClosed()) {
            try {
                accepted.add(listener.accept());
            } catch (IOException closed) { // the loop ends then
            }
        }
    }

    @Override
    public void close() throws IOException {
        listener.close();
        for (Socket socket : accepted) {
            socket.close();
        }
    }
}
