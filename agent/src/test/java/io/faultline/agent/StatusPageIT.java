package io.faultline.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.jr.ob.JSON;
import io.faultline.agent.host.Content;
import io.faultline.disk.FailingDisk;
import io.faultline.disk.NeedsFailingDisk;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The pages beside the metrics, with a whole agent behind them. What a browser makes of them is tested with the bundled broker. */
class StatusPageIT {

    private static final int SIZE = 64 << 10;
    private static final int BAD = 16 << 10;

    @TempDir
    private Path folder;

    private HostJvm host;
    private int port;

    @AfterEach
    void end() {
        host.close();
    }

    @Test
    void beforeAnythingFailsThePageSaysSo() {
        start("mode=act");
        host.ask("own", folder);
        awaitDirectory(folder, "online");

        assertThat(page("/").body())
                .contains("<h1>No disk failure seen</h1>", "The log directory is online.", folder.toString())
                .contains("No transfer has failed since the agent was attached.");
        assertThat(page("/").headers().firstValue("content-type")).hasValue("text/html; charset=utf-8");
        assertThat(json())
                .containsEntry("level", "fine")
                .containsEntry("mode", "act")
                .containsEntry("ready", true);
        assertThat(json().get("pid")).isEqualTo(Math.toIntExact(host.pid()));
    }

    @Test
    @NeedsFailingDisk
    void aDiskThatFailsIsTheHeadlineWithDeviceFileAndPosition(FailingDisk disk) throws IOException {
        start("mode=act");
        Path file = fail(disk);
        awaitDirectory(disk.directory(), "offline");

        Map<String, Object> status = json();
        Map<String, Object> directory = directory(status, disk.directory());
        assertThat(status).containsEntry("level", "alarm").containsEntry("headline", "1 of 1 log directory is offline");
        assertThat(directory)
                .containsEntry("offline_by", "faultline")
                .containsEntry("owner", "host")
                .containsEntry("file_system", "btrfs")
                .containsEntry("disk_verdicts", 1);
        assertThat((String) directory.get("device")).startsWith("/dev/loop");
        assertThat(failures(status)).hasSize(1);
        assertThat(failures(status).get(0))
                .containsEntry("verdict", "disk")
                .containsEntry("reason", "read_failed")
                .containsEntry("action", "fed")
                .containsEntry("file", file.toString())
                .containsEntry("unreadable_at", BAD)
                .containsEntry("failure", "Input/output error");
        assertThat(page("/").body())
                .contains(
                        "<h1>1 of 1 log directory is offline</h1>",
                        "was taken offline by Faultline: segment is unreadable at " + BAD,
                        "Runbook: FaultlineDirectoryOffline");
        assertThat(page("/health").statusCode())
                .as("as a liveness probe it must not kill the broker")
                .isEqualTo(200);
        assertThat(page("/ready").statusCode()).isEqualTo(200);
    }

    @Test
    @NeedsFailingDisk
    void aDiskThatFailsWhileOnlyObservedIsAHeadlineToo(FailingDisk disk) throws IOException {
        start("mode=observe");
        fail(disk);
        awaitDirectory(disk.directory(), "failing");

        assertThat(json())
                .containsEntry("level", "alarm")
                .containsEntry("headline", "A disk failed, nothing was taken offline");
        assertThat(page("/").body()).contains("cannot be read and is still online", "Runbook: FaultlineWouldOffline");
    }

    @Test
    void clientsThatGoAreCountedAndNoHeadline() throws IOException {
        start("mode=act");
        Path file = Content.write(folder.resolve("segment"), SIZE);
        host.ask("own", folder);
        host.transfer("reset", file, 0, SIZE);
        host.transfer("reset", file, 0, SIZE);
        await().atMost(HostJvm.PATIENCE)
                .untilAsserted(() -> assertThat(failures(json())).hasSize(1));

        assertThat(json()).containsEntry("level", "fine");
        assertThat(failures(json()).get(0)).containsEntry("verdict", "socket").containsEntry("times", 2);
        assertThat(page("/").body()).contains("aria-label=\"2 in the last hour, at most ");
    }

    @Test
    void whatIsNotWovenIsNotReadyButAlive() {
        start("mode=off");

        assertThat(page("/ready").statusCode()).isEqualTo(503);
        assertThat(page("/health").statusCode()).isEqualTo(200);
        assertThat(json()).containsEntry("level", "off").containsEntry("headline", "Faultline is off");

        host.control("mode\tact");

        assertThat(page("/ready").statusCode()).isEqualTo(200);
        assertThat(json()).containsEntry("level", "fine");
    }

    @Test
    void withoutAPortNothingOfItRuns() {
        host = HostJvm.withAgent("mode=act");

        assertThat(host.askList("threads")).isNotEmpty().noneMatch(thread -> thread.contains("http"));
    }

    private void start(String options) {
        host = HostJvm.withAgent(options + ",metrics.port=0");
        port = Integer.parseInt(host.status().get("metrics.bound"));
    }

    private Path fail(FailingDisk disk) throws IOException {
        Path file = Content.write(disk.directory().resolve("segment"), SIZE);
        disk.poison(file, BAD, 1);
        host.ask("own", disk.directory());
        host.transfer("send", file, 0, SIZE);
        return file;
    }

    private void awaitDirectory(Path directory, String state) {
        await().atMost(HostJvm.PATIENCE)
                .untilAsserted(() -> assertThat(directory(json(), directory)).containsEntry("state", state));
    }

    private HttpResponse<String> page(String path) {
        return MetricsPage.get(port, path);
    }

    private Map<String, Object> json() {
        try {
            return JSON.std.mapFrom(page("/status.json").body());
        } catch (IOException noJson) {
            throw new UncheckedIOException(noJson);
        }
    }

    private static Map<String, Object> directory(Map<String, Object> status, Path path) {
        return maps(status.get("directories")).stream()
                .filter(directory -> directory.get("path").equals(path.toString()))
                .findFirst()
                .orElse(Map.of());
    }

    private static List<Map<String, Object>> failures(Map<String, Object> status) {
        return maps(status.get("latest_failures"));
    }

    @SuppressWarnings("unchecked")
    private static List<Map<String, Object>> maps(Object list) {
        return (List<Map<String, Object>>) list;
    }
}
