package io.faultline.broker.group;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.common.TopicPartition;

/**
 * One change of a group's committed offsets.
 *
 * @param version grows with each change of any group: nanoseconds since 1970, or one more than the last
 * @param group the group
 * @param committed offsets that are new
 * @param removed partitions whose offsets are gone
 */
record OffsetChange(
        long version, String group, Map<TopicPartition, CommittedOffset> committed, Set<TopicPartition> removed) {

    byte[] bytes() {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (DataOutputStream out = new DataOutputStream(bytes)) {
            out.writeLong(version);
            out.writeUTF(group);
            out.writeInt(committed.size());
            for (Map.Entry<TopicPartition, CommittedOffset> entry : committed.entrySet()) {
                write(entry.getKey(), out);
                out.writeLong(entry.getValue().offset());
                out.writeInt(entry.getValue().leaderEpoch());
                out.writeUTF(entry.getValue().metadata());
                out.writeLong(entry.getValue().committedMs());
            }
            out.writeInt(removed.size());
            for (TopicPartition partition : removed) {
                write(partition, out);
            }
        } catch (IOException impossible) {
            // Memory does not fail; a text that is too long would, and none is accepted.
            throw new UncheckedIOException(impossible);
        }
        return bytes.toByteArray();
    }

    private static void write(TopicPartition partition, DataOutputStream out) throws IOException {
        out.writeUTF(partition.topic());
        out.writeInt(partition.partition());
    }

    static OffsetChange of(byte[] bytes) throws IOException {
        DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes));
        long version = in.readLong();
        String group = in.readUTF();
        Map<TopicPartition, CommittedOffset> committed = new HashMap<>();
        for (int left = in.readInt(); left > 0; left--) {
            committed.put(
                    readPartition(in), new CommittedOffset(in.readLong(), in.readInt(), in.readUTF(), in.readLong()));
        }
        Set<TopicPartition> removed = new HashSet<>();
        for (int left = in.readInt(); left > 0; left--) {
            removed.add(readPartition(in));
        }
        return new OffsetChange(version, group, committed, removed);
    }

    private static TopicPartition readPartition(DataInputStream in) throws IOException {
        return new TopicPartition(in.readUTF(), in.readInt());
    }
}
