package io.faultline.bench.kafka;

import io.faultline.bench.report.Experiments;
import io.faultline.disk.NeedsFailingDisk;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The fix for real Apache Kafka, on its newest release; `kafka-matrix` does the same on older ones. */
@Timeout(value = 5, unit = TimeUnit.MINUTES)
class KafkaTableIT {

    @Test
    @NeedsFailingDisk
    void onTheNewestReleaseTheDirectoryGoesOfflineAndEveryRecordIsConsumed(@TempDir Path folder) throws Exception {
        Experiments.assertHolds(new KafkaTable(), folder);
    }
}
