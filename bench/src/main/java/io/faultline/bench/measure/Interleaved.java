package io.faultline.bench.measure;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;

/**
 * Measures a base, the base again as a control, and what is compared with it: each once in every round, in an order that is drawn anew for each. Not safe for use by several threads.
 *
 * @param <S> what names the sides
 */
public final class Interleaved<S> {

    /** One more than the fewest that have a 95 % interval. */
    private static final int FEWEST_ROUNDS = 7;

    private final S base;
    private final List<Rounds.Side<S>> sides = new ArrayList<>();
    private final List<Rounds.Side<S>> order = new ArrayList<>();
    private final Random random = new Random();

    private Interleaved(S base) {
        this.base = base;
    }

    /**
     * Begins with what the others are compared with.
     *
     * @param <S> what names the sides
     * @param base its name
     * @param measurement measures it
     * @return sides to add to
     */
    public static <S> Interleaved<S> of(S base, Measurement measurement) {
        return ofAll(base, Rounds.only(measurement));
    }

    /**
     * Begins with what the others are compared with, in several values at once.
     *
     * @param <S> what names the sides
     * @param base its name
     * @param measurements measures its values
     * @return sides to add to
     */
    public static <S> Interleaved<S> ofAll(S base, Measurements measurements) {
        return ofAll(base, measurements, measurements);
    }

    /**
     * Begins with what the others are compared with, in several values at once, where the control is another process of the same kind: one that works twice in each round has more of its code compiled than those that
     * work once.
     *
     * @param <S> what names the sides
     * @param base its name
     * @param measurements measures its values
     * @param control measures the same values of the control
     * @return sides to add to
     */
    public static <S> Interleaved<S> ofAll(S base, Measurements measurements, Measurements control) {
        Interleaved<S> interleaved = new Interleaved<>(base);
        interleaved.add(new Rounds.Side<>(base, false, measurements));
        interleaved.add(new Rounds.Side<>(base, true, control));
        return interleaved;
    }

    /**
     * Adds a side.
     *
     * @param side its name
     * @param measurement measures it
     * @return this
     */
    public Interleaved<S> with(S side, Measurement measurement) {
        return withAll(side, Rounds.only(measurement));
    }

    /**
     * Adds a side with several values.
     *
     * @param side its name
     * @param measurements measures its values, of the same names as those of the base
     * @return this
     */
    public Interleaved<S> withAll(S side, Measurements measurements) {
        add(new Rounds.Side<>(side, false, measurements));
        return this;
    }

    /**
     * Runs a number of rounds.
     *
     * @param warmUps rounds before, which do not count
     * @param rounds those that count; six give an interval
     * @return what was measured
     * @throws Exception of a measurement
     */
    public Rounds<S> run(int warmUps, int rounds) throws Exception {
        warmUp(warmUps);
        for (int round = 0; round < rounds; round++) {
            round();
        }
        return new Rounds<>(base, sides);
    }

    /**
     * Runs as many rounds as fit a time, and enough of them for an interval whatever they take.
     *
     * @param warmUps rounds before, which do not count
     * @param length when to begin no further round
     * @return what was measured
     * @throws Exception of a measurement
     */
    public Rounds<S> runFor(int warmUps, Duration length) throws Exception {
        warmUp(warmUps);
        long began = System.nanoTime();
        for (int round = 0; round < FEWEST_ROUNDS || System.nanoTime() - began < length.toNanos(); round++) {
            round();
        }
        return new Rounds<>(base, sides);
    }

    private void add(Rounds.Side<S> side) {
        sides.add(side);
        order.add(side);
    }

    private void warmUp(int rounds) throws Exception {
        for (int round = 0; round < rounds; round++) {
            round();
        }
        sides.forEach(Rounds.Side::forget);
    }

    private void round() throws Exception {
        Collections.shuffle(order, random);
        for (Rounds.Side<S> side : order) {
            side.measure();
        }
    }
}
