package io.faultline.agent;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.Map;
import java.util.stream.Collectors;

/** What an agent shows to Prometheus. */
final class MetricsPage {

    private MetricsPage() {}

    static boolean answers(int port) {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            return socket.isConnected();
        } catch (ConnectException closed) {
            return false;
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    /** Asks for a page. */
    static HttpResponse<String> get(int port, String path) {
        URI page = URI.create("http://127.0.0.1:" + port + path);
        try {
            return HttpClient.newHttpClient()
                    .send(HttpRequest.newBuilder(page).build(), HttpResponse.BodyHandlers.ofString());
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(stop);
        }
    }

    /** The samples of the page, by name and labels. */
    static Map<String, Double> samples(int port) {
        return get(port, "/metrics")
                .body()
                .lines()
                .filter(line -> line.startsWith("faultline_"))
                .collect(Collectors.toMap(
                        line -> line.substring(0, line.lastIndexOf(' ')),
                        line -> Double.valueOf(line.substring(line.lastIndexOf(' ') + 1))));
    }
}
