package io.faultline.bench.broker;

import io.faultline.bench.host.JvmProcess;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/**
 * When a broker that starts answered its first request, which an impatient client sends.
 *
 * @param millis since its process was started
 * @param cpuMillis the processor time that it took for that: on a busy machine the better figure
 */
public record FirstAnswer(long millis, long cpuMillis) {

    private static final Duration BETWEEN_ATTEMPTS = Duration.ofMillis(2);
    private static final Duration PATIENCE = Duration.ofSeconds(180);
    private static final int API_VERSIONS = 18;
    /** A request with no client id, behind its length: key, version, correlation and the length of the id. */
    private static final byte[] REQUEST = ByteBuffer.allocate(14)
            .putInt(10)
            .putShort((short) API_VERSIONS)
            .putShort((short) 0)
            .putInt(1)
            .putShort((short) -1)
            .array();

    /**
     * Asks until it is answered.
     *
     * @param broker the broker, which listens on the loopback
     * @param port where it is to listen
     * @param began when its process was started, of {@link System#nanoTime}
     * @return when it answered
     * @throws IOException if it ends, or does not answer in three minutes
     */
    public static FirstAnswer await(JvmProcess broker, int port, long began) throws IOException {
        while (!isAnswered(port)) {
            if (!broker.isAlive() || System.nanoTime() - began > PATIENCE.toNanos()) {
                throw new IOException("no answer from the broker, which printed:\n" + broker.tail());
            }
            LockSupport.parkNanos(BETWEEN_ATTEMPTS.toNanos());
        }
        long millis = Duration.ofNanos(System.nanoTime() - began).toMillis();
        Duration cpu = ProcessHandle.of(broker.pid())
                .flatMap(process -> process.info().totalCpuDuration())
                .orElse(Duration.ZERO);
        return new FirstAnswer(millis, cpu.toMillis());
    }

    private static boolean isAnswered(int port) {
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
            socket.setSoTimeout((int) PATIENCE.toMillis());
            OutputStream out = socket.getOutputStream();
            out.write(REQUEST);
            out.flush();
            DataInputStream in = new DataInputStream(socket.getInputStream());
            in.readNBytes(in.readInt());
            return true;
        } catch (IOException notYet) {
            return false;
        }
    }
}
