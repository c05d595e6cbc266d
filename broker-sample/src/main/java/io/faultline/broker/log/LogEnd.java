package io.faultline.broker.log;

/**
 * The end of a log, as one consistent fact.
 *
 * @param offset the offset that the next record gets
 * @param segmentBaseOffset the active segment
 * @param position how many bytes of the active segment hold whole, acknowledged batches
 */
public record LogEnd(long offset, long segmentBaseOffset, int position) {}
