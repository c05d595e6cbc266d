package io.faultline.classifier;

/** Receives verdicts. What it throws is counted and goes no further. */
@FunctionalInterface
public interface FailureListener {

    /**
     * Takes one verdict. Called on a thread of the subscription's own, one call at a time, in the order of the verdicts.
     *
     * @param classification the verdict with all that is known about it, never null
     */
    void onClassification(Classification classification);
}
