package io.faultline.broker.log;

import org.apache.kafka.common.record.internal.Records;

/**
 * What a read found: a region of a segment file, not yet read.
 *
 * @param records the region, for the zero-copy send; empty at the end of the log
 * @param segmentBaseOffset the segment that the region lies in
 * @param position where the region starts in the segment's file
 * @param firstBatchBytes the size of its first batch, 0 if the region is empty
 * @param startOffset the start of the log
 * @param end the end of the log as the read saw it
 */
public record LogSlice(
        Records records, long segmentBaseOffset, int position, int firstBatchBytes, long startOffset, LogEnd end) {}
