package io.faultline.agent.metrics;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.microhttp.EventLoop;
import org.microhttp.Handler;
import org.microhttp.Header;
import org.microhttp.Options;
import org.microhttp.OptionsBuilder;
import org.microhttp.Request;
import org.microhttp.Response;

/**
 * Serves {@code /metrics} in the Prometheus text format, on two threads. Not with the JDK's HTTP server, since that one initialises {@code java.util.logging} before the
 * host does.
 */
public final class MetricsServer implements AutoCloseable {

    private static final String PLAIN = "text/plain; charset=utf-8";
    private static final String PROMETHEUS = "text/plain; version=0.0.4; charset=utf-8";
    private static final int MOST_REQUEST_BYTES = 16 << 10;

    private final EventLoop loop;

    private MetricsServer(EventLoop loop) {
        this.loop = loop;
    }

    /**
     * Binds and starts to serve.
     *
     * @param host the address to bind
     * @param port the port, 0 for any free one
     * @param page makes the page, on each request
     * @return the running server
     * @throws IOException if the address cannot be bound
     */
    public static MetricsServer open(String host, int port, Supplier<String> page) throws IOException {
        Options options = OptionsBuilder.newBuilder()
                .withHost(host)
                .withPort(port)
                .withReuseAddr(true)
                .withConcurrency(1)
                .withRequestTimeout(Duration.ofSeconds(10))
                .withMaxRequestSize(MOST_REQUEST_BYTES)
                .build();
        EventLoop loop = new EventLoop(options, new Pages(page));
        loop.start();
        return new MetricsServer(loop);
    }

    /**
     * The port that is bound.
     *
     * @return the port
     * @throws IOException if the server is closed
     */
    public int port() throws IOException {
        return loop.getPort();
    }

    /** Stops. Returns at once; the port is closed and the threads end soon after. */
    @Override
    public void close() {
        loop.stop();
    }

    /**
     * Waits for the threads to end, which need classes of ours until they have.
     *
     * @throws InterruptedException if the waiting thread is interrupted
     */
    public void awaitEnd() throws InterruptedException {
        loop.join();
    }

    private record Pages(Supplier<String> metrics) implements Handler {

        @Override
        public void handle(Request request, Consumer<Response> reply) {
            String path = request.uri().split("\\?", 2)[0];
            if (!request.method().equals("GET")) {
                reply.accept(text(405, "Method Not Allowed", PLAIN, "GET only\n"));
            } else if (path.equals("/metrics")) {
                reply.accept(page());
            } else {
                reply.accept(text(404, "Not Found", PLAIN, "see /metrics\n"));
            }
        }

        private Response page() {
            try {
                return text(200, "OK", PROMETHEUS, metrics.get());
            } catch (RuntimeException | Error failed) { // thrown on, it would end the server's loop for good
                return text(500, "Internal Server Error", PLAIN, failed + "\n");
            }
        }

        private static Response text(int status, String reason, String type, String body) {
            return new Response(
                    status, reason, List.of(new Header("Content-Type", type)), body.getBytes(StandardCharsets.UTF_8));
        }
    }
}
