package io.faultline.bench.operation;

import com.fasterxml.jackson.jr.ob.JSON;
import io.faultline.bench.host.FreePorts;
import io.faultline.bench.host.JvmProcess;
import io.faultline.bench.host.TemporaryFolder;
import java.io.IOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** A Prometheus, Debian's, that scrapes agents and evaluates rules. It goes, with all that it stored, when it is closed. */
final class PrometheusServer implements AutoCloseable {

    static final int INTERVAL_SECONDS = 2;

    private static final double MILLIS = 1e3;

    private final HttpClient http = HttpClient.newHttpClient();
    private final TemporaryFolder folder;
    private final JvmProcess process;
    private final String address;

    private PrometheusServer(TemporaryFolder folder, JvmProcess process, String address) {
        this.folder = folder;
        this.process = process;
        this.address = address;
    }

    static PrometheusServer scraping(Path rules, String... agents) throws IOException {
        TemporaryFolder folder = TemporaryFolder.named("faultline-prometheus");
        String address = "127.0.0.1:" + FreePorts.next();
        Path config = folder.path().resolve("prometheus.yml");
        String interval = INTERVAL_SECONDS + "s";
        Files.writeString(config, """
                global: {scrape_interval: %s, scrape_timeout: %s, evaluation_interval: %s}
                rule_files: ["%s"]
                scrape_configs:
                  - job_name: faultline
                    static_configs: [{targets: ["%s"]}]
                """.formatted(interval, interval, interval, rules, String.join("\", \"", agents)));
        JvmProcess process = JvmProcess.start(
                "prometheus",
                new ProcessBuilder(
                        "prometheus",
                        "--config.file=" + config,
                        "--storage.tsdb.path=" + folder.path().resolve("data"),
                        "--web.listen-address=" + address,
                        "--log.level=warn"),
                null);
        return new PrometheusServer(folder, process, address);
    }

    boolean isReady() throws IOException, InterruptedException {
        try {
            return get("/-/ready").statusCode() == 200;
        } catch (ConnectException notYet) {
            return false;
        }
    }

    /** The series that an expression has now. */
    List<Series> query(String expression) throws IOException, InterruptedException {
        return series("/api/v1/query?query=" + encoded(expression));
    }

    /** The series that an expression had at some time within the last minutes. */
    List<Series> queryRange(String expression, int minutes) throws IOException, InterruptedException {
        long now = System.currentTimeMillis() / 1_000;
        return series("/api/v1/query_range?query=" + encoded(expression) + "&start=" + (now - 60L * minutes) + "&end="
                + now + "&step=1");
    }

    /** The values of a label. */
    List<?> labelValues(String label, String selector) throws IOException, InterruptedException {
        return (List<?>) data("/api/v1/label/" + label + "/values?match%5B%5D=" + encoded(selector));
    }

    /** When the rules were evaluated last, in seconds since the epoch. */
    double lastEvaluation() throws IOException, InterruptedException {
        double last = Double.POSITIVE_INFINITY;
        for (Object group : (List<?>) ((Map<?, ?>) data("/api/v1/rules")).get("groups")) {
            Instant evaluated = OffsetDateTime.parse((String) ((Map<?, ?>) group).get("lastEvaluation"))
                    .toInstant();
            last = Math.min(last, evaluated.toEpochMilli() / MILLIS);
        }
        return last;
    }

    @Override
    public void close() throws IOException {
        process.close();
        folder.close();
    }

    /**
     * What an expression comes to.
     *
     * @param labels the labels
     * @param points one or several
     */
    record Series(Map<?, ?> labels, List<Point> points) {}

    /**
     * A value.
     *
     * @param at seconds since the epoch
     * @param value the value
     */
    record Point(double at, double value) {}

    private List<Series> series(String path) throws IOException, InterruptedException {
        List<Series> all = new ArrayList<>();
        for (Object each : (List<?>) ((Map<?, ?>) data(path)).get("result")) {
            Map<?, ?> result = (Map<?, ?>) each;
            List<Point> points = new ArrayList<>();
            List<?> values =
                    result.containsKey("value") ? List.of(result.get("value")) : (List<?>) result.get("values");
            for (Object value : values) {
                List<?> pair = (List<?>) value;
                points.add(new Point(((Number) pair.get(0)).doubleValue(), number((String) pair.get(1))));
            }
            all.add(new Series((Map<?, ?>) result.get("metric"), points));
        }
        return all;
    }

    private static double number(String text) {
        return text.endsWith("Inf")
                ? (text.startsWith("-") ? Double.NEGATIVE_INFINITY : Double.POSITIVE_INFINITY)
                : Double.parseDouble(text);
    }

    private Object data(String path) throws IOException, InterruptedException {
        HttpResponse<String> response = get(path);
        if (response.statusCode() != 200) {
            throw new IOException(path + ": " + response.body());
        }
        return JSON.std.mapFrom(response.body()).get("data");
    }

    private HttpResponse<String> get(String path) throws IOException, InterruptedException {
        HttpRequest request =
                HttpRequest.newBuilder(URI.create("http://" + address + path)).build();
        return http.send(request, HttpResponse.BodyHandlers.ofString());
    }

    private static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }
}
