package io.faultline.client.protocol;

import java.nio.ByteBuffer;
import java.util.zip.CRC32C;
import org.apache.kafka.common.record.internal.DefaultRecordBatch;

/** The fields of a record batch's header that an idempotent producer writes. */
public final class BatchHeader {

    /** How long the header is. */
    public static final int SIZE = DefaultRecordBatch.RECORD_BATCH_OVERHEAD;

    // As the protocol guide has them; kafka-clients keeps its own constants to itself.
    private static final int ATTRIBUTES = 21;
    private static final int PRODUCER_ID = 43;
    private static final int PRODUCER_EPOCH = 51;
    private static final int BASE_SEQUENCE = 53;

    private BatchHeader() {}

    /**
     * Writes who produced a batch, and its checksum anew.
     *
     * @param batch the whole record batch, from position to limit, which stay where they are; nobody may be reading it
     * @param stamp the producer id, its epoch, and the sequence of the first record
     */
    public static void stamp(ByteBuffer batch, ProducerStamp stamp) {
        int start = batch.position();
        batch.putLong(start + PRODUCER_ID, stamp.producerId());
        batch.putShort(start + PRODUCER_EPOCH, stamp.epoch());
        batch.putInt(start + BASE_SEQUENCE, stamp.baseSequence());
        CRC32C checksum = new CRC32C();
        checksum.update(batch.slice(start + ATTRIBUTES, batch.remaining() - ATTRIBUTES));
        batch.putInt(start + DefaultRecordBatch.CRC_OFFSET, (int) checksum.getValue());
    }

    /**
     * Makes the header of a batch whose records are elsewhere.
     *
     * @param header the header of the same batch under whatever stamp; not changed
     * @param stamp the producer id, its epoch, and the sequence of the first record
     * @param bodyChecksum the CRC-32C of what follows the header
     * @param bodySize how long that is
     * @return a new header
     */
    public static ByteBuffer stamped(ByteBuffer header, ProducerStamp stamp, int bodyChecksum, int bodySize) {
        ByteBuffer copy = ByteBuffer.allocate(SIZE).put(header.duplicate()).flip();
        stamp(copy, stamp);
        int ofHeader = copy.getInt(DefaultRecordBatch.CRC_OFFSET);
        copy.putInt(DefaultRecordBatch.CRC_OFFSET, Checksums.concatenated(ofHeader, bodyChecksum, bodySize));
        return copy;
    }

    /**
     * Reads who produced a batch.
     *
     * @param batch a record batch or its header, from its position on
     * @return the stamp
     */
    public static ProducerStamp stampOf(ByteBuffer batch) {
        int start = batch.position();
        return new ProducerStamp(
                batch.getLong(start + PRODUCER_ID),
                batch.getShort(start + PRODUCER_EPOCH),
                batch.getInt(start + BASE_SEQUENCE));
    }
}
