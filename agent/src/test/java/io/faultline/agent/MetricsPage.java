package io.faultline.agent;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
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

    /** Reads a page as it is sent, head and all. */
    static String get(int port, String path) {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            String request = "GET " + path + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
            socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    /** The samples of the page, by name and labels. */
    static Map<String, Double> samples(int port) {
        return get(port, "/metrics")
                .lines()
                .filter(line -> line.startsWith("faultline_"))
                .collect(Collectors.toMap(
                        line -> line.substring(0, line.lastIndexOf(' ')),
                        line -> Double.valueOf(line.substring(line.lastIndexOf(' ') + 1))));
    }
}
