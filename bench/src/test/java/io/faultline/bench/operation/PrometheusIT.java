package io.faultline.bench.operation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.faultline.bench.Layout;
import io.faultline.bench.operation.PrometheusServer.Point;
import io.faultline.bench.operation.PrometheusServer.Series;
import io.faultline.disk.NeedsFailingDisk;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A real Prometheus with our alert rules, while a hundred thousand clients of one server go and then the disk of a broker fails; and what Grafana would ask it. One story, so its tests have an
 * order.
 */
@NeedsFailingDisk
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
@Timeout(value = 4, unit = TimeUnit.MINUTES)
class PrometheusIT {

    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final int STORM = 100_000;
    private static final int MINUTES = 10;

    @TempDir
    private static Path folder;

    private static WatchedBroker broker;
    private static StormyServer stormy;
    private static PrometheusServer prometheus;

    @BeforeAll
    static void start() throws Exception {
        Tools.need("prometheus", "prometheus");
        broker = WatchedBroker.start(folder, "act");
        stormy = StormyServer.start(Files.createDirectory(folder.resolve("stormy")));
        prometheus = PrometheusServer.scraping(
                operations("prometheus/faultline-alerts.yml"), broker.address(), stormy.address());
        await().atMost(PATIENCE)
                .until(() -> prometheus.isReady()
                        && prometheus.query("faultline_directory_offline == 0").size() == 6);
    }

    @AfterAll
    static void end() throws Exception {
        if (prometheus != null) {
            prometheus.close();
        }
        if (stormy != null) {
            stormy.close();
        }
        if (broker != null) {
            broker.close();
        }
    }

    @Test
    @Order(1)
    void aStormOfClientsThatGoFiresNothing() throws Exception {
        stormy.lose(STORM);

        String failures = "sum(faultline_failures_total{instance=\"" + stormy.address() + "\"})";
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(valueOf(failures)).isEqualTo(STORM));
        double counted = prometheus.query(failures).get(0).points().get(0).at();
        await("the rules are evaluated behind that")
                .atMost(PATIENCE)
                .until(() -> prometheus.lastEvaluation() > counted);
        assertThat(prometheus.queryRange("ALERTS{alertstate=\"firing\"}", MINUTES))
                .isEmpty();
    }

    @Test
    @Order(2)
    void aDiskThatFailsPagesWithinTwoScrapes() throws Exception {
        broker.failDisk();

        await().atMost(PATIENCE).until(() -> !firing("page").isEmpty());

        assertThat(firing("page")).singleElement().satisfies(alert -> {
            assertThat(alert.labels().get("alertname")).isEqualTo("FaultlineDirectoryOffline");
            assertThat(alert.labels().get("instance")).isEqualTo(broker.address());
            assertThat(alert.labels().get("dir"))
                    .isEqualTo(broker.failingDirectory().toString());
            assertThat(alert.labels().get("by")).isEqualTo("faultline");
        });
        assertThat(firing("ticket")).isEmpty();
        double fired = firing("page").get(0).points().get(0).at();
        List<Point> scraped = prometheus
                .query("faultline_directory_offline{by=\"faultline\",dir=\"" + broker.failingDirectory() + "\"}[10m]")
                .get(0)
                .points();
        assertThat(scraped)
                .filteredOn(point -> point.value() == 1 && point.at() <= fired)
                .as("scrapes that showed it before it fired")
                .hasSizeBetween(1, 2);
    }

    @Test
    @Order(3)
    void everyQueryOfTheDashboardHasAnAnswer() throws Exception {
        Dashboard dashboard = Dashboard.read(operations("grafana/faultline-dashboard.json"));

        assertThat(dashboard.queries()).hasSizeGreaterThan(20);
        for (String query : dashboard.queries()) {
            assertThat(prometheus.queryRange(query, MINUTES)).as(query).isNotEmpty();
        }
        assertThat(dashboard.variables()).hasSize(2);
        for (Dashboard.Variable variable : dashboard.variables()) {
            assertThat(prometheus.labelValues(variable.label(), variable.selector()))
                    .as(variable.toString())
                    .isNotEmpty();
        }
    }

    private static List<Series> firing(String severity) throws Exception {
        return prometheus.queryRange("ALERTS{alertstate=\"firing\",severity=\"" + severity + "\"}", MINUTES);
    }

    private static double valueOf(String expression) throws Exception {
        List<Series> series = prometheus.query(expression);
        return series.isEmpty() ? Double.NaN : series.get(0).points().get(0).value();
    }

    private static Path operations(String file) {
        return Layout.ofThisBuild().root().resolve("agent/src/main/operations").resolve(file);
    }
}
