package io.faultline.bench.startup;

import static org.assertj.core.api.Assertions.assertThat;

import io.faultline.bench.Layout;
import io.faultline.bench.kafka.KafkaVersion;
import io.faultline.bench.report.Experiments;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** That the experiment works; what it measures is for quiet machines to say. */
class StartupIT {

    @TempDir
    private Path folder;

    @Test
    void aHostIsStartedWithEachAgentAndKeepsItsArchivesWithOurs() throws Exception {
        Map<String, Object> result =
                Experiments.runInItsOwnJvm("startup", folder, "--hosts", "broker", "--broker-rounds", "1");
        assertThat(Experiments.figures(result))
                .containsExactly(
                        "the bundled broker: added to the start",
                        "the bundled broker: processor time added",
                        "the bundled broker: from loading until woven");
        List<String> held = Experiments.heldClaims(result);
        assertThat(held).anyMatch(claim -> claim.startsWith("the host's CDS archive is in use with the agent"));
        if (AotJdk.installed().isPresent()) { // always so where CI=true
            assertThat(held)
                    .anyMatch(claim ->
                            claim.startsWith("an AOT cache made with --add-modules=java.instrument is in use"));
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = HostKind.class,
            names = {"MAIN", "KAFKA"})
    void theOtherHostsAreStartedWithOurs(HostKind kind) throws Exception {
        try (Host host = kind.host(Layout.ofThisBuild(), KafkaVersion.of("4.4.0"))) {
            assertThat(host.start(JvmAgent.FAULTLINE).values().values())
                    .hasSize(3)
                    .allMatch(millis -> millis > 0);
        }
    }
}
