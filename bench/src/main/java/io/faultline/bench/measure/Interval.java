package io.faultline.bench.measure;

import java.util.function.DoubleUnaryOperator;

/**
 * A figure, and where it lies with 95 % confidence.
 *
 * @param value the figure
 * @param low the lower end; negative infinity where there are too few samples to have one
 * @param high the upper end; positive infinity where there are too few samples to have one
 */
public record Interval(double value, double low, double high) {

    /**
     * What was counted, and not sampled.
     *
     * @param value the count
     * @return an interval without width
     */
    public static Interval exact(double value) {
        return new Interval(value, value, value);
    }

    /**
     * The same on another scale.
     *
     * @param increasing a function that keeps the order
     * @return its values of the three
     */
    public Interval map(DoubleUnaryOperator increasing) {
        return new Interval(
                increasing.applyAsDouble(value), increasing.applyAsDouble(low), increasing.applyAsDouble(high));
    }

    /**
     * The farthest that it reaches from zero: for a control, what shows where nothing is.
     *
     * @return not negative; infinite if one end is
     */
    public double spread() {
        return Math.max(Math.abs(low), Math.abs(high));
    }

    /**
     * Takes a further, independent error into account.
     *
     * @param error its size, not negative
     * @return the same value with both ends further away, as independent errors add up
     */
    public Interval widenedBy(double error) {
        return new Interval(value, value - Math.hypot(value - low, error), value + Math.hypot(high - value, error));
    }
}
