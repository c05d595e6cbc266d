package io.faultline.client.spool;

import io.faultline.client.protocol.BatchHeader;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;
import org.apache.kafka.common.TopicPartition;

/**
 * A batch that is to go into the spool.
 *
 * @param partition whose it is
 * @param count how many records it has
 * @param bytes the whole record batch; nobody may write it
 * @param attempt under what it was sent already; null if it never was
 */
public record Unstored(TopicPartition partition, int count, ByteBuffer bytes, Attempt attempt) {

    int bodyChecksum() {
        return checksumOfBody(bytes);
    }

    byte[] header() {
        byte[] header = new byte[BatchHeader.SIZE];
        bytes.get(bytes.position(), header);
        return header;
    }

    static int checksumOfBody(ByteBuffer batch) {
        CRC32C checksum = new CRC32C();
        checksum.update(batch.slice(batch.position() + BatchHeader.SIZE, batch.remaining() - BatchHeader.SIZE));
        return (int) checksum.getValue();
    }
}
