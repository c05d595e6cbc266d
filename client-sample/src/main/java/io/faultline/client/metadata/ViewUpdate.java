package io.faultline.client.metadata;

import io.faultline.client.network.HostPort;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.MetadataResponseData;
import org.apache.kafka.common.message.MetadataResponseData.MetadataResponseBroker;
import org.apache.kafka.common.message.MetadataResponseData.MetadataResponsePartition;
import org.apache.kafka.common.message.MetadataResponseData.MetadataResponseTopic;
import org.apache.kafka.common.protocol.Errors;

/** Makes the next view out of an answer and the view before. */
final class ViewUpdate {

    private final ClusterView before;
    private final MetadataResponseData response;
    private final Map<String, Errors> topicErrors = new HashMap<>();

    ViewUpdate(ClusterView before, MetadataResponseData response) {
        this.before = before;
        this.response = response;
    }

    /** What the answer has against topics, after {@link #after} was called. */
    Map<String, Errors> topicErrors() {
        return topicErrors;
    }

    /**
     * The view that follows.
     *
     * @param wanted the topics that it is to keep
     */
    ClusterView after(Set<String> wanted) {
        Map<Integer, HostPort> brokers = new HashMap<>();
        for (MetadataResponseBroker broker : response.brokers()) {
            brokers.put(broker.nodeId(), new HostPort(broker.host(), broker.port()));
        }
        Map<String, TopicView> topics = new HashMap<>(before.topics());
        topics.keySet().retainAll(wanted);
        for (MetadataResponseTopic topic : response.topics()) {
            Errors error = Errors.forCode(topic.errorCode());
            if (error == Errors.NONE) {
                topics.put(topic.name(), topic(topic, topics.get(topic.name())));
            } else if (topic.name() != null) {
                topicErrors.put(topic.name(), error);
                if (error == Errors.UNKNOWN_TOPIC_OR_PARTITION) {
                    topics.remove(topic.name());
                }
            }
        }
        return new ClusterView(response.clusterId(), brokers, topics);
    }

    private static TopicView topic(MetadataResponseTopic topic, TopicView known) {
        Map<Integer, PartitionView> partitions = new HashMap<>();
        boolean sameTopic = known != null && sameId(known.id(), topic.topicId());
        for (MetadataResponsePartition partition : topic.partitions()) {
            PartitionView now =
                    new PartitionView(partition.partitionIndex(), partition.leaderId(), partition.leaderEpoch());
            PartitionView then = sameTopic ? known.partitions().get(now.index()) : null;
            partitions.put(now.index(), isStale(now, then) ? then : now);
        }
        return new TopicView(topic.name(), topic.topicId(), partitions);
    }

    private static boolean sameId(Uuid one, Uuid other) {
        return one.equals(other) || one.equals(Uuid.ZERO_UUID) || other.equals(Uuid.ZERO_UUID);
    }

    /** A broker that lags behind tells of a leader who is none any more. */
    private static boolean isStale(PartitionView now, PartitionView then) {
        return then != null && now.leaderEpoch() >= 0 && now.leaderEpoch() < then.leaderEpoch();
    }
}
