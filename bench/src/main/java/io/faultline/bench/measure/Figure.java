package io.faultline.bench.measure;

import java.util.Locale;
import java.util.Optional;

/**
 * A figure with its target.
 *
 * @param name what it is of
 * @param unit its unit, such as {@code ns} or {@code %}
 * @param target what it must reach
 * @param result what was measured
 * @param control what the control showed; empty where the figure is no comparison
 * @param samples from how many samples
 */
public record Figure(
        String name, String unit, Target target, Interval result, Optional<Interval> control, int samples) {

    /** A run that many times longer is not worth naming. */
    private static final double LONGEST = 100;

    /**
     * Of a comparison.
     *
     * @param name what it is of
     * @param unit its unit
     * @param target what it must reach
     * @param effect what the comparison showed
     * @return the figure
     */
    public static Figure of(String name, String unit, Target target, Effect effect) {
        return new Figure(name, unit, target, effect.interval(), Optional.of(effect.control()), effect.samples());
    }

    /**
     * Of samples that are compared with nothing.
     *
     * @param name what it is of
     * @param unit its unit
     * @param target what it must reach
     * @param result what was measured
     * @param samples from how many samples
     * @return the figure
     */
    public static Figure of(String name, String unit, Target target, Interval result, int samples) {
        return new Figure(name, unit, target, result, Optional.empty(), samples);
    }

    /**
     * What it says of the target.
     *
     * @return the outcome
     */
    public Outcome outcome() {
        return target.judge(result);
    }

    /**
     * What would turn {@link Outcome#NOT_RESOLVABLE} into one of the others.
     *
     * @return empty for other outcomes
     */
    public Optional<String> wouldResolve() {
        if (outcome() != Outcome.NOT_RESOLVABLE) {
            return Optional.empty();
        }
        double distance = Math.abs(result.value() - target.bound());
        double halfWidth =
                result.value() < target.bound() ? result.high() - result.value() : result.value() - result.low();
        if (Double.isInfinite(halfWidth)) {
            return Optional.of("more than " + samples + " samples, too few for an interval");
        }
        // An interval shrinks with the square root of the number of samples.
        double times = Math.pow(halfWidth / distance, 2);
        return Optional.of(
                times > LONGEST
                        ? "it lies at the bound; no longer run would tell, only a quieter machine"
                        : String.format(Locale.ROOT, "about %.0f samples instead of %d", samples * times, samples));
    }

    /**
     * The target in words.
     *
     * @return such as {@code at most 20 ns}
     */
    public String targetText() {
        String text = target.direction() == Target.Direction.AT_MOST ? "at most " : "at least ";
        return text + digits(target.bound()) + " " + unit;
    }

    /**
     * The result with its unit.
     *
     * @return such as {@code 12.3 ns}
     */
    public String resultText() {
        return digits(result.value()) + " " + unit;
    }

    /**
     * The ends of an interval of this figure.
     *
     * @param interval the result or the control
     * @return such as {@code [11.9, 12.7]}
     */
    public static String ends(Interval interval) {
        return "[" + digits(interval.low()) + ", " + digits(interval.high()) + "]";
    }

    /**
     * A number as figures are told: three digits that count, without an exponent.
     *
     * @param value the number; infinite or not a number where it is not known
     * @return such as {@code 12.3}; {@code ?} for what is not known
     */
    public static String digits(double value) {
        if (!Double.isFinite(value)) {
            return "?";
        }
        double size = Math.abs(value);
        int decimals = value == Math.rint(value) || size >= 100 ? 0 : size >= 10 ? 1 : size >= 1 ? 2 : 3;
        return String.format(Locale.ROOT, "%,." + decimals + "f", value);
    }
}
