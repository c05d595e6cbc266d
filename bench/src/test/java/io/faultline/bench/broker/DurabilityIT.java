package io.faultline.bench.broker;

import io.faultline.bench.report.Experiments;
import io.faultline.disk.NeedsTruncatedDisk;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What the bundled broker keeps through kills and power cuts. How fast it is says nothing on a machine that is busy. */
@Timeout(value = 5, unit = TimeUnit.MINUTES)
class DurabilityIT {

    private static final String ANY_TIME = "60000";

    @Test
    void nothingThatWasAcknowledgedIsLostInAKill(@TempDir Path folder) throws Exception {
        Experiments.assertHolds(new BrokerKills(), folder, "--rounds", "5", "--within", ANY_TIME);
    }

    @Test
    @NeedsTruncatedDisk
    void nothingThatWasFlushedIsLostInAPowerCutAndNothingCorruptIsServed(@TempDir Path folder) throws Exception {
        Experiments.assertHolds(new BrokerPowerCuts(), folder, "--rounds", "2");
    }

    @Test
    void theBrokerStartsOverItsDataInASmallJvm(@TempDir Path folder) throws Exception {
        Experiments.assertHolds(new BrokerStart(), folder, "--rounds", "1", "--megabytes", "20", "--within", ANY_TIME);
    }
}
