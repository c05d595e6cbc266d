package io.faultline.bench.startup;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.OptionalDouble;

/**
 * What a start took.
 *
 * @param wallMillis until the host was of use
 * @param cpuMillis the processor time of all its threads until then
 * @param wovenMillis from when the agent was loaded until it had woven; empty where the agent does not say it
 */
record Start(double wallMillis, double cpuMillis, OptionalDouble wovenMillis) {

    static final String WALL = "wall, ms";
    static final String CPU = "processor time, ms";
    static final String WOVEN = "until woven, ms";

    /** All that is known, by those names. */
    Map<String, Double> values() {
        Map<String, Double> values = new LinkedHashMap<>();
        values.put(WALL, wallMillis);
        values.put(CPU, cpuMillis);
        wovenMillis.ifPresent(millis -> values.put(WOVEN, millis));
        return values;
    }
}
