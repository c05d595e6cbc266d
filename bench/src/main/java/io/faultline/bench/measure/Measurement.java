package io.faultline.bench.measure;

/** Something that can be measured again and again. */
@FunctionalInterface
public interface Measurement {

    /**
     * Measures it once.
     *
     * @return a value in the unit of the experiment
     * @throws Exception if it cannot be measured
     */
    double once() throws Exception;
}
