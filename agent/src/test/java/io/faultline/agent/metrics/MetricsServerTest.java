package io.faultline.agent.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

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

class MetricsServerTest {

    private static final String LOOPBACK = "127.0.0.1";

    @Test
    void thePageIsMadeForEachRequest() throws Exception {
        int[] made = new int[1];
        try (MetricsServer server = MetricsServer.open(LOOPBACK, 0, () -> "page " + ++made[0])) {
            assertThat(get(server, "/metrics").body()).isEqualTo("page 1");
            assertThat(get(server, "/metrics").body()).isEqualTo("page 2");
            assertThat(get(server, "/metrics").headers().firstValue("content-type"))
                    .hasValue("text/plain; version=0.0.4; charset=utf-8");
        }
    }

    @Test
    void whatIsNotThePageIsRefused() throws Exception {
        try (MetricsServer server = MetricsServer.open(LOOPBACK, 0, () -> "page")) {
            assertThat(get(server, "/").statusCode()).isEqualTo(404);
            HttpResponse<String> posted = HttpClient.newHttpClient()
                    .send(
                            request(server, "/metrics")
                                    .POST(HttpRequest.BodyPublishers.noBody())
                                    .build(),
                            HttpResponse.BodyHandlers.ofString());
            assertThat(posted.statusCode()).isEqualTo(405);
        }
    }

    @Test
    void aPageWithAQueryIsThePage() throws Exception {
        try (MetricsServer server = MetricsServer.open(LOOPBACK, 0, () -> "page")) {
            assertThat(get(server, "/metrics?name[]=x").body()).isEqualTo("page");
        }
    }

    @Test
    void aPageThatCannotBeMadeIsAnErrorAndTheNextRequestIsServed() throws Exception {
        boolean[] fails = {true};
        try (MetricsServer server = MetricsServer.open(LOOPBACK, 0, () -> {
            if (fails[0]) {
                throw new IllegalStateException("no page");
            }
            return "page";
        })) {
            assertThat(get(server, "/metrics").statusCode()).isEqualTo(500);
            fails[0] = false;
            assertThat(get(server, "/metrics").body()).isEqualTo("page");
        }
    }

    @Test
    void aPortInUseIsRefused() throws IOException {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getByName(LOOPBACK))) {
            assertThatIOException().isThrownBy(() -> MetricsServer.open(LOOPBACK, taken.getLocalPort(), () -> ""));
        }
    }

    @Test
    void behindTheEndThePortIsClosed() throws Exception {
        MetricsServer server = MetricsServer.open(LOOPBACK, 0, () -> "page");
        int port = server.port();

        server.close();
        server.awaitEnd();

        assertThatIOException()
                .isThrownBy(() -> new Socket(LOOPBACK, port).close())
                .isInstanceOf(ConnectException.class);
    }

    private static HttpResponse<String> get(MetricsServer server, String path) throws Exception {
        return HttpClient.newHttpClient().send(request(server, path).build(), HttpResponse.BodyHandlers.ofString());
    }

    private static HttpRequest.Builder request(MetricsServer server, String path) throws IOException {
        URI page = URI.create("http://" + LOOPBACK + ":" + server.port() + path.replace("[]", "%5B%5D"));
        return HttpRequest.newBuilder(page);
    }
}
