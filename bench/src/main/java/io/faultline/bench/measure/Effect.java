package io.faultline.bench.measure;

import java.util.function.DoubleUnaryOperator;

/**
 * What a comparison shows.
 *
 * @param interval the effect, its interval widened by the control's spread
 * @param control what the same comparison of the base with itself shows
 * @param samples from how many rounds
 */
public record Effect(Interval interval, Interval control, int samples) {

    /**
     * From the rounds of a comparison.
     *
     * @param something the effect in each round
     * @param nothing in the same rounds, what the control shows where there is no effect
     * @return the medians; the effect's interval is the wider, the more the control shows
     */
    public static Effect of(Samples something, Samples nothing) {
        Interval control = nothing.medianInterval();
        return new Effect(something.medianInterval().widenedBy(control.spread()), control, something.values().length);
    }

    /**
     * The same on another scale.
     *
     * @param increasing a function that keeps the order
     * @return the effect with both intervals on that scale
     */
    public Effect map(DoubleUnaryOperator increasing) {
        return new Effect(interval.map(increasing), control.map(increasing), samples);
    }
}
