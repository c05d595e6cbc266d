package io.faultline.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.faultline.agent.host.Content;
import io.faultline.disk.FailingDisk;
import io.faultline.disk.NeedsFailingDisk;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the agent shows of itself, over HTTP and over JMX. */
class MetricsIT {

    private static final int SIZE = 64 << 10;

    @TempDir
    private Path folder;

    private HostJvm host;
    private int port;

    @BeforeEach
    void start() {
        host = HostJvm.withAgent("metrics.port=0");
        port = Integer.parseInt(host.status().get("metrics.bound"));
    }

    @AfterEach
    void end() {
        host.close();
    }

    @Test
    void thePageHoldsWhatHappened() throws IOException {
        Path file = Content.write(folder.resolve("segment"), SIZE);
        host.ask("own", folder);
        host.transfer("send", file, 0, SIZE);
        long sends = host.count("transfers.socket");
        host.transfer("reset", file, 0, SIZE);
        host.transfer("reset", file, 0, SIZE);
        await().atMost(HostJvm.PATIENCE)
                .untilAsserted(() -> assertThat(host.count("verdicts")).isEqualTo(2));
        String offline = "faultline_directory_offline{by=\"owner\",dir=\"" + folder + "\"}";
        await().atMost(HostJvm.PATIENCE).until(() -> MetricsPage.samples(port).containsKey(offline));

        Map<String, Double> samples = MetricsPage.samples(port);

        assertThat(samples)
                .containsEntry("faultline_mode{mode=\"act\"}", 1.0)
                .containsEntry("faultline_mode{mode=\"off\"}", 0.0)
                .containsEntry("faultline_woven{target=\"sun.nio.ch.FileChannelImpl\"}", 1.0)
                .containsEntry("faultline_failures_total{hint=\"none\",transport=\"other\"}", 0.0)
                .containsEntry("faultline_handed_over_total", 2.0)
                .containsEntry("faultline_not_checked_total{reason=\"dropped\"}", 0.0)
                .containsEntry(
                        "faultline_verdicts_total{dir=\"" + folder
                                + "\",reason=\"region_readable\",verdict=\"socket\"}",
                        2.0)
                .containsEntry("faultline_directory_offline{by=\"faultline\",dir=\"" + folder + "\"}", 0.0)
                .containsEntry(offline, 0.0)
                .containsEntry("faultline_directory_would_offline{dir=\"" + folder + "\"}", 0.0)
                .containsEntry("faultline_stale_tls_prevented_total{dir=\"" + folder + "\"}", 0.0)
                .containsEntry("faultline_agent_errors_total{part=\"weaving\"}", 0.0);
        assertThat(failures(samples, "socket")).isEqualTo(2.0);
        assertThat(samples.get("faultline_config_last_success_timestamp_seconds"))
                .isBetween(System.currentTimeMillis() / 1000.0 - 60, System.currentTimeMillis() / 1000.0);
        assertThat(samples.get("faultline_check_read_bytes_total{dir=\"" + folder + "\"}"))
                .as("in one pass or in two")
                .isIn(1.0 * SIZE, 2.0 * SIZE);
        assertThat(samples.get("faultline_transfers_total{transport=\"socket\"}"))
                .isGreaterThanOrEqualTo(sends);
        assertThat(samples)
                .anySatisfy((name, value) -> assertThat(name)
                        .startsWith("faultline_build_info{")
                        .contains("version=\"" + AgentJar.version() + "\""));
    }

    @Test
    @NeedsFailingDisk
    void aDiskVerdictShowsWithItsDirectoryAndWhatWasDone(FailingDisk disk) throws IOException {
        Path file = Content.write(disk.directory().resolve("segment"), SIZE);
        disk.poison(file, 0, 1);
        host.ask("own", disk.directory());
        host.transfer("send", file, 0, SIZE);
        String dir = "dir=\"" + disk.directory() + "\"";

        await().atMost(HostJvm.PATIENCE)
                .untilAsserted(() -> assertThat(MetricsPage.samples(port))
                        .containsEntry(
                                "faultline_verdicts_total{" + dir + ",reason=\"read_failed\",verdict=\"disk\"}", 1.0)
                        .containsEntry("faultline_actions_total{" + dir + ",result=\"fed\"}", 1.0)
                        .containsEntry("faultline_failures_total{hint=\"media_error\",transport=\"socket\"}", 1.0)
                        .containsEntry("faultline_directory_offline{by=\"faultline\"," + dir + "}", 1.0)
                        .containsEntry("faultline_directory_offline{by=\"owner\"," + dir + "}", 0.0)
                        .containsEntry("faultline_directory_would_offline{" + dir + "}", 0.0)
                        .containsEntry("faultline_detection_seconds_count", 1.0));
    }

