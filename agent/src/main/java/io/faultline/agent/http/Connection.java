package io.faultline.agent.http;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.Arrays;

/**
 * One client: its request is read, answered, and the connection closed, all before a deadline. Used by the server's thread only.
 *
 * <p>Behind the answer it reads on for a moment and throws away what comes: a connection that is closed with bytes unread is reset, and the client may lose the
 * answer.
 */
final class Connection {

    static final int LONGEST_HEAD = 8 << 10;

    private static final long TO_HANG_UP_NANOS = 1_000_000_000L;

    private enum State {
        READING,
        WRITING,
        HANGING_UP
    }

    private final SocketChannel client;
    private final SelectionKey key;
    private State state = State.READING;
    private long deadline;
    private byte[] head = new byte[512];
    private int length;
    private ByteBuffer answer;

    /**
     * Begins to read.
     *
     * @param client an accepted connection
     * @param selector the server's
     * @param deadline until when it has to be over, as {@link System#nanoTime}
     */
    Connection(SocketChannel client, Selector selector, long deadline) throws IOException {
        client.configureBlocking(false);
        this.client = client;
        this.key = client.register(selector, SelectionKey.OP_READ, this);
        this.deadline = deadline;
    }

    boolean isOpen() {
        return client.isOpen();
    }

    boolean isOverdue(long now) {
        return now - deadline > 0;
    }

    /** Bytes of the answer that are kept in memory for this client. */
    int unsent() {
        return answer == null ? 0 : answer.capacity();
    }

    /** Goes on as far as it can without waiting. */
    void proceed(ByteBuffer buffer, Page pages) throws IOException {
        if (state == State.READING) {
            read(buffer, pages);
        }
        if (state == State.WRITING) {
            write();
        }
        if (state == State.HANGING_UP) {
            hangUp(buffer);
        }
    }

    void close() {
        answer = null;
        try {
            client.close();
        } catch (IOException ignored) { // it is gone either way
        }
    }

    private void read(ByteBuffer buffer, Page pages) throws IOException {
        int read = client.read(buffer.clear());
        if (read < 0) {
            close();
            return;
        }
        buffer.flip();
        int before = length;
        int taken = Math.min(read, LONGEST_HEAD - length);
        if (length + taken > head.length) {
            head = Arrays.copyOf(head, Math.max(length + taken, Math.min(LONGEST_HEAD, head.length * 2)));
        }
        buffer.get(head, length, taken);
        length += taken;
        int end = endOfHead(Math.max(0, before - 3));
        if (end >= 0) {
            Request request = Request.parse(Arrays.copyOf(head, end));
            answer = answer(request, pages).bytes(request != null && request.isHead());
        } else if (length == LONGEST_HEAD) {
            answer = Response.line(Status.TOO_LARGE, "at most " + LONGEST_HEAD + " bytes")
                    .bytes(false);
        } else {
            return;
        }
        head = null;
        state = State.WRITING;
    }

    /** Where the empty line begins, or -1 where it has not come yet. */
    private int endOfHead(int from) {
        for (int i = from; i + 1 < length; i++) {
            if (head[i] == '\n'
                    && (head[i + 1] == '\n' || i + 2 < length && head[i + 1] == '\r' && head[i + 2] == '\n')) {
                return i + 1;
            }
        }
        return -1;
    }

    private static Response answer(Request request, Page pages) {
        if (request == null) {
            return Response.line(Status.BAD_REQUEST, "no HTTP/1 request");
        }
        if (!request.isRead()) {
            return Response.line(Status.METHOD_NOT_ALLOWED, "GET only");
        }
        try {
            return pages.answer(request);
        } catch (RuntimeException | Error failed) { // the next request may well be served
            return Response.line(Status.FAILED, failed.toString());
        }
    }

    private void write() throws IOException {
        client.write(answer);
        if (answer.hasRemaining()) {
            key.interestOps(SelectionKey.OP_WRITE);
            return;
        }
        answer = null;
        client.shutdownOutput();
        key.interestOps(SelectionKey.OP_READ);
        long soon = System.nanoTime() + TO_HANG_UP_NANOS;
        deadline = isOverdue(soon) ? deadline : soon;
        state = State.HANGING_UP;
    }

    private void hangUp(ByteBuffer buffer) throws IOException {
        if (client.read(buffer.clear()) < 0) {
            close();
        }
    }
}
