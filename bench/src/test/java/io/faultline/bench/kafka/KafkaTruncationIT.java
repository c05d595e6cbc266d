package io.faultline.bench.kafka;

import io.faultline.bench.report.Experiments;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A short run of what takes 20 minutes in full. */
@Timeout(value = 5, unit = TimeUnit.MINUTES)
class KafkaTruncationIT {

    @Test
    void nothingThatHappensToFilesOnHealthyDisksTakesADirectoryOffline(@TempDir Path folder) throws Exception {
        Experiments.assertHolds(new KafkaTruncation(), folder, "--minutes", "2");
    }
}
