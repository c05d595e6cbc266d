package io.faultline.client.network;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;

/** A bare socket. */
final class PlainTransport implements Transport {

    /** The JDK copies what it reads and writes through a buffer outside the heap, as large as what it is given. */
    private static final int AT_ONCE = 128 << 10;

    private final SocketChannel socket;

    PlainTransport(SocketChannel socket) {
        this.socket = socket;
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
    public void write(ByteBuffer from) throws IOException {
        boolean room = true;
        while (room && from.hasRemaining()) {
            ByteBuffer part = from.slice(from.position(), Math.min(from.remaining(), AT_ONCE));
            from.position(from.position() + socket.write(part));
            room = !part.hasRemaining();
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
