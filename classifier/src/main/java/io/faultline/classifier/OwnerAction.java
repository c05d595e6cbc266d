package io.faultline.classifier;

/** What became of a {@link Verdict#DISK} verdict at the owner of the directory. */
public enum OwnerAction {
    /** Nothing: the verdict was another one, or nobody claims the directory. */
    NONE,
    /** The owner was told and takes the directory offline. */
    FED,
    /** Nothing was done because the mode, or the rule for the last directory, says to observe only. */
    OBSERVED,
    /** The owner does not know the directory, so it was not told. */
    UNKNOWN,
    /** The directory was offline already. */
    ALREADY,
    /** Nothing was done because as many directories as allowed have been taken offline. */
    LIMITED,
    /** The owner failed, or did not answer in time. */
    ERROR
}
