package io.faultline.client.network;

import io.faultline.client.protocol.Frame;
import io.faultline.client.protocol.FramePart;
import io.faultline.client.protocol.FramePart.FileRegion;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.Executor;
import org.apache.kafka.common.errors.AuthenticationException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A link over a non-blocking socket.
 *
 * <p>Bytes in memory are written by the loop. A region of a file is not: its disk may hang, so the file's own thread transfers
 * it, straight to the socket or over TLS into memory, and until it has come back nobody else writes. If the link is closed
 * meanwhile, the socket is closed by that thread when it comes back, since closing it before would wait for the transfer.
 */
final class SocketLink implements Link {

    /** How many frames one readable socket may deliver before the others have their turn. */
    private static final int FRAMES_AT_ONCE = 16;

    private static final int FILE_CHUNK = 64 << 10;

    private static final Logger LOG = LoggerFactory.getLogger(SocketLink.class);

    private final InetSocketAddress address;
    private final SocketChannel socket;
    private final LinkListener listener;
    private final FrameReader reader;
    private final Executor loop;
    private final Executor files;
    private final Deque<Frame> frames = new ArrayDeque<>();
    private final Deque<FramePart> parts = new ArrayDeque<>(); // of the first frame, what is left
    private Transport transport;
    private SelectionKey key;
    private boolean open;
    private boolean transferring;
    private boolean closed;
    private boolean aborted;
    private String description;

    SocketLink(
            InetSocketAddress address,
            SocketChannel socket,
            LinkListener listener,
            int largestFrame,
            Executor loop,
            Executor files) {
        this.address = address;
        this.socket = socket;
        this.listener = listener;
        this.reader = new FrameReader(largestFrame, listener::roomFor);
        this.loop = loop;
        this.files = files;
        this.description = "to " + address;
    }

    void attach(SelectionKey connecting, Transport over) {
        key = connecting;
        transport = over;
    }

    @Override
    public void send(Frame frame) {
        if (closed) {
            frame.released().run();
            return;
        }
        frames.add(frame);
        if (open && frames.size() == 1) {
            loop.execute(
                    () -> guarded(this::write)); // not from here: a failure must not come back to the sender's own call
        }
    }

    @Override
    public String description() {
        return description;
    }

    /** On the loop, whenever the selector says that the socket is ready. */
    void ready(SelectionKey ready) {
        guarded(() -> {
            if (ready.isConnectable()) {
                socket.finishConnect();
                connected();
            } else if (!open) {
                goOnOpening();
            } else {
                if (ready.isReadable()) {
                    read();
                }
                if (!closed && ready.isWritable()) {
                    write();
                }
            }
        });
    }

    /** TCP connected before anybody could wait for it, as it may on the loopback. */
    void connectedAtOnce() {
        key.interestOps(0);
        loop.execute(() -> guarded(this::connected));
    }

    /** Fails the link at the next turn, for what was noticed while dialling. */
    void failLater(IOException cause) {
        loop.execute(() -> fail(cause));
    }

    private void connected() throws IOException {
        description = socket.getLocalAddress() + " to " + address;
        key.interestOps(SelectionKey.OP_READ);
        listener.onTcpConnected();
        goOnOpening();
    }

    /** TLS may want to read, write or compute; it is asked to go on whenever any of them is possible. */
    void goOnOpening() throws IOException {
        if (closed || open) {
            return;
        }
        if (transport.open()) {
            open = true;
            key.interestOps(SelectionKey.OP_READ);
            listener.onOpen();
            if (!closed && !frames.isEmpty()) {
                write();
            }
            if (!closed && transport.hasReadAhead()) {
                read();
            }
        } else {
            key.interestOps(transport.flush() ? SelectionKey.OP_READ : SelectionKey.OP_WRITE);
        }
    }

    /** A task of the TLS engine has ended, on whatever thread. */
    void taskDone() {
        loop.execute(() -> guarded(() -> {
            if (open) {
                read();
            } else {
                goOnOpening();
            }
        }));
    }

    private void read() throws IOException {
        for (int count = 0; !closed && count < FRAMES_AT_ONCE; count++) {
            ByteBuffer frame = reader.read(transport);
            if (frame == null) {
                break;
            }
            listener.onFrame(frame);
        }
        if (!closed && transport.hasReadAhead()) {
            loop.execute(() -> guarded(this::read)); // the socket will not say so
        }
    }

