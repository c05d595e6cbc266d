package io.faultline.bench.measure;

/**
 * What a figure must reach.
 *
 * @param bound the bound, in the figure's unit; itself on the good side
 * @param direction on which side of it is good
 */
public record Target(double bound, Direction direction) {

    /** The good side of a bound. */
    public enum Direction {
        /** The bound and below. */
        AT_MOST,
        /** The bound and above. */
        AT_LEAST
    }

    /**
     * A target that more misses.
     *
     * @param bound the most
     * @return the target
     */
    public static Target atMost(double bound) {
        return new Target(bound, Direction.AT_MOST);
    }

    /**
     * A target that less misses.
     *
     * @param bound the least
     * @return the target
     */
    public static Target atLeast(double bound) {
        return new Target(bound, Direction.AT_LEAST);
    }

    /**
     * Judges a figure. Only an interval that lies wholly on one side says something: so two runs of which one says reached and one says missed need a mistake of both intervals at once.
     *
     * @param interval the figure
     * @return what it says
     */
    public Outcome judge(Interval interval) {
        boolean most = direction == Direction.AT_MOST;
        if (most ? interval.high() <= bound : interval.low() >= bound) {
            return Outcome.REACHED;
        }
        boolean missed = most ? interval.low() > bound : interval.high() < bound;
        return missed ? Outcome.MISSED : Outcome.NOT_RESOLVABLE;
    }
}
