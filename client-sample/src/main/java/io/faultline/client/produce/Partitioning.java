package io.faultline.client.produce;

import io.faultline.client.metadata.PartitionView;
import io.faultline.client.metadata.TopicView;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import org.apache.kafka.clients.producer.internals.BuiltInPartitioner;

/**
 * Chooses the partition of a record, as Kafka's own producers do: by the key where there is one, else one partition for as many
 * bytes as a batch has, then another that has a leader. For any thread.
 */
final class Partitioning {

    private final int stickyBytes;
    private final boolean ignoreKeys;
    private final Map<String, Sticky> sticky = new ConcurrentHashMap<>();

    Partitioning(int stickyBytes, boolean ignoreKeys) {
        this.stickyBytes = stickyBytes;
        this.ignoreKeys = ignoreKeys;
    }

    /**
     * Chooses.
     *
     * @param topic the topic, with at least one partition
     * @param key the key, or null
     * @param size of the record, in bytes
     * @return the index of the partition
     */
    int choose(TopicView topic, byte[] key, int size) {
        if (key != null && !ignoreKeys) {
            return BuiltInPartitioner.partitionForKey(key, topic.partitions().size());
        }
        return sticky.compute(topic.name(), (name, now) -> {
                    boolean stays = now != null && now.bytes < stickyBytes && isUsable(topic, now.partition);
                    return stays ? now.plus(size) : new Sticky(another(topic), size);
                })
                .partition;
    }

    private static boolean isUsable(TopicView topic, int partition) {
        return topic.partition(partition).filter(PartitionView::hasLeader).isPresent();
    }

    private static int another(TopicView topic) {
        List<Integer> led = topic.partitions().values().stream()
                .filter(PartitionView::hasLeader)
                .map(PartitionView::index)
                .toList();
        List<Integer> candidates =
                led.isEmpty() ? List.copyOf(topic.partitions().keySet()) : led;
        return candidates.get(ThreadLocalRandom.current().nextInt(candidates.size()));
    }

    private record Sticky(int partition, long bytes) {
        Sticky plus(int more) {
            return new Sticky(partition, bytes + more);
        }
    }
}
