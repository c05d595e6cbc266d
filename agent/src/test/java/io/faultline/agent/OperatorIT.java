package io.faultline.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.jr.ob.JSON;
import io.faultline.agent.host.Content;
import io.faultline.disk.FailingDisk;
import io.faultline.disk.NeedsFailingDisk;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What operators do with an agent that runs: change it, look at it, and read afterwards what it did. */
class OperatorIT {

    private static final int SIZE = 64 << 10;

    @TempDir
    private Path folder;

    @Test
    void theModeChangesByFileByJmxAndByCommandAndEachIsAudited() throws IOException {
        Path config = Files.writeString(folder.resolve("faultline.properties"), "mode=observe");
        Path audit = folder.resolve("audit.jsonl");
        try (HostJvm host = HostJvm.withAgent("config=" + config + ",audit.file=" + audit)) {
            assertThat(host.status()).containsEntry("mode", "observe").containsEntry("source.mode", "config file");

            Files.writeString(config, "mode=act");
            awaitMode(host, "act", "config file");

            host.ask("mbeans", "kafka.faultline");
            await().atMost(HostJvm.PATIENCE)
                    .untilAsserted(() -> assertThat(host.ask("jmx-mode")).isEqualTo("act"));
            assertThat(host.ask("jmx-mode", "off")).isEqualTo("off");
            awaitMode(host, "off", "JMX");

            assertThat(AgentCommand.run("mode", host.pid(), "observe").exit()).isZero();
            awaitMode(host, "observe", "command line");

            assertThat(AgentCommand.run("mode", host.pid(), "kill").exit()).isEqualTo(1);
            AgentCommand.run("detach", host.pid());
            await().atMost(HostJvm.PATIENCE)
                    .untilAsserted(() -> assertThat(audit).content().contains("\"event\":\"detach\""));
        }
        List<String> entries = new ArrayList<>();
        for (String line : Files.readAllLines(audit)) {
            Map<String, Object> entry = JSON.std.mapFrom(line);
            assertThat(entry).containsKeys("at", "version", "pid");
            entries.add(
                    entry.get("event") + " " + entry.get("from") + " " + entry.get("to") + " " + entry.get("source"));
        }
        assertThat(entries)
                .containsExactly(
                        "attach null null null",
                        "mode observe act config file",
                        "mode act off JMX",
                        "mode off observe command line",
                        "refusal null null command line",
                        "detach null null null");
    }

    private static void awaitMode(HostJvm host, String mode, String source) {
        await().atMost(HostJvm.PATIENCE)
                .untilAsserted(() ->
                        assertThat(host.status()).containsEntry("mode", mode).containsEntry("source.mode", source));
    }

    @Test
    void aCommandThatActsDespiteAnErrorInTheOptionsIsAudited() throws IOException {
        Path audit = folder.resolve("audit.jsonl");
        try (HostJvm host = HostJvm.withAgent("mode=act,check.rate=0,audit.file=" + audit)) {
            assertThat(host.status()).containsEntry("mode", "observe");

            host.control("mode\tact");

            assertThat(host.status()).containsEntry("mode", "act");
            await().atMost(HostJvm.PATIENCE)
                    .untilAsserted(() -> assertThat(Files.readAllLines(audit).stream()
                                    .filter(line -> line.contains("\"event\":\"mode\"")))
                            .singleElement()
                            .asString()
                            .contains("\"from\":\"observe\"", "\"to\":\"act\"", "\"source\":\"command line\""));
        }
    }

    @Test
    void aBrokenFileIsSaidAndCountedAndKeepsWhatWasInForce() throws IOException {
        Path config = Files.writeString(folder.resolve("faultline.properties"), "mode=observe");
        try (HostJvm host = HostJvm.withAgent("config=" + config)) {
            Files.writeString(config, "mode=acting");

            host.awaitErrorLine(line -> line.contains("mode=acting: accepted is act, observe or off"));

            assertThat(host.status()).containsEntry("mode", "observe").containsEntry("errors.config", "1");
        }
    }

