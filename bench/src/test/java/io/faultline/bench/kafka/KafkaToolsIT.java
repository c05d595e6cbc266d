package io.faultline.bench.kafka;

import io.faultline.bench.report.Experiments;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Kafka's command-line tools, which inherit the brokers' options. */
@Timeout(value = 3, unit = TimeUnit.MINUTES)
class KafkaToolsIT {

    @Test
    void toolsThatInheritTheAgentRunUnchanged(@TempDir Path folder) throws Exception {
        Experiments.assertHolds(new KafkaTools(), folder);
    }
}
