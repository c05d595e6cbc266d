package io.faultline.bench.outage;

import io.faultline.bench.report.Experiments;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A few of the kills that the experiment in full makes a hundred of. */
@Timeout(value = 5, unit = TimeUnit.MINUTES)
class SpoolKillsIT {

    @Test
    void whatWasAcceptedIsInTheLogOnceOrUndecided(@TempDir Path folder) throws Exception {
        Experiments.assertHolds(new SpoolKills(), folder, "--kills", "5");
    }
}
