package io.faultline.broker.log;

import org.apache.kafka.common.record.internal.RecordBatch;

/**
 * A batch of an idempotent producer, as it is remembered.
 *
 * @param producerId whose it is
 * @param epoch of the producer
 * @param lastSequence of its last record
 * @param lastOffset of its last record
 * @param offsetDelta from its first record to its last
 * @param timestamp the largest of its records
 */
record ProducedBatch(long producerId, short epoch, int lastSequence, long lastOffset, int offsetDelta, long timestamp) {

    /** Of a batch that has its offsets. */
    static ProducedBatch of(RecordBatch batch) {
        return new ProducedBatch(
                batch.producerId(),
                batch.producerEpoch(),
                batch.lastSequence(),
                batch.lastOffset(),
                (int) (batch.lastOffset() - batch.baseOffset()),
                batch.maxTimestamp());
    }

    long firstOffset() {
        return lastOffset - offsetDelta;
    }

    /** Says whether another batch has the same sequences. */
    boolean hasSequencesOf(RecordBatch batch) {
        return lastSequence == batch.lastSequence() && offsetDelta == batch.lastOffset() - batch.baseOffset();
    }
}
