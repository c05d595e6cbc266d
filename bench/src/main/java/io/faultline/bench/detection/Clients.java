package io.faultline.bench.detection;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;

/** The other ends of a server's connections, on the loopback. */
final class Clients {

    private static final int BUFFER = 64 << 10;

    private Clients() {}

    /** The server's end of a connection whose client has reset it: whatever is sent there fails. */
    static SocketChannel gone() throws IOException {
        try (ServerSocketChannel server = listen()) {
            SocketChannel client = SocketChannel.open(server.getLocalAddress());
            SocketChannel accepted = server.accept();
            client.setOption(StandardSocketOptions.SO_LINGER, 0); // closing then resets the connection
            client.close();
            return accepted;
        }
    }

    /** The server's end of a connection whose client takes whatever comes, on a thread that ends with the connection. */
    static SocketChannel thirsty() throws IOException {
        try (ServerSocketChannel server = listen()) {
            SocketChannel client = SocketChannel.open(server.getLocalAddress());
            SocketChannel accepted = server.accept();
            Thread reader = new Thread(() -> drain(client), "client");
            reader.setDaemon(true);
            reader.start();
            return accepted;
        }
    }

    private static void drain(SocketChannel client) {
        ByteBuffer buffer = ByteBuffer.allocateDirect(BUFFER);
        try (client) {
            while (client.read(buffer.clear()) >= 0) {
                // the next part
            }
        } catch (IOException gone) { // with its server
        }
    }

    private static ServerSocketChannel listen() throws IOException {
        return ServerSocketChannel.open().bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    }
}
