package io.faultline.client.spool;

import io.faultline.client.protocol.BatchHeader;
import io.faultline.client.protocol.ProducerStamp;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;

/** What happened to a batch in the spool. */
sealed interface JournalRecord {

    /** Which batch; of {@link Begun} the first that is newer than the journal. */
    long id();

    /** The journal begins with so many batches that were there before. What is older and not among them is settled. */
    record Begun(long id, int batches) implements JournalRecord {}

    /** It was written to a segment: its index entry. */
    record Stored(
            long id,
            long segment,
            long position,
            TopicPartition partition,
            int count,
            int size,
            int bodyChecksum,
            long acceptedAt,
            byte[] header)
            implements JournalRecord {

        /** How long the entry of a batch of a partition is, whatever else is in it. */
        static int encodedSize(TopicPartition partition) {
            return new Stored(0, 0, 0, partition, 0, 0, 0, 0, new byte[BatchHeader.SIZE]).encode().length;
        }
    }

    /** It is going to be sent. */
    record Stamped(long id, Attempt attempt) implements JournalRecord {}

    /** It was copied to another segment. */
    record Moved(long id, long segment, long position) implements JournalRecord {}

    /** It is in the log, or was given up. */
    record Settled(long id) implements JournalRecord {}

    /** Whether it is in the log cannot be found out any more. */
    record Undecided(long id, String why) implements JournalRecord {}

    /** Writes it down. */
    default byte[] encode() {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        DataOutputStream out = new DataOutputStream(bytes);
        try {
            if (this instanceof Stored stored) {
                out.writeByte(1);
                out.writeLong(stored.id);
                out.writeLong(stored.segment);
                out.writeLong(stored.position);
                out.writeUTF(stored.partition.topic());
                out.writeInt(stored.partition.partition());
                out.writeInt(stored.count);
                out.writeInt(stored.size);
                out.writeInt(stored.bodyChecksum);
                out.writeLong(stored.acceptedAt);
                out.write(stored.header);
            } else if (this instanceof Stamped stamped) {
                out.writeByte(2);
                out.writeLong(stamped.id);
                Attempt attempt = stamped.attempt;
                out.writeUTF(attempt.clusterId());
                out.writeLong(attempt.topicId().getMostSignificantBits());
                out.writeLong(attempt.topicId().getLeastSignificantBits());
                out.writeLong(attempt.stamp().producerId());
                out.writeShort(attempt.stamp().epoch());
                out.writeInt(attempt.stamp().baseSequence());
                out.writeLong(attempt.lookFrom());
            } else if (this instanceof Moved moved) {
                out.writeByte(3);
                out.writeLong(moved.id);
                out.writeLong(moved.segment);
                out.writeLong(moved.position);
            } else if (this instanceof Begun begun) {
                out.writeByte(6);
                out.writeLong(begun.id);
                out.writeInt(begun.batches);
            } else if (this instanceof Undecided undecided) {
                out.writeByte(5);
                out.writeLong(undecided.id);
                out.writeUTF(undecided.why);
            } else {
                out.writeByte(4);
                out.writeLong(id());
            }
        } catch (IOException impossible) { // in memory
            throw new IllegalStateException(impossible);
        }
        return bytes.toByteArray();
    }

    /** Reads one back; throws where the bytes are none. */
    static JournalRecord decode(byte[] bytes) throws IOException {
        DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes));
        int type = in.readByte();
        long id = in.readLong();
        return switch (type) {
            case 1 -> {
                long segment = in.readLong();
                long position = in.readLong();
                TopicPartition partition = new TopicPartition(in.readUTF(), in.readInt());
                int count = in.readInt();
                int size = in.readInt();
                int bodyChecksum = in.readInt();
                long acceptedAt = in.readLong();
                byte[] header = new byte[BatchHeader.SIZE];
                in.readFully(header);
                yield new Stored(id, segment, position, partition, count, size, bodyChecksum, acceptedAt, header);
            }
            case 2 ->
                new Stamped(
                        id,
                        new Attempt(
                                in.readUTF(),
                                new Uuid(in.readLong(), in.readLong()),
                                new ProducerStamp(in.readLong(), in.readShort(), in.readInt()),
                                in.readLong()));
            case 3 -> new Moved(id, in.readLong(), in.readLong());
            case 4 -> new Settled(id);
            case 5 -> new Undecided(id, in.readUTF());
            case 6 -> new Begun(id, in.readInt());
            default -> throw new IOException("a record of type " + type);
        };
    }
}
