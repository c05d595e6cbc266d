package io.faultline.bench.throughput;

import io.faultline.bench.measure.Comparison;
import io.faultline.bench.measure.Samples;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;

/** Measures several values of a base, of the base again as a control, and of a candidate, all in every round and in an order that is drawn anew for each. Not safe for use by several threads. */
final class ByTurns {

    /** So many rounds have a 95 % interval. */
    static final int FEWEST = 7;

    /** What is measured in a round. */
    enum Side {
        /** What the candidate is compared with. */
        BASE,
        /** The same once more: what it differs by is noise. */
        CONTROL,
        /** What is compared. */
        CANDIDATE;

        /** Whether it is the base, for the first time or the second. */
        boolean isBase() {
            return this != CANDIDATE;
        }
    }

    /** Measures a side once. */
    @FunctionalInterface
    interface Measurement {

        /** The values by their names, the same names each time. */
        Map<String, Double> of(Side side) throws Exception;
    }

    private final Map<Side, Map<String, List<Double>>> values = new EnumMap<>(Side.class);
    private final List<Side> order = new ArrayList<>(List.of(Side.values()));
    private final Random random = new Random();

    /** Runs as many rounds as fit a time, and at least so many; those of the warm-up come before that and do not count. Returns how many counted. */
    int run(int warmUps, int atLeast, Duration length, Measurement measurement) throws Exception {
        for (int round = 0; round < warmUps; round++) {
            round(measurement);
        }
        values.clear();
        long began = System.nanoTime();
        int rounds = 0;
        while (rounds < atLeast || System.nanoTime() - began < length.toNanos()) {
            round(measurement);
            rounds++;
        }
        return rounds;
    }

    private void round(Measurement measurement) throws Exception {
        Collections.shuffle(order, random);
        for (Side side : order) {
            measurement
                    .of(side)
                    .forEach((name, value) -> values.computeIfAbsent(side, none -> new LinkedHashMap<>())
                            .computeIfAbsent(name, none -> new ArrayList<>())
                            .add(value));
        }
    }

    /** The names of what was measured, in the order in which it was. */
    Set<String> names() {
        return values.get(Side.BASE).keySet();
    }

    /** The values of a side. */
    Samples samples(Side side, String name) {
        return new Samples(values.get(side).get(name).stream()
                .mapToDouble(Double::doubleValue)
                .toArray());
    }

    /** The candidate beside the base. */
    Comparison compare(String name) {
        return new Comparison(samples(Side.BASE, name), samples(Side.CONTROL, name), samples(Side.CANDIDATE, name));
    }
}
