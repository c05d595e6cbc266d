package io.faultline.bench.broker;

import io.faultline.bench.report.Experiments;
import io.faultline.disk.NeedsFailingDisk;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The agents that brokers run with. */
@Timeout(value = 4, unit = TimeUnit.MINUTES)
class OtherAgentsIT {

    @Test
    @NeedsFailingDisk
    void theFailingDiskIsToldBesideOtherAgentsInEitherOrder(@TempDir Path folder) throws Exception {
        Experiments.assertHolds(new OtherAgents(), folder);
    }
}
