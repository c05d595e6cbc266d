package io.faultline.client.network;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;

/** A bare socket. */
final class PlainTransport implements Transport {

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
        return socket.read(into);
    }

    @Override
    public void write(ByteBuffer from) throws IOException {
        socket.write(from);
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
