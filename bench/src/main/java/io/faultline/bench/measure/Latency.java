package io.faultline.bench.measure;

import org.HdrHistogram.Histogram;

/**
 * How long operations took, counted from when each was due, and how many ended badly.
 *
 * @param nanos each operation that ended well
 * @param failed how many failed
 * @param unfinished how many had not ended when the run gave up waiting
 */
public record Latency(Histogram nanos, long failed, long unfinished) {

    private static final double NANOS_PER_MILLI = 1e6;

    /**
     * A percentile.
     *
     * @param percentile such as 99
     * @return milliseconds
     */
    public double millis(double percentile) {
        return nanos.getValueAtPercentile(percentile) / NANOS_PER_MILLI;
    }
}
