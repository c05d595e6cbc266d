package io.faultline.bench.startup;

import static org.assertj.core.api.Assertions.assertThat;

import io.faultline.bench.Layout;
import io.faultline.bench.kafka.KafkaVersion;
import io.faultline.bench.report.Experiments;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** That the experiment works; what it measures is for quiet machines to say. */
class StartupIT {

    @TempDir
    private Path folder;

    @Test
    void hostsAreStartedWithEachAgentAndKeepTheirArchivesWithOurs() throws Exception {
        Map<String, Object> result = Experiments.runInItsOwnJvm(
                "startup", folder, "--hosts", "main,broker", "--rounds", "1", "--broker-rounds", "1");
        assertThat(Experiments.figures(result))
                .contains(
                        "an empty main: added to the start",
                        "an empty main: processor time added",
                        "an empty main: from loading until woven",
                        "the bundled broker: added to the start");
        assertThat(Experiments.heldClaims(result))
                .anyMatch(claim -> claim.startsWith("the host's CDS archive is in use with the agent"))
                .anyMatch(claim -> claim.startsWith("an AOT cache made with --add-modules=java.instrument is in use"));
    }

    /** With the OpenTelemetry agent it takes long. */
    @Test
    void apacheKafkaIsStartedWithOurAgent() throws Exception {
        try (Host kafka = new KafkaHost(Layout.ofThisBuild(), KafkaVersion.of("4.4.0"))) {
            assertThat(kafka.start(JvmAgent.FAULTLINE).values()).containsOnlyKeys(Start.WALL, Start.CPU, Start.WOVEN);
        }
    }
}
