package io.faultline.bench.measure;

import java.util.ArrayList;
import java.util.List;

/**
 * What {@link Interleaved} measured.
 *
 * @param <S> what names the sides
 */
public final class Rounds<S> {

    private final S base;
    private final List<Side<S>> sides;

    Rounds(S base, List<Side<S>> sides) {
        this.base = base;
        this.sides = List.copyOf(sides);
    }

    /**
     * The values of a side.
     *
     * @param side its name
     * @return a value for each round
     * @throws IllegalArgumentException if there is no such side
     */
    public Samples of(S side) {
        return samples(side, false);
    }

    /**
     * The values of the base when it was measured again as the control.
     *
     * @return a value for each round
     */
    public Samples control() {
        return samples(base, true);
    }

    /**
     * Compares a side with the base.
     *
     * @param side its name
     * @return the comparison, round by round
     * @throws IllegalArgumentException if there is no such side
     */
    public Comparison compare(S side) {
        return new Comparison(of(base), control(), of(side));
    }

    private Samples samples(S name, boolean control) {
        return sides.stream()
                .filter(side -> side.name.equals(name) && side.control == control)
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("no side " + name))
                .samples();
    }

    /** What is measured, and what was. */
    static final class Side<S> {

        private final S name;
        private final boolean control;
        private final Measurement measurement;
        private final List<Double> values = new ArrayList<>();

        Side(S name, boolean control, Measurement measurement) {
            this.name = name;
            this.control = control;
            this.measurement = measurement;
        }

        void measure() throws Exception {
            values.add(measurement.once());
        }

        void forget() {
            values.clear();
        }

        Samples samples() {
            return new Samples(values.stream().mapToDouble(Double::doubleValue).toArray());
        }
    }
}
