package io.faultline.bench.broker;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.opentelemetry.proto.collector.metrics.v1.ExportMetricsServiceRequest;
import io.opentelemetry.proto.common.v1.KeyValue;
import io.opentelemetry.proto.metrics.v1.Metric;
import io.opentelemetry.proto.metrics.v1.NumberDataPoint;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;

/** Takes metrics over OTLP and keeps the latest of them. */
final class OtlpCollector implements AutoCloseable {

    private final HttpServer server;
    private volatile ExportMetricsServiceRequest latest = ExportMetricsServiceRequest.getDefaultInstance();

    OtlpCollector() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/v1/metrics", this::receive);
        server.start();
    }

    String url() {
        return "http://127.0.0.1:" + server.getAddress().getPort() + "/v1/metrics";
    }

    private void receive(HttpExchange exchange) throws IOException {
        try (InputStream body = exchange.getRequestBody()) {
            boolean gzip = "gzip".equals(exchange.getRequestHeaders().getFirst("Content-Encoding"));
            latest = ExportMetricsServiceRequest.parseFrom(gzip ? new GZIPInputStream(body) : body);
        }
        exchange.sendResponseHeaders(200, -1);
        exchange.close();
    }

    /** The latest value of a metric with these attributes. */
    Optional<Double> value(String name, Map<String, String> attributes) {
        return latest.getResourceMetricsList().stream()
                .flatMap(resource -> resource.getScopeMetricsList().stream())
                .flatMap(scope -> scope.getMetricsList().stream())
                .filter(metric -> metric.getName().equals(name))
                .flatMap(OtlpCollector::points)
                .filter(point -> attributes(point.getAttributesList()).equals(attributes))
                .map(NumberDataPoint::getAsDouble)
                .findFirst();
    }

    private static Stream<NumberDataPoint> points(Metric metric) {
        return Stream.concat(
                metric.getSum().getDataPointsList().stream(), metric.getGauge().getDataPointsList().stream());
    }

    private static Map<String, String> attributes(List<KeyValue> attributes) {
        return attributes.stream()
                .collect(Collectors.toMap(
                        KeyValue::getKey, attribute -> attribute.getValue().getStringValue()));
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
