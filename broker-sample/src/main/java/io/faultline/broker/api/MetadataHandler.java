package io.faultline.broker.api;

import io.faultline.broker.log.Partition;
import io.faultline.broker.log.Topic;
import io.faultline.broker.log.Topics;
import java.util.List;
import java.util.Optional;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.errors.ApiException;
import org.apache.kafka.common.message.MetadataRequestData;
import org.apache.kafka.common.message.MetadataRequestData.MetadataRequestTopic;
import org.apache.kafka.common.message.MetadataResponseData;
import org.apache.kafka.common.message.MetadataResponseData.MetadataResponseBroker;
import org.apache.kafka.common.message.MetadataResponseData.MetadataResponsePartition;
import org.apache.kafka.common.message.MetadataResponseData.MetadataResponseTopic;
import org.apache.kafka.common.protocol.Errors;

/** Tells clients where partitions are. A partition whose directory failed has no leader and an offline replica. */
public final class MetadataHandler implements RequestHandler<MetadataRequestData> {

    private static final int NO_LEADER = -1;

    /** Two versions before it have room for topic ids, but Kafka refuses them there. */
    private static final short FIRST_WITH_TOPIC_IDS = 12;

    private final ThisNode node;
    private final Topics topics;
    private final TopicCreation creation;

    /**
     * Makes a handler.
     *
     * @param node the node
     * @param topics the topics
     * @param creation makes topics that are asked about
     */
    public MetadataHandler(ThisNode node, Topics topics, TopicCreation creation) {
        this.node = node;
        this.topics = topics;
        this.creation = creation;
    }

    @Override
    public void handle(ApiRequest<MetadataRequestData> request) {
        MetadataResponseData response = new MetadataResponseData()
                .setClusterId(node.clusterId())
                .setControllerId(node.id())
                .setClusterAuthorizedOperations(
                        AuthorizedOperations.CLUSTER.bits(request.body().includeClusterAuthorizedOperations()));
        response.brokers()
                .add(new MetadataResponseBroker()
                        .setNodeId(node.id())
                        .setHost(request.origin().listener().host())
                        .setPort(request.origin().listener().port()));
        List<MetadataRequestTopic> asked = request.body().topics();
        // Version 0 has no null: there, an empty list means all topics.
        if (asked == null || (asked.isEmpty() && request.version() == 0)) {
            topics.all().forEach(topic -> response.topics().add(describe(topic)));
        } else if (request.version() < FIRST_WITH_TOPIC_IDS && asked.stream().anyMatch(MetadataHandler::isById)) {
            asked.forEach(topic -> response.topics()
                    .add(new MetadataResponseTopic()
                            .setName(topic.name() == null ? "" : topic.name())
                            .setErrorCode(Errors.INVALID_REQUEST.code())));
        } else {
            boolean create = creation.isAutomatic() && request.body().allowAutoTopicCreation();
            asked.forEach(topic -> response.topics().add(describe(topic, create)));
        }
        int operations = AuthorizedOperations.TOPIC.bits(request.body().includeTopicAuthorizedOperations());
        response.topics().forEach(topic -> topic.setTopicAuthorizedOperations(operations));
        request.respond(response);
    }

    private static boolean isById(MetadataRequestTopic asked) {
        return asked.name() == null || !asked.topicId().equals(Uuid.ZERO_UUID);
    }

    private MetadataResponseTopic describe(MetadataRequestTopic asked, boolean create) {
        MetadataResponseTopic unknown =
                new MetadataResponseTopic().setName(asked.name()).setTopicId(asked.topicId());
        if (asked.name() == null) {
            return topics.byId(asked.topicId())
                    .map(this::describe)
                    .orElseGet(() -> unknown.setErrorCode(Errors.UNKNOWN_TOPIC_ID.code()));
        }
        unknown.setTopicId(Uuid.ZERO_UUID);
        try {
            Optional<Topic> topic = topics.byName(asked.name());
            if (topic.isEmpty() && create) {
                topic = Optional.of(creation.createIfMissing(asked.name()));
            }
            return topic.map(this::describe)
                    .orElseGet(() -> unknown.setErrorCode(Errors.UNKNOWN_TOPIC_OR_PARTITION.code()));
        } catch (ApiException refused) {
            return unknown.setErrorCode(Errors.forException(refused).code());
        }
    }

    private MetadataResponseTopic describe(Topic topic) {
        MetadataResponseTopic description =
                new MetadataResponseTopic().setName(topic.name()).setTopicId(topic.id());
        for (Partition partition : topic.partitions()) {
            boolean offline = partition.isOffline();
            List<Integer> replicas = List.of(node.id());
            description
                    .partitions()
                    .add(new MetadataResponsePartition()
                            .setPartitionIndex(partition.index())
                            .setErrorCode((offline ? Errors.LEADER_NOT_AVAILABLE : Errors.NONE).code())
                            .setLeaderId(offline ? NO_LEADER : node.id())
                            .setLeaderEpoch(partition.leaderEpoch())
                            .setReplicaNodes(replicas)
                            .setIsrNodes(replicas)
                            .setOfflineReplicas(offline ? replicas : List.of()));
        }
        return description;
    }
}