    @Test
    @NeedsFailingDisk
    void aDirectoryThatMayNotBeTakenOfflineShowsAsOneThatWouldBe(FailingDisk disk) throws IOException {
        host.control("mode\tobserve");
        Path file = Content.write(disk.directory().resolve("segment"), SIZE);
        disk.poison(file, 0, 1);
        host.ask("own", disk.directory());
        host.transfer("send", file, 0, SIZE);
        String dir = "dir=\"" + disk.directory() + "\"";

        await().atMost(HostJvm.PATIENCE)
                .untilAsserted(() -> assertThat(MetricsPage.samples(port))
                        .containsEntry("faultline_directory_would_offline{" + dir + "}", 1.0)
                        .containsEntry("faultline_directory_offline{by=\"faultline\"," + dir + "}", 0.0)
                        .containsEntry("faultline_actions_total{" + dir + ",result=\"fed\"}", 0.0));
    }

    @Test
    void theMetersOfADirectoryAreThereBeforeAnythingHappensInIt() {
        host.ask("own", folder);

        await().atMost(HostJvm.PATIENCE)
                .untilAsserted(() -> assertThat(MetricsPage.samples(port))
                        .containsEntry("faultline_actions_total{dir=\"" + folder + "\",result=\"limited\"}", 0.0));
    }

    @Test
    void countsGoOnBehindAGarbageCollection() throws IOException {
        Path file = Content.write(folder.resolve("segment"), SIZE);
        MetricsPage.samples(port);
        host.ask("gc");
        host.ask("gc");

        host.transfer("reset", file, 0, SIZE);
        host.control("mode\tobserve");

        assertThat(failures(MetricsPage.samples(port), "socket")).isEqualTo(1.0);
        assertThat(MetricsPage.samples(port)).containsEntry("faultline_mode{mode=\"observe\"}", 1.0);
    }

    @Test
    void theMBeansComeOnceTheHostUsesJmxAndShowTheSame() throws IOException {
        Path file = Content.write(folder.resolve("segment"), SIZE);
        assertThat(host.ask("mbean-servers")).as("the agent made none").isEqualTo("0");
        host.ask("mbeans", "kafka.faultline");
        await().atMost(HostJvm.PATIENCE)
                .untilAsserted(() ->
                        assertThat(host.askList("mbeans", "kafka.faultline")).isNotEmpty());

        host.transfer("reset", file, 0, SIZE);
        await().atMost(HostJvm.PATIENCE)
                .untilAsserted(() -> assertThat(host.count("verdicts")).isEqualTo(1));

        List<String> beans = host.askList("mbeans", "kafka.faultline");
        assertThat(beans)
                .contains(
                        "kafka.faultline:hint=media_error,name=Failures,transport=socket,type=Faultline#Count=0.0",
                        "kafka.faultline:mode=act,name=Mode,type=Faultline#Value=1.0",
                        "kafka.faultline:name=HandedOver,type=Faultline#Count=1.0",
                        "kafka.faultline:name=NotChecked,reason=dropped,type=Faultline#Count=0.0")
                .anyMatch(bean -> bean.startsWith("kafka.faultline:dir=")
                        && bean.endsWith(
                                ",name=Verdicts,reason_verdict=region_readable-socket,type=Faultline#Count=1.0"));
    }

    @Test
    void theMBeansComeWithModeOffToo() {
        try (HostJvm off = HostJvm.withAgent("mode=off")) {
            off.ask("mbeans", "kafka.faultline");

            await().atMost(HostJvm.PATIENCE)
                    .untilAsserted(() -> assertThat(off.askList("mbeans", "kafka.faultline"))
                            .contains("kafka.faultline:mode=off,name=Mode,type=Faultline#Value=1.0"));
        }
    }

    private static double failures(Map<String, Double> samples, String transport) {
        return samples.entrySet().stream()
                .filter(sample -> sample.getKey().startsWith("faultline_failures_total{"))
                .filter(sample -> sample.getKey().contains("transport=\"" + transport + "\""))
                .mapToDouble(Map.Entry::getValue)
                .sum();
    }
}
