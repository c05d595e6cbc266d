package io.faultline.agent.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import org.junit.jupiter.api.Test;

/** The page of the meters. What the pages for people show is in {@code StatusPageIT}, with a whole agent behind them. */
class MetricsServerTest {

    private static final String LOOPBACK = "127.0.0.1";

    private final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);

    @Test
    void thePageIsMadeForEachRequest() throws Exception {
        int[] made = new int[1];
        try (MetricsServer server = MetricsServer.open(LOOPBACK, 0, format -> "page " + ++made[0], null)) {
            assertThat(get(server, "/metrics", null).body()).isEqualTo("page 1");
            assertThat(get(server, "/metrics", null).body()).isEqualTo("page 2");
        }
    }

    @Test
    void withoutAWishTheFormatIsThatOfPrometheus() throws Exception {
        registry.counter("some.thing").increment();
        try (MetricsServer server = MetricsServer.open(LOOPBACK, 0, registry::scrape, null)) {
            HttpResponse<String> page = get(server, "/metrics", null);
            assertThat(page.headers().firstValue("content-type")).hasValue("text/plain; version=0.0.4; charset=utf-8");
            assertThat(page.body()).contains("some_thing_total 1.0").doesNotContain("# EOF");
        }
    }

    @Test
    void whoeverAcceptsOpenMetricsIsGivenThat() throws Exception {
        registry.counter("some.thing").increment();
        try (MetricsServer server = MetricsServer.open(LOOPBACK, 0, registry::scrape, null)) {
            HttpResponse<String> page =
                    get(server, "/metrics", "application/openmetrics-text;version=1.0.0,text/plain;q=0.5");
            assertThat(page.headers().firstValue("content-type"))
                    .hasValue("application/openmetrics-text; version=1.0.0; charset=utf-8");
            assertThat(page.body()).contains("# TYPE some_thing counter").endsWith("# EOF\n");
        }
    }

    @Test
    void aPageWithAQueryIsThePage() throws Exception {
        try (MetricsServer server = MetricsServer.open(LOOPBACK, 0, format -> "page", null)) {
            assertThat(get(server, "/metrics?name%5B%5D=x", null).body()).isEqualTo("page");
        }
    }

    @Test
    void whatIsNoPageIsNotFoundAndTheAnswerSaysWhatIs() throws Exception {
        try (MetricsServer server = MetricsServer.open(LOOPBACK, 0, format -> "page", null)) {
            for (String path : new String[] {"/favicon.ico", "/metrics/", "/../../etc/passwd", "/%2e%2e/x", "//"}) {
                HttpResponse<String> answer = get(server, path, null);
                assertThat(answer.statusCode()).as(path).isEqualTo(404);
                assertThat(answer.body()).contains("/metrics", "/status.json");
            }
        }
    }

    @Test
    void aPortInUseIsRefused() throws IOException {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getByName(LOOPBACK))) {
            assertThatIOException()
                    .isThrownBy(() -> MetricsServer.open(LOOPBACK, taken.getLocalPort(), format -> "", null));
        }
    }

    @Test
    void behindTheEndThePortIsClosed() throws Exception {
        MetricsServer server = MetricsServer.open(LOOPBACK, 0, format -> "page", null);
        int port = server.port();

        server.close();
        server.awaitEnd();

        assertThatIOException()
                .isThrownBy(() -> new Socket(LOOPBACK, port).close())
                .isInstanceOf(ConnectException.class);
    }

    private static HttpResponse<String> get(MetricsServer server, String path, String accept) throws Exception {
        HttpRequest.Builder request =
                HttpRequest.newBuilder(URI.create("http://" + LOOPBACK + ":" + server.port() + path));
        if (accept != null) {
            request.header("Accept", accept);
        }
        return HttpClient.newHttpClient().send(request.build(), HttpResponse.BodyHandlers.ofString());
    }
}
