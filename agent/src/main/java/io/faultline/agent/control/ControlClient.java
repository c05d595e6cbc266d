package io.faultline.agent.control;

import io.faultline.classifier.FaultlineThreads;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.StandardProtocolFamily;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Asks the agent in another process. */
public final class ControlClient {

    private static final int CHUNK = 4096;

    private ControlClient() {}

    /**
     * Sends a request and waits for the answer.
     *
     * @param pid the process
     * @param request one line
     * @param patience how long to wait for the answer
     * @return the answer
     * @throws IOException if no agent answers in that process
     */
    public static String ask(long pid, String request, Duration patience) throws IOException {
        FutureTask<String> answer = new FutureTask<>(() -> ask(pid, request));
        // A thread of its own, since a process that is stopped still lets us connect, and then does not answer.
        FaultlineThreads.start("ask", answer);
        try {
            return answer.get(patience.toNanos(), TimeUnit.NANOSECONDS);
        } catch (TimeoutException stopped) {
            throw new IOException("no answer within " + patience.toSeconds() + " s");
        } catch (ExecutionException failed) {
            throw failed.getCause() instanceof IOException refused ? refused : new IOException(failed.getCause());
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException();
        }
    }

    private static String ask(long pid, String request) throws IOException {
        try (SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX)) {
            channel.connect(ControlSocket.address(ControlSocket.of(pid)));
            ByteBuffer bytes = ByteBuffer.wrap((request + "\n").getBytes(StandardCharsets.UTF_8));
            while (bytes.hasRemaining()) {
                channel.write(bytes);
            }
            ByteArrayOutputStream answer = new ByteArrayOutputStream();
            ByteBuffer chunk = ByteBuffer.allocate(CHUNK);
            while (channel.read(chunk.clear()) >= 0) {
                answer.write(chunk.array(), 0, chunk.position());
            }
            return answer.toString(StandardCharsets.UTF_8).strip();
        }
    }
}
