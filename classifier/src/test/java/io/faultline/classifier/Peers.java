package io.faultline.classifier;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.WritableByteChannel;

/** Real connections over the loopback interface, to peers that read or that have gone, and the transfers that fail on them. */
final class Peers implements AutoCloseable {

    private final ServerSocketChannel server;

    Peers() throws IOException {
        server = ServerSocketChannel.open().bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    }

    /** A connection that the peer has reset. */
    synchronized SocketChannel gone() throws IOException {
        SocketChannel peer = SocketChannel.open(server.getLocalAddress());
        SocketChannel sender = server.accept();
        peer.setOption(StandardSocketOptions.SO_LINGER, 0);
        peer.close(); // lingering for 0 s sends a reset
        return sender;
    }

    /** A connection whose peer reads all that comes, until either end is closed. */
    synchronized SocketChannel reading() throws IOException {
        SocketChannel peer = SocketChannel.open(server.getLocalAddress());
        SocketChannel sender = server.accept();
        Thread reader = new Thread(
                () -> {
                    ByteBuffer bytes = ByteBuffer.allocateDirect(1 << 20);
                    try (peer) {
                        while (peer.read(bytes.clear()) >= 0) {
                            continue;
                        }
                    } catch (IOException ignored) { // the test has ended
                    }
                },
                "reading peer");
        reader.setDaemon(true);
        reader.start();
        return sender;
    }

    /** Sends a region to a peer that has gone. */
    FailedTransfer failedSend(FileChannel file, String name, long position, long count) throws IOException {
        try (SocketChannel gone = gone()) {
            return failedTransfer(file, name, position, count, gone);
        }
    }

    /** Transfers as a server does, call by call, until a call throws. The failure is one of the whole region, for some platforms fail so. */
    static FailedTransfer failedTransfer(
            FileChannel file, String name, long position, long count, WritableByteChannel target) throws IOException {
        long sent = 0;
        try {
            while (sent < count) {
                long now = file.transferTo(position + sent, count - sent, target);
                if (now == 0) {
                    throw new AssertionError("nothing more to send after " + sent + " of " + count + " bytes");
                }
                sent += now;
            }
        } catch (IOException failure) {
            return FailedTransfer.ofTransfer(file, name, position, count, target, failure);
        }
        throw new AssertionError("sent, though it was to fail");
    }

    @Override
    public void close() throws IOException {
        server.close();
    }
}
