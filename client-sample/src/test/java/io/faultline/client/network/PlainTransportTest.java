package io.faultline.client.network;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.Arrays;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class PlainTransportTest {

    private static final int LARGE = 3 << 20;

    private SocketChannel writing;
    private SocketChannel reading;
    private PlainTransport transport;

    @BeforeEach
    void connect() throws IOException {
        try (ServerSocketChannel server = ServerSocketChannel.open()) {
            server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            writing = SocketChannel.open(server.getLocalAddress());
            reading = server.accept();
        }
        writing.configureBlocking(false);
        transport = new PlainTransport(writing, PlainTransport.outgoing());
    }

    @AfterEach
    void close() throws IOException {
        writing.close();
        reading.close();
    }

    @Test
    void partsComeOneBehindTheOtherHoweverOftenTheSocketIsFull() throws IOException {
        byte[] bytes = new byte[LARGE];
        new Random(1).nextBytes(bytes);
        ByteBuffer[] parts = {
            part(bytes, 0, 3), part(bytes, 3, 1_000), part(bytes, 1_000, LARGE - 1), part(bytes, LARGE - 1, LARGE)
        };
        ByteBuffer come = ByteBuffer.allocate(LARGE);
        while (Transport.haveRemaining(parts)) {
            transport.write(parts);
            reading.read(come);
        }
        while (come.hasRemaining()) {
            reading.read(come);
        }
        assertThat(come.array()).isEqualTo(bytes);
    }

    @Test
    void whatTheSocketDidNotTakeIsLeft() throws IOException {
        ByteBuffer[] parts = IntStream.range(0, 64)
                .mapToObj(index -> ByteBuffer.allocate(1 << 20))
                .toArray(ByteBuffer[]::new);
        transport.write(parts);
        long left = Arrays.stream(parts).mapToLong(ByteBuffer::remaining).sum();
        assertThat(left).isBetween(1L, (64L << 20) - 1);
        ByteBuffer come = ByteBuffer.allocate(64 << 20);
        writing.shutdownOutput();
        while (reading.read(come) >= 0) {
            // Until there is no more.
        }
        assertThat(come.remaining()).isEqualTo(left);
    }

    private static ByteBuffer part(byte[] bytes, int from, int to) {
        return ByteBuffer.wrap(bytes, from, to - from);
    }
}
