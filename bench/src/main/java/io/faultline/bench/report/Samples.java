package io.faultline.bench.report;

import java.util.Arrays;
import java.util.Random;

/**
 * Measured values of one kind.
 *
 * @param values the values, at least one; not copied
 */
public record Samples(double[] values) {

    private static final int RESAMPLES = 10_000;
    private static final double LOW = 0.025;
    private static final double HIGH = 0.975;

    /**
     * A ratio, and where it lies with 95 % confidence.
     *
     * @param value the ratio of the medians
     * @param low the lower end of the interval
     * @param high its upper end
     */
    public record Ratio(double value, double low, double high) {}

    /**
     * The middle one.
     *
     * @return the median
     */
    public double median() {
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        int middle = sorted.length / 2;
        return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
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
     * Divides the median by another one, with a bootstrap interval.
     *
     * @param other what to divide by
     * @param random draws the resamples
     * @return the ratio
     */
    public Ratio over(Samples other, Random random) {
        double[] ratios = new double[RESAMPLES];
        for (int sample = 0; sample < RESAMPLES; sample++) {
            ratios[sample] = resample(random).median() / other.resample(random).median();
        }
        Arrays.sort(ratios);
        return new Ratio(median() / other.median(), ratios[(int) (RESAMPLES * LOW)], ratios[(int) (RESAMPLES * HIGH)]);
    }
}
