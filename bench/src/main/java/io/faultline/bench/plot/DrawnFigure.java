package io.faultline.bench.plot;

import java.util.List;
import java.util.Map;

/**
 * A figure as an experiment has written it.
 *
 * @param name what it is of
 * @param unit its unit
 * @param target the bound that it must keep to
 * @param value the figure
 * @param low the lower end of its interval; the value where it has none
 * @param high the upper end; the value where it has none
 * @param outcome what it says of the target, in the words of the JSON
 */
record DrawnFigure(String name, String unit, double target, double value, double low, double high, String outcome) {

    /**
     * Takes a figure out of JSON.
     *
     * @throws IllegalArgumentException if something is missing
     */
    static DrawnFigure of(Map<?, ?> json) {
        double value = number(json, "value");
        List<?> interval = json.get("interval") instanceof List<?> ends && ends.size() == 2 ? ends : List.of();
        return new DrawnFigure(
                text(json, "figure"),
                text(json, "unit"),
                number(json, "target"),
                value,
                interval.isEmpty() || interval.get(0) == null ? value : ((Number) interval.get(0)).doubleValue(),
                interval.isEmpty() || interval.get(1) == null ? value : ((Number) interval.get(1)).doubleValue(),
                text(json, "outcome"));
    }

    private static double number(Map<?, ?> json, String key) {
        if (json.get(key) instanceof Number number) {
            return number.doubleValue();
        }
        throw new IllegalArgumentException("a figure has no number " + key + ": " + json);
    }

    private static String text(Map<?, ?> json, String key) {
        if (json.get(key) instanceof String text) {
            return text;
        }
        throw new IllegalArgumentException("a figure has no text " + key + ": " + json);
    }
}
