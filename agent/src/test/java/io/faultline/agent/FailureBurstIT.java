package io.faultline.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.faultline.agent.host.Content;
import io.faultline.disk.FailingDisk;
import io.faultline.disk.NeedsFailingDisk;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Many clients that go away at once, as after a network partition, from files that retention works on meanwhile. */
class FailureBurstIT {

    private static final int FAILURES = 1_200;
    private static final int STORM = 100_000;
    private static final int FILES = 6;
    private static final int SIZE = 256 << 10;

    @Test
    @NeedsFailingDisk
    void aRealFailureIsFoundAmongManyHarmlessOnesAndNoneIsLost(FailingDisk disk) throws IOException {
        int bad = SIZE - 4096;
        List<Path> files = files(disk.directory());
        disk.poison(files.get(0), bad, 1);
        try (HostJvm host = HostJvm.withAgent("mode=observe")) {
            host.ask("subscribe");

            int failed = burst(host, bad, files);

            assertThat(failed).isEqualTo(FAILURES);
            Map<String, String> status = awaitBalance(host, failed);
            assertThat(status).containsEntry("directory." + disk.directory() + ".verdicts.DISK.READ_FAILED", "1");
            await().atMost(HostJvm.PATIENCE)
                    .untilAsserted(() -> assertThat(host.verdicts())
                            .filteredOn(verdict -> verdict.outcome().equals("DISK READ_FAILED"))
                            .singleElement()
                            .satisfies(verdict ->
                                    assertThat(verdict.number("unreadable")).isEqualTo(bad)));
        }
    }

    @Test
    void harmlessFailuresTakeNothingOffline(@TempDir Path folder) throws IOException {
        try (HostJvm host = HostJvm.withAgent("mode=act")) {
            host.ask("own", folder);

            int failed = burst(host, 0, files(folder));

            Map<String, String> status = awaitBalance(host, failed);
            assertThat(status.keySet()).noneMatch(key -> key.contains(".DISK.") || key.contains(".actions."));
            assertThat(host.askList("offline")).isEmpty();
            assertThat(host.errorLines())
                    .as("no line for a client that went away")
                    .hasSize(1);
        }
    }

    @Test
    void aStormIsCountedToTheLastFailureAndCostsNeitherMemoryNorLines(@TempDir Path folder) throws IOException {
        Path file = Content.write(folder.resolve("segment"), SIZE);
        try (HostJvm host = HostJvm.withAgent("mode=act,metrics.port=0")) {
            host.ask("own", folder);
            // What the first failures load stays, however many follow.
            host.ask("storm", 2_000, file);
            awaitBalance(host, 2_000);
            MetricsPage.samples(Integer.parseInt(host.status().get("metrics.bound")));
            long before = Long.parseLong(host.ask("used-memory"));
            int linesBefore = host.errorLines().size();

            for (int failed = 0; failed < STORM; failed += 5_000) {
                host.ask("storm", 5_000, file);
            }

            Map<String, String> status = awaitBalance(host, STORM + 2_000);
            assertThat(Long.parseLong(host.ask("used-memory")) - before).isLessThan(8 << 20);
            assertThat(host.errorLines().size() - linesBefore).isLessThanOrEqualTo(20);
            assertThat(status).containsEntry("errors", "0");
            Map<String, Double> samples =
                    MetricsPage.samples(Integer.parseInt(host.status().get("metrics.bound")));
            assertThat(samples.entrySet().stream()
                            .filter(sample -> sample.getKey().startsWith("faultline_failures_total{"))
                            .mapToDouble(Map.Entry::getValue)
                            .sum())
                    .isEqualTo(STORM + 2_000);
            assertThat(samples.entrySet().stream()
                            .filter(sample -> sample.getKey().startsWith("faultline_actions_total{")
                                    || sample.getKey().startsWith("faultline_suspected_transient_total{"))
                            .mapToDouble(Map.Entry::getValue)
                            .sum())
                    .as("nothing that an alert goes by")
                    .isZero();
        }
    }

    private static List<Path> files(Path directory) throws IOException {
        List<Path> files = new ArrayList<>();
        for (int i = 0; i < FILES; i++) {
            files.add(Content.write(directory.resolve("segment-" + i), SIZE));
        }
        return files;
    }

    private static int burst(HostJvm host, int bad, List<Path> files) {
        List<Object> request = new ArrayList<>(List.of("burst", FAILURES, bad));
        request.addAll(files);
        return Integer.parseInt(host.ask(request.toArray()));
    }

    private static Map<String, String> awaitBalance(HostJvm host, int failed) {
        await().atMost(HostJvm.PATIENCE)
                .untilAsserted(() -> assertThat(host.count("pending")).isZero());
        Map<String, String> status = host.status();
        assertThat(number(status, "failures.socket")).isEqualTo(failed);
        assertThat(number(status, "handed-over")).isEqualTo(failed);
        assertThat(number(status, "verdicts")
                        + number(status, "dropped")
                        + number(status, "expired")
                        + number(status, "skipped"))
                .isEqualTo(failed);
        return status;
    }

    private static long number(Map<String, String> status, String key) {
        return Long.parseLong(status.get(key));
    }
}
