package io.faultline.bench.measure;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FigureTest {

    @ParameterizedTest
    @CsvSource({"8, 9, REACHED", "9, 10, REACHED", "9, 11, NOT_RESOLVABLE", "11, 12, MISSED"})
    void onlyAWholeIntervalReachesOrMisses(double low, double high, Outcome outcome) {
        assertThat(Target.atMost(10).judge(new Interval((low + high) / 2, low, high)))
                .isEqualTo(outcome);
        assertThat(Target.atLeast(-10).judge(new Interval(-(low + high) / 2, -high, -low)))
                .isEqualTo(outcome);
    }

    @Test
    void whatCannotBeResolvedSaysHowManySamplesWouldTell() {
        Figure figure = Figure.of("a call", "ns", Target.atMost(20), new Interval(10, -10, 30), 25);
        assertThat(figure.outcome()).isEqualTo(Outcome.NOT_RESOLVABLE);
        assertThat(figure.wouldResolve()).hasValue("about 100 samples instead of 25");
    }

    @Test
    void whatLiesAtTheBoundSaysThatNoNumberOfSamplesWouldTell() {
        Figure figure = Figure.of("a call", "ns", Target.atMost(20), new Interval(20.1, 10, 30), 25);
        assertThat(figure.wouldResolve()).get().asString().contains("only a quieter machine");
    }

    @Test
    void whatHasTooFewSamplesSaysSo() {
        Figure figure =
                Figure.of("a call", "ns", Target.atMost(20), new Samples(new double[] {1, 2}).medianInterval(), 2);
        assertThat(figure.wouldResolve()).get().asString().contains("too few for an interval");
    }

    @Test
    void anEffectNoLargerThanWhatTheControlShowsIsNotResolvable() {
        Samples base = new Samples(new double[] {100, 100, 100, 100, 100, 100, 100, 100});
        Samples tenMore = new Samples(new double[] {110, 110, 110, 110, 110, 110, 110, 110});
        assertThat(Target.atMost(5)
                        .judge(new Comparison(base, base, tenMore)
                                .percentAbove()
                                .interval()))
                .isEqualTo(Outcome.MISSED);
        assertThat(Target.atMost(5)
                        .judge(new Comparison(base, tenMore, tenMore)
                                .percentAbove()
                                .interval()))
                .isEqualTo(Outcome.NOT_RESOLVABLE);
    }

    /** The worst case: the truth is the bound itself, and the machine is so noisy that single rounds differ by a third. */
    @Test
    void runsOfTheSameThingDoNotContradictEachOther() {
        Random random = new Random(1);
        Set<Outcome> outcomes = new HashSet<>();
        for (int run = 0; run < 100; run++) {
            Comparison comparison = new Comparison(noisy(random, 1), noisy(random, 1), noisy(random, 1.02));
            outcomes.add(Target.atMost(2).judge(comparison.percentAbove().interval()));
        }
        assertThat(outcomes.containsAll(Set.of(Outcome.REACHED, Outcome.MISSED)))
                .isFalse();
    }

    private static Samples noisy(Random random, double median) {
        return new Samples(random.doubles(30)
                .map(noise -> median * Math.exp(0.3 * (noise - 0.5)))
                .toArray());
    }
}
