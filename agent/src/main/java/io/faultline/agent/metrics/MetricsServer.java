package io.faultline.agent.metrics;

import io.faultline.agent.http.HttpServer;
import io.faultline.agent.http.Page;
import io.faultline.agent.http.Request;
import io.faultline.agent.http.Response;
import io.faultline.agent.http.Status;
import io.faultline.agent.status.CurrentStatus;
import io.faultline.agent.status.StatusJson;
import io.faultline.agent.status.StatusPage;
import io.prometheus.metrics.expositionformats.OpenMetricsTextFormatWriter;
import io.prometheus.metrics.expositionformats.PrometheusTextFormatWriter;
import java.io.IOException;
import java.util.Map;
import java.util.function.UnaryOperator;

/**
 * What the agent shows over HTTP: its meters, its status for people and for programs, and whether it is alive and ready. It can be read only; nothing can be changed through it.
 */
public final class MetricsServer implements AutoCloseable {

    private static final String HTML = "text/html; charset=utf-8";
    private static final String JSON = "application/json";
    private static final String OPEN_METRICS = "application/openmetrics-text";

    private final HttpServer server;

    private MetricsServer(HttpServer server) {
        this.server = server;
    }

    /**
     * Binds and starts to serve.
     *
     * @param host the address to bind
     * @param port the port, 0 for any free one
     * @param meters makes the page of all meters in the format of a content type
     * @param status what the status page shows
     * @return the running server
     * @throws IOException if the address cannot be bound
     */
    public static MetricsServer open(String host, int port, UnaryOperator<String> meters, CurrentStatus status)
            throws IOException {
        Map<String, Page> pages = Map.of(
                "/", request -> Response.page(HTML, StatusPage.of(status.look())),
                "/status.json", request -> Response.page(JSON, StatusJson.of(status.look())),
                "/metrics", request -> meters(request, meters),
                // As a liveness probe: a broker whose disk failed serves on from the others, and must not be killed for
                // it.
                "/health", request -> Response.line(Status.OK, "ok"),
                "/ready",
                        request -> status.isReady()
                                ? Response.line(Status.OK, "woven")
                                : Response.line(Status.UNAVAILABLE, "not woven"));
        Page nowhere =
                request -> Response.line(Status.NOT_FOUND, "here are /, /status.json, /metrics, /health and /ready");
        return new MetricsServer(HttpServer.open(
                host,
                port,
                request -> pages.getOrDefault(request.path(), nowhere).answer(request)));
    }

    /**
     * The port that is bound.
     *
     * @return the port
     */
    public int port() {
        return server.port();
    }

    /** Stops. Returns at once; the port is closed and the thread ends soon after. */
    @Override
    public void close() {
        server.close();
    }

    /**
     * Waits for the thread to end, which needs classes of ours until it has.
     *
     * @throws InterruptedException if the waiting thread is interrupted
     */
    public void awaitEnd() throws InterruptedException {
        server.awaitEnd();
    }

    private static Response meters(Request request, UnaryOperator<String> meters) {
        String format = request.accept().contains(OPEN_METRICS)
                ? OpenMetricsTextFormatWriter.CONTENT_TYPE
                : PrometheusTextFormatWriter.CONTENT_TYPE;
        return Response.page(format, meters.apply(format));
    }
}
