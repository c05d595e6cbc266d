package io.faultline.client.produce;

import static org.assertj.core.api.Assertions.assertThat;

import io.faultline.client.watchdog.MonotonicClock;
import java.time.Duration;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.compress.Compression;
import org.junit.jupiter.api.Test;

class BatchTest {

    @Test
    void aCallerMayAskWhetherItIsFullAfterTheLoopHasSealedIt() {
        MonotonicClock clock = MonotonicClock.system();
        Batch batch = new Batch(
                new TopicPartition("t", 0),
                1_000,
                Compression.NONE,
                new MemoryLimit(1_000, clock),
                clock.nanos(),
                Duration.ofMinutes(1));

        batch.seal();

        assertThat(batch.isFull()).isFalse();
    }
}
