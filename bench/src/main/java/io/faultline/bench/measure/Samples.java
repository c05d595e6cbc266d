package io.faultline.bench.measure;

import java.util.Arrays;
import java.util.Random;
import java.util.function.DoubleBinaryOperator;
import org.apache.commons.statistics.descriptive.Quantile;
import org.apache.commons.statistics.distribution.BinomialDistribution;

/**
 * Measured values of one kind.
 *
 * @param values the values in the order in which they came, at least one; not copied
 */
public record Samples(double[] values) {

    private static final int RESAMPLES = 10_000;
    private static final double LOW = 0.025;
    private static final double HIGH = 0.975;

    /**
     * The middle one.
     *
     * @return the median
     */
    public double median() {
        return estimate(0.5);
    }

    /**
     * The median and its 95 % interval.
     *
     * @return as {@link #quantile} of a half; without ends below six samples
     */
    public Interval medianInterval() {
        return quantile(0.5);
    }

    /**
     * A quantile and its 95 % interval. The ends are two of the samples, which ones the binomial distribution says: how many of the samples lie below the true quantile is binomially distributed,
     * whatever the samples themselves are like (David and Nagaraja, Order Statistics, 7.1). One sample that is far off moves nothing.
     *
     * @param probability which quantile, between 0 and 1
     * @return the quantile; an end is infinite where there are too few samples to have it
     */
    public Interval quantile(double probability) {
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        BinomialDistribution below = BinomialDistribution.of(sorted.length, probability);
        int low = below.inverseCumulativeProbability(LOW);
        int high = below.inverseCumulativeProbability(HIGH);
        return new Interval(
                estimate(probability),
                low > 0 ? sorted[low - 1] : Double.NEGATIVE_INFINITY,
                high < sorted.length ? sorted[high] : Double.POSITIVE_INFINITY);
    }

    /**
     * Joins each value with the one that was measured in the same round.
     *
     * @param other as many samples
     * @param join makes one value of both
     * @return as many samples
     * @throws IllegalArgumentException if the numbers differ
     */
    public Samples pairedWith(Samples other, DoubleBinaryOperator join) {
        if (values.length != other.values.length) {
            throw new IllegalArgumentException(values.length + " samples cannot be paired with " + other.values.length);
        }
        double[] joined = new double[values.length];
        Arrays.setAll(joined, index -> join.applyAsDouble(values[index], other.values[index]));
        return new Samples(joined);
    }

    /**
     * As many values, drawn from these with replacement.
     *
     * @param random draws them
     * @return other samples
     */
    public Samples resample(Random random) {
        return new Samples(random.ints(values.length, 0, values.length)
                .mapToDouble(index -> values[index])
                .toArray());
    }

    /**
     * Divides the median by another one, with a bootstrap interval. For samples that are no pairs.
     *
     * @param other what to divide by
     * @param random draws the resamples
     * @return the ratio
     */
    public Interval over(Samples other, Random random) {
        double[] ratios = new double[RESAMPLES];
        for (int sample = 0; sample < RESAMPLES; sample++) {
            ratios[sample] = resample(random).median() / other.resample(random).median();
        }
        Samples all = new Samples(ratios);
        return new Interval(median() / other.median(), all.estimate(LOW), all.estimate(HIGH));
    }

    private double estimate(double probability) {
        return Quantile.withDefaults().withCopy(true).evaluate(values, probability);
    }
}