    @Test
    @NeedsFailingDisk
    void whenSharedStorageFailsOneDirectoryGoesOfflineAndTheRestAreLimited(FailingDisk disk) throws IOException {
        Path audit = folder.resolve("audit.jsonl");
        List<Object> own = new ArrayList<>(List.of("own"));
        List<Path> files = new ArrayList<>();
        for (String name : List.of("a", "b", "c", "d")) {
            Path directory = Files.createDirectory(disk.directory().resolve(name));
            own.add(directory);
            files.add(Content.write(directory.resolve("segment"), SIZE));
        }
        for (Path file : files) {
            disk.poison(file, 0, 1);
        }
        try (HostJvm host = HostJvm.withAgent("metrics.port=0,audit.file=" + audit)) {
            int port = Integer.parseInt(host.status().get("metrics.bound"));
            host.ask(own.toArray());
            for (Path file : files) {
                host.transfer("send", file, 0, SIZE);
            }

            await().atMost(HostJvm.PATIENCE)
                    .untilAsserted(() -> assertThat(host.count("verdicts")).isEqualTo(4));
            await().atMost(HostJvm.PATIENCE)
                    .untilAsserted(() -> assertThat(results(MetricsPage.samples(port), "fed"))
                            .isEqualTo(1));
            assertThat(host.askList("offline")).hasSize(1);
            assertThat(results(MetricsPage.samples(port), "limited")).isEqualTo(3);
            assertThat(host.errorLines().stream()
                            .filter(line -> line.contains("LIMITED (act.max.directories=1 within act.window=1h)")))
                    .hasSize(3);
            await().atMost(HostJvm.PATIENCE)
                    .untilAsserted(() -> assertThat(Files.readAllLines(audit).stream()
                                    .filter(line -> line.contains("\"action\":\"limited\"")))
                            .hasSize(3));
            await().atMost(HostJvm.PATIENCE)
                    .untilAsserted(() -> assertThat(MetricsPage.samples(port).entrySet().stream()
                                    .filter(sample -> sample.getKey().startsWith("faultline_directory_would_offline"))
                                    .mapToDouble(Map.Entry::getValue)
                                    .sum())
                            .isEqualTo(3));
        }
    }

    private static double results(Map<String, Double> samples, String result) {
        return samples.entrySet().stream()
                .filter(sample -> sample.getKey().startsWith("faultline_actions_total{"))
                .filter(sample -> sample.getKey().contains("result=\"" + result + "\""))
                .mapToDouble(Map.Entry::getValue)
                .sum();
    }

    @Test
    void failuresOfExcludedFilesAreCountedAndNotChecked() throws IOException {
        Path file = Content.write(folder.resolve("segment"), SIZE);
        Path other = Content.write(folder.resolve("other"), SIZE);
        try (HostJvm host = HostJvm.withAgent("metrics.port=0,exclude=" + file)) {
            host.transfer("reset", file, 0, SIZE);
            host.transfer("reset", other, 0, SIZE);

            await().atMost(HostJvm.PATIENCE)
                    .untilAsserted(() -> assertThat(host.status())
                            .containsEntry("failures.socket", "2")
                            .containsEntry("verdicts", "1")
                            .containsEntry("excluded", "1"));
            assertThat(MetricsPage.samples(Integer.parseInt(host.status().get("metrics.bound"))))
                    .containsEntry("faultline_not_checked_total{reason=\"excluded\"}", 1.0)
                    .containsEntry("faultline_not_checked_total{reason=\"skipped\"}", 0.0);
        }
    }

    @Test
    void statusAsAnObjectHoldsEveryOptionWithItsSource() throws IOException {
        try (HostJvm host = HostJvm.withAgent("mode=observe")) {
            host.ask("own", folder);
            await().atMost(HostJvm.PATIENCE).until(() -> host.status().containsKey("directory." + folder + ".offline"));

            Finished status = AgentCommand.run("status", host.pid(), "--json");

            Map<String, Object> object = JSON.std.mapFrom(String.join("\n", status.out()));
            assertThat(object).containsEntry("mode", "observe").containsEntry("handed-over", 0);
            assertThat(object.get("options"))
                    .asInstanceOf(org.assertj.core.api.InstanceOfAssertFactories.MAP)
                    .containsEntry("mode", Map.of("value", "observe", "source", "agent argument"))
                    .containsEntry("check.rate", Map.of("value", "64", "source", "default"));
            assertThat(object.get("directories"))
                    .asInstanceOf(org.assertj.core.api.InstanceOfAssertFactories.MAP)
                    .containsEntry(
                            folder.toString(), Map.of("owner", "host", "offline", "no", "would-be-offline", false));
        }
    }
}
