package io.faultline.bench.kafka;

import io.faultline.bench.report.Experiments;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Kafka's command-line tools on the bundled broker. */
@Timeout(value = 4, unit = TimeUnit.MINUTES)
class BrokerToolsIT {

    @Test
    void kafkasToolsDoTheirWorkOnTheBundledBroker(@TempDir Path folder) throws Exception {
        Experiments.assertHolds(new BrokerTools(), folder, "--no-beside-kafka", "--short");
    }
}
