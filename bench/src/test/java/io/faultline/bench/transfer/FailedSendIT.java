package io.faultline.bench.transfer;

import static org.assertj.core.api.Assertions.assertThat;

import io.faultline.bench.report.Experiments;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** That the experiment works; what it measures is for quiet machines to say. */
class FailedSendIT {

    @Test
    void failingSendsAreMeasuredWithoutAnyCheckAndWithOne(@TempDir Path folder) throws Exception {
        Map<String, Object> result = Experiments.runInItsOwnJvm("failed-send", folder, "--rounds", "1");
        assertThat(Experiments.figures(result))
                .containsExactly("nothing being checked in the directory", "while a check reads there");
        assertThat(Experiments.heldClaims(result)).contains("every failure is accounted for, exactly");
    }
}