    private void write() throws IOException {
        boolean room = !transferring && transport.flush();
        while (room && !closed && !frames.isEmpty()) {
            if (parts.isEmpty()) {
                parts.addAll(frames.peek().parts());
            }
            room = writeParts();
        }
        if (!closed) {
            boolean wait = !transferring && (!frames.isEmpty() || !transport.flush());
            key.interestOps(wait ? SelectionKey.OP_READ | SelectionKey.OP_WRITE : SelectionKey.OP_READ);
        }
    }

    /** Returns false if the socket takes no more, or another thread writes now. */
    private boolean writeParts() throws IOException {
        if (parts.peek() instanceof FileRegion region) {
            transfer(region);
            return false;
        }
        ByteBuffer[] bytes = bytesInFront();
        transport.write(bytes);
        for (ByteBuffer each : bytes) {
            parts.poll();
            if (each.hasRemaining()) {
                parts.push(new FramePart.Bytes(each));
                return false;
            }
        }
        partWritten();
        return true;
    }

    /** What can be written up to the next region of a file: views, since the same bytes may have to be sent again. */
    private ByteBuffer[] bytesInFront() {
        return parts.stream()
                .takeWhile(FramePart.Bytes.class::isInstance)
                .map(part -> ((FramePart.Bytes) part).buffer().duplicate())
                .toArray(ByteBuffer[]::new);
    }

    private void partWritten() {
        if (parts.isEmpty()) {
            frames.poll().released().run();
        }
    }

    private void transfer(FileRegion region) {
        transferring = true;
        boolean plain = transport.isPlain();
        files.execute(() -> {
            try {
                if (plain) {
                    long sent = region.channel().transferTo(region.position(), region.size(), socket);
                    // Both a socket that is full and the end of the file transfer nothing.
                    boolean ended = sent == 0 && region.channel().size() <= region.position();
                    loop.execute(() -> transferred(region, ended ? -1 : (int) sent, null));
                } else {
                    ByteBuffer chunk = ByteBuffer.allocate(Math.min(region.size(), FILE_CHUNK));
                    int read = region.channel().read(chunk, region.position());
                    loop.execute(() -> transferred(region, read, chunk.flip()));
                }
            } catch (IOException failure) {
                loop.execute(() -> transferFailed(region, plain ? socket : null, failure));
            }
        });
    }

    /** So much of the region was sent, or was read to be encrypted. */
    private void transferred(FileRegion region, int count, ByteBuffer read) {
        transferring = false;
        if (closed) {
            letGo();
            return;
        }
        guarded(() -> {
            if (count < 0) {
                throw new FileSendException(region, null, new IOException("the file ends before the region"));
            }
            parts.poll();
            if (count < region.size()) {
                parts.push(new FileRegion(
                        region.channel(), region.name(), region.position() + count, region.size() - count));
            }
            if (read != null && read.hasRemaining()) {
                parts.push(new FramePart.Bytes(read));
            }
            partWritten();
            if (count == 0) {
                key.interestOps(SelectionKey.OP_READ | SelectionKey.OP_WRITE);
            } else {
                write();
            }
        });
    }

    private void transferFailed(FileRegion region, SocketChannel target, IOException failure) {
        transferring = false;
        if (closed) {
            letGo();
        } else {
            fail(new FileSendException(region, target, failure));
        }
    }

    @Override
    public void close() {
        if (!closed) {
            closed = true;
            if (key != null) {
                key.cancel();
            }
            if (!transferring) {
                if (open && !aborted) {
                    transport.sayGoodbye();
                }
                letGo();
            }
        }
    }

    @Override
    public void abort() {
        aborted = aborted || !closed;
        close();
    }

    private void letGo() {
        if (aborted) {
            takeBack();
        }
        Quietly.close(socket);
        parts.clear();
        for (Frame frame = frames.poll(); frame != null; frame = frames.poll()) {
            frame.released().run();
        }
    }

    /** Closing the socket then resets it, and the kernel repeats nothing that is on its way. */
    private void takeBack() {
        try {
            socket.setOption(StandardSocketOptions.SO_LINGER, 0);
        } catch (IOException failure) {
            LOG.debug("{} is closed in an orderly way", description, failure);
        }
    }

    private void fail(Exception cause) {
        if (!closed) {
            close();
            listener.onClosed(cause);
        }
    }

    /** Whatever goes wrong in handling this link, goes wrong for this link only. */
    private void guarded(Step step) {
        if (closed) {
            return;
        }
        try {
            step.take();
        } catch (IOException | AuthenticationException failure) {
            fail(failure);
        } catch (RuntimeException unexpected) {
            fail(new IOException("unexpected", unexpected));
        }
    }

    private interface Step {
        void take() throws IOException;
    }
}
