package io.faultline.client.spool;

import io.faultline.client.protocol.BatchHeader;
import io.faultline.client.protocol.FramePart.FileRegion;
import io.faultline.client.protocol.ProducerStamp;
import io.faultline.client.protocol.RecordsInFile;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import org.apache.kafka.common.TopicPartition;

/**
 * A batch in the spool. What is in the file never changes: the header, which has the producer's numbers, goes out from memory,
 * and only the records behind it from the file.
 */
public final class SpoolEntry {

    /**
     * Where a batch lies.
     *
     * @param segment the file
     * @param position where the batch begins
     */
    record Location(Segment segment, long position) {}

    private final long id;
    private final TopicPartition partition;
    private final int count;
    private final int size;
    private final byte[] header;
    private final int bodyChecksum;
    private final long acceptedAt;
    private volatile Location location;

    SpoolEntry(
            long id,
            TopicPartition partition,
            int count,
            int size,
            byte[] header,
            int bodyChecksum,
            long acceptedAt,
            Location location) {
        this.id = id;
        this.partition = partition;
        this.count = count;
        this.size = size;
        this.header = header;
        this.bodyChecksum = bodyChecksum;
        this.acceptedAt = acceptedAt;
        this.location = location;
    }

    long id() {
        return id;
    }

    /**
     * Whose batch it is.
     *
     * @return the partition
     */
    public TopicPartition partition() {
        return partition;
    }

    /**
     * How many records it has.
     *
     * @return the count
     */
    public int count() {
        return count;
    }

    /**
     * How large the batch is.
     *
     * @return bytes, the header included
     */
    public int size() {
        return size;
    }

    /**
     * When it was accepted.
     *
     * @return milliseconds since 1970
     */
    public long acceptedAt() {
        return acceptedAt;
    }

    byte[] header() {
        return header;
    }

    int bodyChecksum() {
        return bodyChecksum;
    }

    Location location() {
        return location;
    }

    void moveTo(Location other) {
        location = other;
    }

    /**
     * The batch as it is sent.
     *
     * @param stamp by what the broker is to recognise it
     * @return its header in memory, and the records in the file
     */
    public RecordsInFile records(ProducerStamp stamp) {
        Location now = location;
        ByteBuffer head = BatchHeader.stamped(ByteBuffer.wrap(header), stamp, bodyChecksum, size - header.length);
        return new RecordsInFile(
                head,
                new FileRegion(
                        now.segment().channel(),
                        now.segment().name(),
                        now.position() + header.length,
                        size - header.length));
    }

    /**
     * Says whether a region of an open file touches the batch.
     *
     * @param channel the open file
     * @param position where the region begins
     * @param end where it ends
     * @return true if they have a byte in common
     */
    public boolean overlaps(FileChannel channel, long position, long end) {
        Location now = location;
        return now != null
                && now.segment().channel() == channel
                && now.position() < end
                && position < now.position() + size;
    }

    /**
     * Says whether a position in the file of another batch lies in this one.
     *
     * @param other a batch
     * @param position in its file
     * @return true if this batch is in the same file, at that position
     */
    public boolean isAt(SpoolEntry other, long position) {
        Location there = other.location;
        return there != null && overlaps(there.segment().channel(), position, position + 1);
    }
}
