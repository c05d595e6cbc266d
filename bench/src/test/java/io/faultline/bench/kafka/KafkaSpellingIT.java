package io.faultline.bench.kafka;

import io.faultline.bench.report.Experiments;
import io.faultline.disk.NeedsFailingDisk;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Directories that are spelled in other ways than they are resolved. */
@Timeout(value = 3, unit = TimeUnit.MINUTES)
class KafkaSpellingIT {

    @Test
    @NeedsFailingDisk
    void directoriesGoOfflineUnderTheNameThatTheBrokerHasForThem(@TempDir Path folder) throws Exception {
        Experiments.assertHolds(new KafkaSpelling(), folder);
    }
}
