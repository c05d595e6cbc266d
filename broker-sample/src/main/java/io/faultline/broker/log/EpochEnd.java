package io.faultline.broker.log;

/**
 * Where a leader epoch ended.
 *
 * @param epoch the epoch, or the last one before it that has records
 * @param endOffset the first offset behind it
 */
public record EpochEnd(int epoch, long endOffset) {

    /** That an epoch is not known. */
    public static final EpochEnd UNKNOWN = new EpochEnd(-1, -1);
}
