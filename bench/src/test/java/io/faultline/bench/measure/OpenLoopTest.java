package io.faultline.bench.measure;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class OpenLoopTest {

    private static final OpenLoop HUNDRED = new OpenLoop(1000, Duration.ofMillis(100));

    @Test
    void everyOperationOfTheRateIsBegunAndCounted() throws Exception {
        AtomicInteger begun = new AtomicInteger();
        Latency latency = HUNDRED.run(ended -> {
            begun.incrementAndGet();
            ended.with(null);
        });
        assertThat(begun).hasValue(100);
        assertThat(latency.nanos().getTotalCount()).isEqualTo(100);
    }

    /** What a closed loop leaves out: the hundred that were due while one was slow were slow, too. */
    @Test
    void allThatAreDueWhileOneHoldsThingsUpAreLate() throws Exception {
        AtomicInteger begun = new AtomicInteger();
        Latency latency = HUNDRED.run(ended -> {
            if (begun.getAndIncrement() == 0) {
                Thread.sleep(500);
            }
            ended.with(null);
        });
        assertThat(latency.nanos().getMinValue())
                .isGreaterThan(Duration.ofMillis(350).toNanos());
    }

    @Test
    void failuresAreCountedAndHaveNoLatency() throws Exception {
        AtomicInteger begun = new AtomicInteger();
        Latency latency = HUNDRED.run(ended -> {
            switch (begun.getAndIncrement() % 4) {
                case 0 -> throw new IOException("not begun");
                case 1 -> ended.with(new IOException("ended badly"));
                default -> ended.with(null);
            }
        });
        assertThat(latency.failed()).isEqualTo(50);
        assertThat(latency.nanos().getTotalCount()).isEqualTo(50);
        assertThat(latency.unfinished()).isZero();
    }
}
