package io.faultline.client.protocol;

import org.apache.kafka.common.record.internal.DefaultRecordBatch;
import org.apache.kafka.common.record.internal.RecordBatch;

/**
 * By what a broker recognises a batch that it has got before.
 *
 * @param producerId whose batch it is
 * @param epoch in which epoch
 * @param baseSequence the number of its first record there
 */
public record ProducerStamp(long producerId, short epoch, int baseSequence) {

    /** Of a batch that no broker will recognise. */
    public static final ProducerStamp NONE =
            new ProducerStamp(RecordBatch.NO_PRODUCER_ID, RecordBatch.NO_PRODUCER_EPOCH, RecordBatch.NO_SEQUENCE);

    /**
     * The sequence behind some records.
     *
     * @param sequence of the first of them
     * @param count how many
     * @return the sequence, which begins again at 0 behind the largest int
     */
    public static int advance(int sequence, int count) {
        return DefaultRecordBatch.incrementSequence(sequence, count);
    }
}
