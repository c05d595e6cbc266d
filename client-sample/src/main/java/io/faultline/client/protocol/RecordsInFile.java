package io.faultline.client.protocol;

import org.apache.kafka.common.record.internal.BaseRecords;
import org.apache.kafka.common.record.internal.RecordsSend;

/**
 * Record batches that lie in a file: as {@code records} of a message they become a part of the frame, and no byte of them is
 * read to encode it.
 *
 * @param region where they lie
 */
public record RecordsInFile(FramePart.FileRegion region) implements BaseRecords {

    @Override
    public int sizeInBytes() {
        return region.size();
    }

    @Override
    public RecordsSend<? extends BaseRecords> toSend() {
        throw new UnsupportedOperationException("sent as a part of a frame");
    }
}
