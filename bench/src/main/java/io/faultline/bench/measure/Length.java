package io.faultline.bench.measure;

import java.time.Duration;
import picocli.CommandLine.Option;

/** How long an experiment measures, as options of its command line. */
public final class Length {

    @Option(
            names = "--seconds",
            description = "For how long rounds are begun; some are always run. ${DEFAULT-VALUE} by default.")
    private int seconds;

    @Option(names = "--rounds", description = "Run so many rounds instead; below six no figure has an interval.")
    private int rounds;

    /**
     * Sets the default.
     *
     * @param seconds for how long rounds are begun
     */
    public Length(int seconds) {
        this.seconds = seconds;
    }

    /**
     * Measures for that long.
     *
     * @param <S> what names the sides
     * @param sides what to measure
     * @param warmUps rounds before, which do not count
     * @param share which part of the time, between 0 and 1
     * @return what was measured
     * @throws Exception of a measurement
     */
    public <S> Rounds<S> of(Interleaved<S> sides, int warmUps, double share) throws Exception {
        return rounds > 0
                ? sides.run(0, rounds)
                : sides.runFor(warmUps, Duration.ofMillis(Math.round(1_000 * seconds * share)));
    }
}
