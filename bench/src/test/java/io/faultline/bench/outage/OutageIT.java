package io.faultline.bench.outage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.faultline.bench.report.Experiments;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Short outages of what takes minutes in full, on the bundled broker. */
@Timeout(value = 5, unit = TimeUnit.MINUTES)
class OutageIT {

    @Test
    void everyInvariantHoldsWhenTheBrokersAreFrozen(@TempDir Path folder) throws Exception {
        assertHolds(Scenario.FREEZE, folder);
    }

    @Test
    void everyInvariantHoldsWhenPacketsVanish(@TempDir Path folder) throws Exception {
        assertHolds(Scenario.BLACK_HOLE, folder);
    }

    private static void assertHolds(Scenario scenario, Path folder) throws Exception {
        requireAll(scenario.missing());
        Experiments.assertHolds(
                new Outage(),
                folder,
                "--scenario",
                scenario.option(),
                "--length",
                "12",
                "--scale",
                "0.25",
                // How fast it goes is for the experiment in full length, on a machine of its own.
                "--recovery",
                "30",
                "--tick",
                "30",
                "--cluster",
                "broker",
                "--client",
                "faultline");
    }

    private static void requireAll(List<String> missing) {
        if ("true".equals(System.getenv("CI"))) {
            assertThat(missing).as("what this machine lacks").isEmpty();
        }
        assumeThat(missing).as("what this machine lacks").isEmpty();
    }
}
