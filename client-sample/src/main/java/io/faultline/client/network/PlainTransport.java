package io.faultline.client.network;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;

/** A bare socket. */
final class PlainTransport implements Transport {

    /** The JDK copies what it reads and writes through a buffer outside the heap, as large as what it is given. */
    private static final int AT_ONCE = 128 << 10;

    private final SocketChannel socket;
    private final ByteBuffer outgoing;

    /**
     * Makes it.
     *
     * @param outgoing of {@link #outgoing}; may be shared by all transports of a loop, which leave nothing in it
     */
    PlainTransport(SocketChannel socket, ByteBuffer outgoing) {
        this.socket = socket;
        this.outgoing = outgoing;
    }

    /** Makes a buffer in which what is written is put together. */
    static ByteBuffer outgoing() {
        return ByteBuffer.allocateDirect(AT_ONCE);
    }

    @Override
    public boolean open() {
        return true;
    }

    @Override
    public int read(ByteBuffer into) throws IOException {
        int total = 0;
        int read = 1;
        while (read > 0 && into.hasRemaining()) {
            ByteBuffer part = into.slice(into.position(), Math.min(into.remaining(), AT_ONCE));
            read = socket.read(part);
            if (read > 0) {
                into.position(into.position() + read);
                total += read;
            }
        }
        return total > 0 || read == 0 ? total : -1;
    }

    @Override
    public void write(ByteBuffer[] from) throws IOException {
        boolean room = true;
        while (room && Transport.haveRemaining(from)) {
            outgoing.clear();
            for (ByteBuffer part : from) {
                outgoing.put(part.slice(part.position(), Math.min(part.remaining(), outgoing.remaining())));
            }
            int written = socket.write(outgoing.flip());
            room = !outgoing.hasRemaining();
            advance(from, written);
        }
    }

    private static void advance(ByteBuffer[] parts, int by) {
        int left = by;
        for (ByteBuffer part : parts) {
            int taken = Math.min(left, part.remaining());
            part.position(part.position() + taken);
            left -= taken;
        }
    }

    @Override
    public boolean flush() {
        return true;
    }

    @Override
    public boolean isPlain() {
        return true;
    }

    @Override
    public boolean hasReadAhead() {
        return false;
    }

    @Override
    public void sayGoodbye() {
        // TCP does.
    }
}
