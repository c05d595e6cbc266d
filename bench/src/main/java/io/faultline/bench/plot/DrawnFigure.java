package io.faultline.bench.plot;

import io.faultline.bench.measure.Figure;
import io.faultline.bench.measure.Interval;
import java.util.List;
import java.util.Map;
import java.util.stream.DoubleStream;

/**
 * A figure as an experiment has written it.
 *
 * @param name what it is of
 * @param unit its unit
 * @param direction {@code at most} or {@code at least}
 * @param target the bound that it must keep to
 * @param result the figure with its interval, the ends of which are infinite where it has none
 * @param outcome what it says of the target, in the words of the JSON
 */
record DrawnFigure(String name, String unit, String direction, double target, Interval result, String outcome) {

    /**
     * Takes a figure out of JSON.
     *
     * @throws IllegalArgumentException if something is missing
     */
    static DrawnFigure of(Map<?, ?> json) {
        return new DrawnFigure(
                text(json, "figure"),
                text(json, "unit"),
                text(json, "direction").replace('_', ' '),
                number(json, "target"),
                new Interval(
                        number(json, "value"),
                        end(json, 0, Double.NEGATIVE_INFINITY),
                        end(json, 1, Double.POSITIVE_INFINITY)),
                text(json, "outcome"));
    }

    /** All of it, such as {@code a call: 12.3 ns [11.9, 12.7], at most 20 ns: reached}. */
    String inWords() {
        String ends = result.low() == result.high() ? "" : " " + Figure.ends(result);
        return name + ": " + Figure.digits(result.value()) + " " + unit + ends + ", " + direction + " "
                + Figure.digits(target) + " " + unit + ": " + outcome;
    }

    /** Whether it has an interval to draw. */
    boolean hasInterval() {
        return Double.isFinite(result.low()) && Double.isFinite(result.high());
    }

    /** What must be on the axis. */
    DoubleStream extent() {
        return DoubleStream.of(target, result.value(), result.low(), result.high())
                .filter(Double::isFinite);
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

    private static double end(Map<?, ?> json, int index, double unknown) {
        boolean known = json.get("interval") instanceof List<?> ends
                && index < ends.size()
                && ends.get(index) instanceof Number;
        return known ? ((Number) ((List<?>) json.get("interval")).get(index)).doubleValue() : unknown;
    }
}
