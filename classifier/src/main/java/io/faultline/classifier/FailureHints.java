package io.faultline.classifier;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * The texts that this JVM gives to the errors worth telling apart. They come from the C library's {@code strerror} in the
 * language of the process, so they are learned by making each error once, not spelled out.
 *
 * @param mediaError the text of EIO, or null where it could not be learned
 * @param brokenPipe the text of EPIPE, or null
 * @param connectionReset the text of ECONNRESET, or null
 */
public record FailureHints(String mediaError, String brokenPipe, String connectionReset) {

    /** Knows no text: every hint is {@link Hint#NONE}. */
    public static final FailureHints NONE = new FailureHints(null, null, null);

    private static final int MOST_WRITES = 64;

    /**
     * Learns the texts: that of EIO from reading this process's own memory at address 0 through {@code /proc} (Linux), the
     * others from writing to a connection over the loopback interface that its other end has reset. Blocks for a few
     * milliseconds, never throws.
     *
     * @return what could be learned, never null
     */
    public static FailureHints learn() {
        String mediaError = null;
        try (FileChannel memory = FileChannel.open(Path.of("/proc/self/mem"), StandardOpenOption.READ)) {
            memory.read(ByteBuffer.allocate(1), 0);
        } catch (IOException learned) {
            mediaError = learned.getClass() == IOException.class ? learned.getMessage() : null;
        } catch (RuntimeException refused) { // a security manager; without the text there is no hint
        }
        String[] ofPeer = learnFromReset();
        return new FailureHints(mediaError, ofPeer[1], ofPeer[0]);
    }

    /**
     * Compares a failure with the learned texts.
     *
     * @param failure what a transfer threw, or null
     * @return what its text resembles, never null
     */
    public Hint of(Throwable failure) {
        String text = failure == null ? null : failure.getMessage();
        if (text == null) {
            return Hint.NONE;
        }
        if (text.equals(mediaError)) {
            return Hint.MEDIA_ERROR;
        }
        if (text.equals(brokenPipe)) {
            return Hint.BROKEN_PIPE;
        }
        return text.equals(connectionReset) ? Hint.CONNECTION_RESET : Hint.NONE;
    }

    /** The texts of the first and of the next write to a connection that was reset. */
    private static String[] learnFromReset() {
        String[] texts = new String[2];
        try (ServerSocketChannel server =
                ServerSocketChannel.open().bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))) {
            SocketChannel peer = SocketChannel.open(server.getLocalAddress());
            try (SocketChannel sender = server.accept()) {
                peer.setOption(StandardSocketOptions.SO_LINGER, 0);
                peer.close(); // lingering for 0 s sends a reset
                for (int write = 0; write < MOST_WRITES && texts[1] == null; write++) {
                    try {
                        sender.write(ByteBuffer.allocate(1));
                    } catch (IOException learned) {
                        texts[texts[0] == null ? 0 : 1] = learned.getMessage();
                    }
                }
            } finally {
                peer.close();
            }
        } catch (IOException | RuntimeException noLoopback) { // without the texts there are no hints
        }
        return texts;
    }
}
