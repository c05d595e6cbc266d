package io.faultline.bench.operation;

import static org.assertj.core.api.Assertions.assertThat;

import io.faultline.bench.Layout;
import io.faultline.bench.host.JvmProcess;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The archive that operators are given, unpacked elsewhere: what is in it, and that it runs. */
@Timeout(value = 4, unit = TimeUnit.MINUTES)
class ReleaseArchiveIT {

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @TempDir
    private static Path folder;

    private static Path release;

    @BeforeAll
    static void unpack() throws Exception {
        run("tar", "-xzf", System.getProperty("faultline.release.archive"), "-C", folder.toString());
        try (Stream<Path> unpacked = Files.list(folder)) {
            release = unpacked.findFirst().orElseThrow();
        }
    }

    @Test
    void everythingThatAnOperatorNeedsIsInIt() {
        assertThat(release.getFileName().toString()).startsWith("faultline-");
        assertThat(List.of(
                        "faultline-agent.jar",
                        "faultline-broker.jar",
                        release.getFileName().toString().replace("faultline-", "faultline-client-sample-") + ".jar",
                        "LICENSE",
                        "README.md",
                        "docs/runbook.md",
                        "grafana/faultline-dashboard.json",
                        "prometheus/faultline-alerts.yml",
                        "systemd/faultline.conf",
                        "systemd/faultline.properties",
                        "systemd/faultline-broker.service",
                        "strimzi/Dockerfile",
                        "strimzi/kafka.yaml"))
                .allSatisfy(file -> assertThat(release.resolve(file)).isNotEmptyFile());
    }

    @Test
    void theLicencesOfWhatIsBundledAreInIt() throws IOException {
        assertThat(release.resolve("licenses/agent/NOTICE")).content().contains("Byte Buddy", "Micrometer", "picocli");
        assertThat(release.resolve("licenses/broker/NOTICE")).content().contains("Apache Kafka", "zstd-jni", "Snappy");
        for (String library : List.of("agent/byte-buddy-jar", "broker/kafka-clients-jar", "broker/slf4j-api-jar")) {
            try (Stream<Path> files = Files.walk(release.resolve("licenses").resolve(library))) {
                assertThat(files.filter(Files::isRegularFile)).as(library).isNotEmpty();
            }
        }
    }

    @Test
    void theBrokerRunsWithTheAgentAndItsExampleConfigurationAndTellsItsStatus() throws Exception {
        Path data = Files.createDirectory(folder.resolve("data"));
        Path agent = release.resolve("faultline-agent.jar");
        ProcessBuilder builder = new ProcessBuilder(
                java(),
                "-javaagent:" + agent + "=config=" + release.resolve("systemd/faultline.properties")
                        + ",metrics.port=0",
                "-jar",
                release.resolve("faultline-broker.jar").toString(),
                "--listeners=PLAINTEXT://127.0.0.1:0",
                "--log.dirs=" + data);
        try (JvmProcess broker = JvmProcess.start("the broker", builder, null)) {
            broker.awaitLine("faultline-broker ready: ", PATIENCE);
            String page = broker.awaitLine("metrics on http://", PATIENCE);

            String status = run(java(), "-jar", agent.toString(), "status", Long.toString(broker.pid()));
            String metrics = get(page.substring(page.indexOf("http://")).strip());

            assertThat(status).contains("mode=observe");
            assertThat(metrics).contains("faultline_mode{mode=\"observe\"} 1.0");
            assertThat(broker.log()).noneMatch(line -> line.contains("accepted is") || line.contains("unknown key"));
        }
    }

    private static String java() {
        return Layout.ofThisBuild().java().toString();
    }

    private static String get(String url) throws IOException, InterruptedException {
        return HttpClient.newHttpClient()
                .send(HttpRequest.newBuilder(URI.create(url)).build(), HttpResponse.BodyHandlers.ofString())
                .body();
    }

    private static String run(String... command) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(output).isZero();
        return output;
    }
}
