package io.faultline.client.network;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class BackoffTest {

    private final Backoff backoff = new Backoff(Duration.ofMillis(100), Duration.ofSeconds(1), new Random(1));

    @ParameterizedTest
    @CsvSource({"1, 100", "2, 200", "3, 400", "4, 800", "5, 1000", "6, 1000", "1000, 1000"})
    void itDoublesUpToItsLimitGiveOrTakeAFifth(int failures, long millis) {
        for (int time = 0; time < 1_000; time++) {
            assertThat(backoff.after(failures))
                    .isBetween(Duration.ofMillis(millis * 4 / 5), Duration.ofMillis(millis * 6 / 5));
        }
    }

    @Test
    void noTwoClientsMoveInStep() {
        assertThat(IntStream.range(0, 100).mapToObj(time -> backoff.after(1)).collect(Collectors.toSet()))
                .hasSizeGreaterThan(90);
    }
}
