package io.faultline.bench.detection;

import static org.assertj.core.api.Assertions.assertThat;

import io.faultline.bench.report.Experiments;
import io.faultline.disk.NeedsFailingDisk;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** That the experiments work; what they measure is for quiet machines to say. */
@NeedsFailingDisk
class DetectIT {

    @TempDir
    private Path folder;

    @Test
    void eachFailingDirectoryIsDetectedIdleAndUnderLoad() throws Exception {
        String result = Experiments.result(new Detect(), folder, "--directories", "2", "--servers", "2");
        assertThat(result)
                .contains("idle, from the begin of the failing call", "under load, from the begin of the failing call");
    }

    @Test
    void aStormTakesTheFailingDirectoryOfflineAndNoOther() throws Exception {
        Experiments.assertHolds(new Storm(), folder, "--sends", "20000");
    }
}
