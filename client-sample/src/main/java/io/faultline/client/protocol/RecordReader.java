package io.faultline.client.protocol;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.record.internal.BaseRecords;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.Record;
import org.apache.kafka.common.record.internal.RecordBatch;
import org.apache.kafka.common.utils.Utils;

/** Reads record batches back, as a producer needs to. */
public final class RecordReader {

    private RecordReader() {}

    /**
     * What a producer wants to know of a batch in the log.
     *
     * @param stamp by what it is recognised
     * @param baseOffset where it is
     * @param lastOffset where its last record is
     */
    public record Found(ProducerStamp stamp, long baseOffset, long lastOffset) {}

    /** One record of a batch. */
    public interface RecordVisitor {

        /**
         * Takes a record.
         *
         * @param timestamp its time
         * @param key the key, or null
         * @param value the value, or null
         * @param headers its headers
         */
        void visit(long timestamp, byte[] key, byte[] value, Header[] headers);
    }

    /**
     * Lists the whole batches of a fetch.
     *
     * @param records from a fetch response; null counts as empty
     * @return each batch, in the order of the log
     */
    public static List<Found> batches(BaseRecords records) {
        List<Found> found = new ArrayList<>();
        if (records instanceof MemoryRecords fetched) {
            for (RecordBatch batch : fetched.batches()) {
                found.add(new Found(
                        new ProducerStamp(batch.producerId(), batch.producerEpoch(), batch.baseSequence()),
                        batch.baseOffset(),
                        batch.lastOffset()));
            }
        }
        return found;
    }

    /**
     * Reads the records of one batch in memory.
     *
     * @param batch the record batch; not moved
     * @param visitor takes each of them, in order
     */
    public static void forEach(ByteBuffer batch, RecordVisitor visitor) {
        for (Record record : MemoryRecords.readableRecords(batch.duplicate()).records()) {
            visitor.visit(
                    record.timestamp(),
                    Utils.toNullableArray(record.key()),
                    Utils.toNullableArray(record.value()),
                    record.headers());
        }
    }
}
