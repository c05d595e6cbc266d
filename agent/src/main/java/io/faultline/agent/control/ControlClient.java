package io.faultline.agent.control;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;

/** Asks the agent in another process. */
public final class ControlClient {

    private static final int CHUNK = 4096;

    private ControlClient() {}

    /**
     * Sends a request and waits for the answer.
     *
     * @param pid the process
     * @param request one line
     * @return the answer
     * @throws IOException if no agent answers in that process
     */
    public static String ask(long pid, String request) throws IOException {
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
