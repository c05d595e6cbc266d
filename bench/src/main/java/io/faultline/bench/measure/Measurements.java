package io.faultline.bench.measure;

import java.util.Map;

/** Several values that are measured together, since what is before them is costly. */
@FunctionalInterface
public interface Measurements {

    /**
     * Measures each once.
     *
     * @return the values, each by its name; the same names each time
     * @throws Exception if one cannot be measured
     */
    Map<String, Double> once() throws Exception;
}
