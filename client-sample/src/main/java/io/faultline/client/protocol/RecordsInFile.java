package io.faultline.client.protocol;

import java.nio.ByteBuffer;
import org.apache.kafka.common.record.internal.BaseRecords;
import org.apache.kafka.common.record.internal.RecordsSend;

/**
 * Record batches that lie in a file: as {@code records} of a message they become a part of the frame, and no byte of them is
 * read to encode it. What changes from one attempt to the next goes in front, from memory.
 *
 * @param head the first bytes, which are not in the file; may be empty
 * @param region where the others lie
 */
public record RecordsInFile(ByteBuffer head, FramePart.FileRegion region) implements BaseRecords {

    @Override
    public int sizeInBytes() {
        return head.remaining() + region.size();
    }

    @Override
    public RecordsSend<? extends BaseRecords> toSend() {
        throw new UnsupportedOperationException("sent as a part of a frame");
    }
}
