package io.faultline.broker.log;

import java.util.List;
import java.util.Optional;
import org.apache.kafka.common.Uuid;

/**
 * A topic.
 *
 * @param name its name
 * @param id its id, which stays the same for the life of the topic
 * @param partitions its partitions, in the order of their indexes, without a gap
 * @param config what was set for it
 */
public record Topic(String name, Uuid id, List<Partition> partitions, TopicConfig config) {

    /**
     * One of the partitions.
     *
     * @param index the index, any number
     * @return the partition, empty if the topic has no such one
     */
    public Optional<Partition> partition(int index) {
        return index >= 0 && index < partitions.size() ? Optional.of(partitions.get(index)) : Optional.empty();
    }
}
