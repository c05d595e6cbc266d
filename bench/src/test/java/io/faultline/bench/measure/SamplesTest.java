package io.faultline.bench.measure;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class SamplesTest {

    @Test
    void fiveSamplesHaveNoInterval() {
        assertThat(upTo(5).medianInterval())
                .isEqualTo(new Interval(3, Double.NEGATIVE_INFINITY, Double.POSITIVE_INFINITY));
    }

    @Test
    void theIntervalOfSixSamplesReachesFromTheLeastToTheMost() {
        assertThat(upTo(6).medianInterval()).isEqualTo(new Interval(3.5, 1, 6));
    }

    /** The published table of the sign test: for twenty samples the sixth and the fifteenth. */
    @Test
    void theIntervalOfTwentySamplesIsThatOfTheSignTest() {
        assertThat(upTo(20).medianInterval()).isEqualTo(new Interval(10.5, 6, 15));
    }

    @Test
    void aHighQuantileHasAnUpperEndOnlyWithEnoughSamples() {
        assertThat(upTo(71).quantile(0.95).high()).isInfinite();
        assertThat(upTo(72).quantile(0.95).high()).isEqualTo(72);
    }

    @Test
    void nineteenOfTwentyIntervalsHoldTheTrueMedian() {
        Random random = new Random(1);
        long held = IntStream.range(0, 10_000)
                .mapToObj(run -> new Samples(random.doubles(30).map(Math::sqrt).toArray()).medianInterval())
                .filter(interval -> interval.low() <= Math.sqrt(0.5) && Math.sqrt(0.5) <= interval.high())
                .count();
        assertThat(held).isBetween(9_500L, 9_850L);
    }

    private static Samples upTo(int number) {
        return new Samples(
                IntStream.rangeClosed(1, number).mapToDouble(value -> value).toArray());
    }
}
