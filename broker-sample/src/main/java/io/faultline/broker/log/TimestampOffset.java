package io.faultline.broker.log;

import org.apache.kafka.common.record.internal.RecordBatch;

/**
 * A timestamp, and the last offset of the first batch that reaches it.
 *
 * @param timestamp in milliseconds since the epoch; {@link RecordBatch#NO_TIMESTAMP} where records have none
 * @param offset the last offset of the batch
 */
record TimestampOffset(long timestamp, long offset) {

    /** The one with the larger timestamp; of the same, this. */
    TimestampOffset max(RecordBatch batch) {
        return batch.maxTimestamp() > timestamp ? new TimestampOffset(batch.maxTimestamp(), batch.lastOffset()) : this;
    }
}
