package io.faultline.classifier;

/** A registration with a {@link FailureFeed}. Closing it, once or more often, from any thread, ends it. */
public interface Subscription extends AutoCloseable {

    /** Ends the registration. A call that is under way may still finish. */
    @Override
    void close();

    /**
     * How many verdicts did not reach the listener because its queue was full.
     *
     * @return the count, 0 for an owner
     */
    default long lost() {
        return 0;
    }
}
