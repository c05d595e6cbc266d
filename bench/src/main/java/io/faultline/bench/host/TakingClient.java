package io.faultline.bench.host;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;

/** Connections whose clients take whatever comes and forget it. */
public final class TakingClient {

    private static final int TAKEN_AT_ONCE = 256 << 10;

    private TakingClient() {}

    /**
     * Makes one, whose thread ends with the connection.
     *
     * @return the server's end of the connection
     * @throws IOException if there is no loopback interface
     */
    public static SocketChannel connect() throws IOException {
        try (ServerSocketChannel server =
                ServerSocketChannel.open().bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))) {
            SocketChannel client = SocketChannel.open(server.getLocalAddress());
            SocketChannel accepted = server.accept();
            Thread taker = new Thread(() -> take(client), "taking-client");
            taker.setDaemon(true);
            taker.start();
            return accepted;
        }
    }

    private static void take(SocketChannel client) {
        ByteBuffer taken = ByteBuffer.allocateDirect(TAKEN_AT_ONCE);
        try (client) {
            while (client.read(taken.clear()) >= 0) {
                // It is only to be taken.
            }
        } catch (IOException ended) { // with the connection
        }
    }
}
