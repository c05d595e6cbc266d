package io.faultline.client.network;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.concurrent.Executor;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult;
import javax.net.ssl.SSLEngineResult.HandshakeStatus;
import javax.net.ssl.SSLEngineResult.Status;
import javax.net.ssl.SSLHandshakeException;
import javax.net.ssl.SSLKeyException;
import javax.net.ssl.SSLPeerUnverifiedException;
import org.apache.kafka.common.errors.SslAuthenticationException;

/**
 * TLS over a socket. What the engine wants to have computed, which may run a trust manager of the user, runs elsewhere.
 *
 * <p>A peer that is not trusted, or does not trust us, is an {@link SslAuthenticationException}; an end of the stream, a reset or a
 * peer that speaks no TLS is an {@link IOException}, and may be another time.
 */
final class TlsTransport implements Transport {

    private static final ByteBuffer[] NOTHING = {ByteBuffer.allocate(0)};

    private final SocketChannel socket;
    private final SSLEngine engine;
    private final Executor tasks;
    private final Runnable onTaskDone;
    private ByteBuffer encryptedIn;
    private ByteBuffer encryptedOut;
    private ByteBuffer plainIn;
    private boolean begun;
    private boolean opened;
    private boolean ended;
    private volatile boolean taskRuns;

    /**
     * Prepares the handshake.
     *
     * @param tasks where the engine's tasks run
     * @param onTaskDone called there when {@link #open} or reading may go on
     */
    TlsTransport(SocketChannel socket, SSLEngine engine, Executor tasks, Runnable onTaskDone) {
        this.socket = socket;
        this.engine = engine;
        this.tasks = tasks;
        this.onTaskDone = onTaskDone;
        int packet = engine.getSession().getPacketBufferSize();
        encryptedIn = ByteBuffer.allocate(packet);
        encryptedOut = ByteBuffer.allocate(packet).flip();
        plainIn = ByteBuffer.allocate(engine.getSession().getApplicationBufferSize())
                .flip();
    }

    @Override
    public boolean open() throws IOException {
        try {
            if (!begun) {
                begun = true;
                engine.beginHandshake();
            }
            opened = opened || handshake();
            return opened && flush();
        } catch (SSLHandshakeException | SSLPeerUnverifiedException | SSLKeyException refused) {
            sayGoodbye(); // carries the alert that tells the peer why
            throw new SslAuthenticationException("SSL handshake failed: " + refused.getMessage(), refused);
        }
    }

    /** Goes on until the handshake is done or waits for the socket or a task. */
    private boolean handshake() throws IOException {
        while (!taskRuns) {
            HandshakeStatus status = engine.getHandshakeStatus();
            switch (status) {
                case NEED_WRAP -> {
                    if (!flush()) {
                        return false;
                    }
                    wrap(NOTHING);
                }
                case NEED_UNWRAP, NEED_UNWRAP_AGAIN -> {
                    if (!flush() || !unwrap()) {
                        return false;
                    }
                }
                case NEED_TASK -> runTask();
                case FINISHED, NOT_HANDSHAKING -> {
                    return true;
                }
                default -> throw new IOException("unexpected handshake status " + status);
            }
        }
        return false;
    }

    private void runTask() {
        Runnable task = engine.getDelegatedTask();
        if (task != null) {
            taskRuns = true;
            tasks.execute(() -> {
                try {
                    task.run();
                } finally {
                    taskRuns = false;
                    onTaskDone.run();
                }
            });
        }
    }

    /** Encrypts one record. */
    private void wrap(ByteBuffer[] from) throws IOException {
        encryptedOut.compact();
        SSLEngineResult result;
        try {
            result = engine.wrap(from, encryptedOut);
            while (result.getStatus() == Status.BUFFER_OVERFLOW) {
                encryptedOut = enlarged(encryptedOut, engine.getSession().getPacketBufferSize());
                result = engine.wrap(from, encryptedOut);
            }
        } finally {
            encryptedOut.flip();
        }
        if (result.getStatus() == Status.CLOSED) {
            flush();
            throw new EOFException("the peer has ended TLS");
        }
    }

    /** Decrypts one record into {@link #plainIn}; returns false if it has not arrived yet. */
    private boolean unwrap() throws IOException {
        plainIn.compact();
        try {
            while (true) {
                encryptedIn.flip();
                SSLEngineResult result;
                try {
                    result = engine.unwrap(encryptedIn, plainIn);
                } finally {
                    encryptedIn.compact();
                }
                switch (result.getStatus()) {
                    case OK -> {
                        return true;
                    }
                    case BUFFER_OVERFLOW ->
                        plainIn = enlarged(plainIn, engine.getSession().getApplicationBufferSize());
                    case BUFFER_UNDERFLOW -> {
                        if (!encryptedIn.hasRemaining()) {
                            encryptedIn =
                                    enlarged(encryptedIn, engine.getSession().getPacketBufferSize());
                        }
                        int read = socket.read(encryptedIn);
                        if (read == 0) {
                            return false;
                        }
                        if (read < 0) {
                            throw new EOFException("the peer ended the connection");
                        }
                    }
                    case CLOSED -> {
                        ended = true;
                        if (!opened) {
                            throw new EOFException("the peer ended TLS in its handshake");
                        }
                        return false;
                    }
                    default -> throw new IOException("unexpected status " + result.getStatus());
                }
            }
        } finally {
            plainIn.flip();
        }
    }

    private static ByteBuffer enlarged(ByteBuffer buffer, int more) {
        return ByteBuffer.allocate(buffer.capacity() + more).put(buffer.flip());
    }

    @Override
    public int read(ByteBuffer into) throws IOException {
        try {
            return decrypt(into);
        } catch (
                SSLHandshakeException
                        refused) { // with TLS 1.3 a server looks at our certificate when for us all is done
            throw new SslAuthenticationException("SSL handshake failed: " + refused.getMessage(), refused);
        }
    }

    private int decrypt(ByteBuffer into) throws IOException {
        int read = 0;
        while (into.hasRemaining()) {
            if (plainIn.hasRemaining()) {
                int count = Math.min(into.remaining(), plainIn.remaining());
                into.put(plainIn.slice(plainIn.position(), count));
                plainIn.position(plainIn.position() + count);
                read += count;
            } else if (ended) {
                return read > 0 ? read : -1;
            } else if (!handshake() || !unwrap()) { // a handshake: TLS 1.2 may renew, 1.3 renew keys
                break;
            }
        }
        return read > 0 || !ended ? read : -1;
    }

    @Override
    public void write(ByteBuffer[] from) throws IOException {
        while (Transport.haveRemaining(from) && flush()) {
            wrap(from);
        }
    }

    @Override
    public boolean flush() throws IOException {
        while (encryptedOut.hasRemaining()) {
            if (socket.write(encryptedOut) == 0) {
                return false;
            }
        }
        return true;
    }

    @Override
    public boolean isPlain() {
        return false;
    }

    @Override
    public boolean hasReadAhead() {
        return plainIn.hasRemaining();
    }

    @Override
    public void sayGoodbye() {
        try {
            engine.closeOutbound();
            if (flush()) {
                wrap(NOTHING);
                flush();
            }
        } catch (IOException ignored) {
            // The connection is on its way out as it is.
        }
    }
}
