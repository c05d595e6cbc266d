package io.faultline.bench.scale;

import static org.assertj.core.api.Assertions.assertThat;

import io.faultline.bench.report.Experiments;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** That the experiment works; what it measures is for quiet machines to say. */
class ScaleIT {

    @Test
    void aStormIsAccountedForExactlyWhateverThereIsOfDirectoriesFilesAndThreads(@TempDir Path folder) throws Exception {
        Map<String, Object> result = Experiments.runInItsOwnJvm(
                "scale", folder, "--rounds", "1", "--directories", "10", "--files", "100", "--failures", "20000");
        assertThat(Experiments.figures(result))
                .contains("directories: 10 instead of 1", "files: 100 instead of 10", "threads: 64 instead of 1");
        assertThat(Experiments.heldClaims(result))
                .contains("all are handed over", "every failure is accounted for, exactly");
    }
}
