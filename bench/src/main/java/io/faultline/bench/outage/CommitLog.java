package io.faultline.bench.outage;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * The offsets that a group committed, in the order in which Apache Kafka's coordinators carried the commits out: they keep them in a
 * topic. What a coordinator answers while it takes over from another may be older than what is in there.
 */
final class CommitLog {

    static final String TOPIC = "__consumer_offsets";

    /** Keys of other versions are of other things, such as the members of a group. */
    private static final short LAST_VERSION_OF_OFFSETS = 1;

    private CommitLog() {}

    /**
     * A commit.
     *
     * @param partition of which partition
     * @param offset the next record's
     */
    record Commit(int partition, long offset) {}

    /** Reads what is there now. */
    static List<Commit> read(String bootstrap, int partitions, String group, String topic) {
        List<Commit> commits = new ArrayList<>();
        WholeTopic.read(bootstrap, TOPIC, partitions, record -> {
            // The coordinator's own format, fixed since 0.9: OffsetCommitKey.json and OffsetCommitValue.json of Kafka.
            ByteBuffer key = ByteBuffer.wrap(record.key());
            if (key.getShort() <= LAST_VERSION_OF_OFFSETS
                    && record.value() != null
                    && text(key).equals(group)
                    && text(key).equals(topic)) {
                commits.add(new Commit(key.getInt(), offset(record)));
            }
        });
        return commits;
    }

    /** The first field in every version. */
    private static long offset(ConsumerRecord<byte[], byte[]> record) {
        return ByteBuffer.wrap(record.value()).getLong(Short.BYTES);
    }

    private static String text(ByteBuffer key) {
        byte[] bytes = new byte[key.getShort()];
        key.get(bytes);
        return new String(bytes, StandardCharsets.UTF_8);
    }
}
