package io.faultline.bench.host;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.channels.FileChannel;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;

/** A connection whose client is gone: each send fails, as the kernel has it, and the connection stays as it is. For one thread at a time. */
public final class GoneClient implements AutoCloseable {

    private final SocketChannel connection;

    private GoneClient(SocketChannel connection) {
        this.connection = connection;
    }

    /**
     * Makes one.
     *
     * @return the server's end of the connection
     * @throws IOException if there is no loopback interface
     */
    public static GoneClient make() throws IOException {
        try (ServerSocketChannel server =
                ServerSocketChannel.open().bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))) {
            SocketChannel client = SocketChannel.open(server.getLocalAddress());
            SocketChannel accepted = server.accept();
            client.setOption(StandardSocketOptions.SO_LINGER, 0); // closing then resets the connection
            client.close();
            return new GoneClient(accepted);
        }
    }

    /**
     * Fails to send the beginning of a file.
     *
     * @param file the file
     * @param count how many bytes
     * @param times how often
     * @throws IllegalStateException if a send does not fail
     */
    public void failToSend(FileChannel file, long count, int times) {
        for (int time = 0; time < times; time++) {
            failToSend(file, count);
        }
    }

    /**
     * Fails once to send the beginning of a file.
     *
     * @param file the file
     * @param count how many bytes
     * @return how it failed: for the client, or already for the disk
     * @throws IllegalStateException if the send does not fail
     */
    public IOException failToSend(FileChannel file, long count) {
        try {
            file.transferTo(0, count, connection);
        } catch (IOException failure) {
            return failure;
        }
        throw new IllegalStateException("a send to a client that is gone did not fail");
    }

    @Override
    public void close() throws IOException {
        connection.close();
    }
}
