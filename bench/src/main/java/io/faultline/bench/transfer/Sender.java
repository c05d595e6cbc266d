package io.faultline.bench.transfer;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;

/** Sends a file over a connection whose other end takes whatever comes. For one thread at a time. */
final class Sender implements AutoCloseable {

    private static final int TAKEN_AT_ONCE = 256 << 10;

    private final FileChannel file;
    private final SocketChannel out;
    private final SocketChannel in;

    private Sender(FileChannel file, SocketChannel out, SocketChannel in) {
        this.file = file;
        this.out = out;
        this.in = in;
    }

    static Sender of(Path file) throws IOException {
        try (ServerSocketChannel server =
                ServerSocketChannel.open().bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))) {
            SocketChannel out = SocketChannel.open(server.getLocalAddress());
            Sender sender = new Sender(FileChannel.open(file), out, server.accept());
            Thread taker = new Thread(sender::take, "taker");
            taker.setDaemon(true);
            taker.start();
            return sender;
        }
    }

    /** Sends that many bytes from the beginning of the file, that many times. */
    void send(long size, int times) throws IOException {
        for (int time = 0; time < times; time++) {
            long sent = 0;
            while (sent < size) {
                sent += file.transferTo(sent, size - sent, out);
            }
        }
    }

    private void take() {
        ByteBuffer taken = ByteBuffer.allocateDirect(TAKEN_AT_ONCE);
        try {
            while (in.read(taken.clear()) >= 0) {
                // It is only to be taken.
            }
        } catch (IOException ended) { // with the connection
        }
    }

    @Override
    public void close() throws IOException {
        out.close();
        in.close();
        file.close();
    }
}
