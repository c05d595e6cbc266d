package io.faultline.bench.measure;

import java.util.List;
import java.util.function.DoubleBinaryOperator;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * A base and a candidate, and the base once more as a control, each measured once in every round: what machine and moment do to a round they do to all three. The same positions are the same rounds.
 *
 * @param base what the candidate is compared with
 * @param control the base, measured a second time in each round
 * @param candidate what is compared
 */
public record Comparison(Samples base, Samples control, Samples candidate) {

    /**
     * Makes one comparison of several that were made in JVMs of their own, each of which is as fast or slow as its compiler happened to make it: what differs between them is no more than one sample each.
     *
     * @param runs at least six for the figures to have an interval
     * @return a comparison of their medians
     */
    public static Comparison ofRuns(List<Comparison> runs) {
        return new Comparison(
                medians(runs, Comparison::base),
                medians(runs, Comparison::control),
                medians(runs, Comparison::candidate));
    }

    /**
     * How many times the base the candidate is.
     *
     * @return the median of the rounds' ratios; the values must be positive
     */
    public Effect ratio() {
        // On the scale of logarithms double and half are equally far from one, and the control's error adds up.
        return effect((a, b) -> Math.log(a / b)).map(Math::exp);
    }

    /**
     * By how many percent the candidate is above the base.
     *
     * @return as {@link #ratio}, 0 where both are equal
     */
    public Effect percentAbove() {
        return ratio().map(ratio -> 100 * (ratio - 1));
    }

    /**
     * By how much the candidate is above the base.
     *
     * @return the median of the rounds' differences, in the unit of the samples
     */
    public Effect difference() {
        return effect((a, b) -> a - b);
    }

    /**
     * What each was by itself.
     *
     * @return the medians of base, control and candidate, in this order and in the unit of the samples
     */
    public Stream<Double> medians() {
        return Stream.of(base, control, candidate).map(Samples::median);
    }

    private Effect effect(DoubleBinaryOperator join) {
        // Each half of the base is as good as the other: the candidate is compared with both.
        Samples withBase = candidate.pairedWith(base, join);
        Samples withControl = candidate.pairedWith(control, join);
        return Effect.of(withBase.pairedWith(withControl, (a, b) -> (a + b) / 2), control.pairedWith(base, join));
    }

    private static Samples medians(List<Comparison> runs, Function<Comparison, Samples> side) {
        return new Samples(
                runs.stream().mapToDouble(run -> side.apply(run).median()).toArray());
    }
}
