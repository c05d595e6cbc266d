package io.faultline.bench.measure;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What {@link Interleaved} measured.
 *
 * @param <S> what names the sides
 */
public final class Rounds<S> {

    /** The name of the value of a side that has only one. */
    private static final String ONLY = "";

    private final S base;
    private final List<Side<S>> sides;

    Rounds(S base, List<Side<S>> sides) {
        this.base = base;
        this.sides = List.copyOf(sides);
    }

    /** One value as several. */
    static Measurements only(Measurement measurement) {
        return () -> Map.of(ONLY, measurement.once());
    }

    /**
     * The values of a side that has one in each round.
     *
     * @param side its name
     * @return a value for each round
     * @throws IllegalArgumentException if there is no such side
     */
    public Samples of(S side) {
        return of(side, ONLY);
    }

    /**
     * One of the values of a side that has several in each round.
     *
     * @param side its name
     * @param value the value's name
     * @return a value for each round
     * @throws IllegalArgumentException if there is no such side or value
     */
    public Samples of(S side, String value) {
        return samples(side, false, value);
    }

    /**
     * How many rounds counted.
     *
     * @return the number of values that there are of each
     */
    public int count() {
        return sides.get(0).values.values().iterator().next().size();
    }

    /**
     * What was measured of the base in each round.
     *
     * @return the names of its values, in the order in which they were measured
     */
    public List<String> values() {
        return List.copyOf(sides.get(0).values.keySet());
    }

    /**
     * The values of the base when it was measured again as the control.
     *
     * @return a value for each round
     */
    public Samples control() {
        return samples(base, true, ONLY);
    }

    /**
     * Compares a side with the base.
     *
     * @param side its name
     * @return the comparison, round by round
     * @throws IllegalArgumentException if there is no such side
     */
    public Comparison compare(S side) {
        return compare(side, ONLY);
    }

    /**
     * Compares one of several values of a side with that of the base.
     *
     * @param side its name
     * @param value the value's name
     * @return the comparison, round by round
     * @throws IllegalArgumentException if there is no such side or value
     */
    public Comparison compare(S side, String value) {
        return new Comparison(of(base, value), samples(base, true, value), of(side, value));
    }

    private Samples samples(S name, boolean control, String value) {
        return sides.stream()
                .filter(side -> side.name.equals(name) && side.control == control)
                .findFirst()
                .map(side -> side.values.get(value))
                .map(values -> new Samples(
                        values.stream().mapToDouble(Double::doubleValue).toArray()))
                .orElseThrow(() -> new IllegalArgumentException("nothing of that name: " + name + " " + value));
    }

    /** What is measured, and what was. */
    static final class Side<S> {

        private final S name;
        private final boolean control;
        private final Measurements measurements;
        private final Map<String, List<Double>> values = new LinkedHashMap<>();

        Side(S name, boolean control, Measurements measurements) {
            this.name = name;
            this.control = control;
            this.measurements = measurements;
        }

        void measure() throws Exception {
            measurements
                    .once()
                    .forEach((value, measured) -> values.computeIfAbsent(value, first -> new ArrayList<>())
                            .add(measured));
        }

        void forget() {
            values.clear();
        }
    }
}
