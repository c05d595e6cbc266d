package io.faultline.client.metadata;

import io.faultline.client.network.HostPort;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.common.TopicPartition;

/**
 * The cluster as it was last heard of. Immutable.
 *
 * @param clusterId its id, null before the first answer
 * @param brokers where each broker listens, by id
 * @param topics the topics that somebody asked about and that there are, by name
 */
public record ClusterView(String clusterId, Map<Integer, HostPort> brokers, Map<String, TopicView> topics) {

    /** Nothing is known yet. */
    public static final ClusterView NOTHING = new ClusterView(null, Map.of(), Map.of());

    /** Copies the maps. */
    public ClusterView {
        brokers = Map.copyOf(brokers);
        topics = Map.copyOf(topics);
    }

    /**
     * A topic.
     *
     * @param name its name
     * @return what is known of it
     */
    public Optional<TopicView> topic(String name) {
        return Optional.ofNullable(topics.get(name));
    }

    /**
     * A partition.
     *
     * @param partition its topic and index
     * @return what is known of it
     */
    public Optional<PartitionView> partition(TopicPartition partition) {
        return topic(partition.topic()).flatMap(topic -> topic.partition(partition.partition()));
    }

    /**
     * The leader of a partition, if it is known and one of the brokers.
     *
     * @param partition its topic and index
     * @return the id of the broker
     */
    public Optional<Integer> leader(TopicPartition partition) {
        return partition(partition)
                .filter(PartitionView::hasLeader)
                .map(PartitionView::leader)
                .filter(brokers::containsKey);
    }
}
