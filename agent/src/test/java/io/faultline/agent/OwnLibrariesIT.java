package io.faultline.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.sun.net.httpserver.HttpServer;
import io.faultline.agent.host.Content;
import io.opentelemetry.proto.collector.metrics.v1.ExportMetricsServiceRequest;
import io.opentelemetry.proto.metrics.v1.Metric;
import io.opentelemetry.proto.metrics.v1.NumberDataPoint;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The ways out that are loaded only where they are wanted: OTLP, and the host's own logging. */
class OwnLibrariesIT {

    private static final int SIZE = 64 << 10;

    @TempDir
    private Path folder;

    @Test
    void metricsArriveOverOtlpAndNothingIsPrinted() throws IOException {
        Path file = Content.write(folder.resolve("segment"), SIZE);
        List<ExportMetricsServiceRequest> received = new CopyOnWriteArrayList<>();
        HttpServer collector = collector(received);
        String url = "http://127.0.0.1:" + collector.getAddress().getPort() + "/v1/metrics";
        try (HostJvm host = HostJvm.withAgent("otlp.url=" + url
                + ",otlp.interval=1s,otlp.resource=service.name:test;node:7,otlp.headers=token:abc")) {
            host.transfer("reset", file, 0, SIZE);

            await().atMost(HostJvm.PATIENCE).untilAsserted(() -> {
                assertThat(received).isNotEmpty();
                assertThat(sums(received.get(received.size() - 1), "faultline.failures"))
                        .satisfies(sums -> assertThat(sums.values().stream()
                                        .mapToDouble(Double::doubleValue)
                                        .sum())
                                .isEqualTo(1.0));
            });

            assertThat(received.get(0).getResourceMetrics(0).getResource().getAttributesList().stream()
                            .map(each -> each.getKey() + "=" + each.getValue().getStringValue()))
                    .contains("service.name=test", "node=7");
            assertThat(host.status()).containsEntry("errors", "0").containsEntry("option.otlp.headers", "***");
            assertThat(host.errorLines()).hasSize(1);
        } finally {
            collector.stop(0);
        }
    }

    @Test
    void aCollectorThatIsNotThereIsSaidOnceAndCounted() throws IOException {
        HttpServer nobody = collector(new CopyOnWriteArrayList<>());
        nobody.stop(0);
        String url = "http://127.0.0.1:" + nobody.getAddress().getPort() + "/";
        try (HostJvm host = HostJvm.withAgent("otlp.interval=1s,otlp.url=" + url)) {
            await().atMost(HostJvm.PATIENCE)
                    .untilAsserted(() -> assertThat(host.count("errors.otlp")).isGreaterThan(1));

            assertThat(host.errorLines().stream().filter(line -> line.contains("otlp.url=" + url)))
                    .hasSize(1);
        }
    }

    @Test
    void linesGoToTheHostsSlf4jOnceTheHostHasInitialisedIt() {
        try (HostJvm host = HostJvm.with()
                .classPath(HostJar.slf4jSimple())
                .agent("log=slf4j")
                .start()
                .awaitAgent()) {
            assertThat(host.errorLines()).as("the host has not logged yet").isEmpty();

            assertThat(host.ask("slf4j", "the host's own")).isEqualTo("org.slf4j.simple.SimpleLoggerFactory");

            host.awaitErrorLine(line -> line.contains("INFO io.faultline - ") && line.contains("mode act, woven"));
        }
    }

    @Test
    void linesAreNotLostWhereTheHostEndsBeforeItLogs() {
        try (HostJvm host = HostJvm.with()
                .classPath(HostJar.slf4jSimple())
                .agent("log=slf4j")
                .start()
                .awaitAgent()) {
            host.control("detach");

            host.awaitErrorLine(line -> line.contains("Faultline: ") && line.contains("mode act, woven"));
        }
    }

    private static HttpServer collector(List<ExportMetricsServiceRequest> received) throws IOException {
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", exchange -> {
            try (InputStream body = exchange.getRequestBody()) {
                boolean gzip = "gzip".equals(exchange.getRequestHeaders().getFirst("Content-Encoding"));
                received.add(ExportMetricsServiceRequest.parseFrom(gzip ? new GZIPInputStream(body) : body));
            } catch (IOException malformed) {
                throw new UncheckedIOException(malformed);
            }
            boolean known = "abc".equals(exchange.getRequestHeaders().getFirst("token"));
            exchange.sendResponseHeaders(known ? 200 : 401, -1);
            exchange.close();
        });
        server.start();
        return server;
    }

    private static Map<String, Double> sums(ExportMetricsServiceRequest request, String name) {
        return request.getResourceMetrics(0).getScopeMetricsList().stream()
                .flatMap(scope -> scope.getMetricsList().stream())
                .filter(metric -> metric.getName().equals(name))
                .map(Metric::getSum)
                .flatMap(sum -> sum.getDataPointsList().stream())
                .collect(Collectors.toMap(point -> point.getAttributesList().toString(), NumberDataPoint::getAsDouble));
    }
}
