package io.faultline.client.network;

import io.faultline.client.protocol.Frame;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.concurrent.Executor;

/** A link for which there is no socket, when the process has as many as it may, say. It fails at the next turn of the loop. */
final class NoLink implements Link {

    private final InetSocketAddress address;
    private boolean closed;

    NoLink(InetSocketAddress address, LinkListener listener, Executor loop, IOException cause) {
        this.address = address;
        loop.execute(() -> {
            if (!closed) {
                closed = true;
                listener.onClosed(cause);
            }
        });
    }

    @Override
    public void send(Frame frame) {
        frame.released().run();
    }

    @Override
    public void close() {
        closed = true;
    }

    @Override
    public void abort() {
        close();
    }

    @Override
    public String description() {
        return "to " + address;
    }
}
