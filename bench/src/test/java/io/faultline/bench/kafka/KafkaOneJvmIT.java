package io.faultline.bench.kafka;

import io.faultline.bench.report.Experiments;
import io.faultline.disk.NeedsFailingDisk;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Several brokers in one JVM, as test kits run them. */
@Timeout(value = 3, unit = TimeUnit.MINUTES)
class KafkaOneJvmIT {

    @Test
    @NeedsFailingDisk
    void eachDirectoryGoesOfflineAtTheBrokerThatItBelongsTo(@TempDir Path folder) throws Exception {
        Experiments.assertHolds(new KafkaOneJvm(), folder);
    }
}
