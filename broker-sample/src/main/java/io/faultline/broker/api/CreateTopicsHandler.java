package io.faultline.broker.api;

import io.faultline.broker.log.Topic;
import io.faultline.broker.log.TopicConfig;
import io.faultline.broker.log.Topics;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.errors.ApiException;
import org.apache.kafka.common.errors.InvalidPartitionsException;
import org.apache.kafka.common.errors.InvalidReplicaAssignmentException;
import org.apache.kafka.common.errors.InvalidReplicationFactorException;
import org.apache.kafka.common.errors.InvalidRequestException;
import org.apache.kafka.common.errors.TopicExistsException;
import org.apache.kafka.common.message.CreateTopicsRequestData;
import org.apache.kafka.common.message.CreateTopicsRequestData.CreatableReplicaAssignment;
import org.apache.kafka.common.message.CreateTopicsRequestData.CreatableTopic;
import org.apache.kafka.common.message.CreateTopicsResponseData;
import org.apache.kafka.common.message.CreateTopicsResponseData.CreatableTopicConfigs;
import org.apache.kafka.common.message.CreateTopicsResponseData.CreatableTopicResult;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.DescribeConfigsResponse.ConfigSource;

/** Makes topics that a client asks for, each with one replica: there is one node. */
public final class CreateTopicsHandler implements RequestHandler<CreateTopicsRequestData> {

    private static final int DEFAULT = -1;
    private static final short REPLICAS = 1;
    static final int MOST_PARTITIONS = 10_000;

    private final ThisNode node;
    private final Topics topics;
    private final TopicCreation creation;

    /**
     * Makes a handler.
     *
     * @param node the node
     * @param topics the topics
     * @param creation knows the defaults
     */
    public CreateTopicsHandler(ThisNode node, Topics topics, TopicCreation creation) {
        this.node = node;
        this.topics = topics;
        this.creation = creation;
    }

    @Override
    public void handle(ApiRequest<CreateTopicsRequestData> request) {
        Map<String, Integer> mentions = new HashMap<>();
        request.body().topics().forEach(topic -> mentions.merge(topic.name(), 1, Integer::sum));
        CreateTopicsResponseData response = new CreateTopicsResponseData();
        for (CreatableTopic topic : request.body().topics()) {
            if (response.topics().find(topic.name()) == null) {
                response.topics()
                        .add(create(
                                topic,
                                mentions.get(topic.name()) > 1,
                                request.body().validateOnly()));
            }
        }
        request.respond(response);
    }

    private CreatableTopicResult create(CreatableTopic asked, boolean twice, boolean validateOnly) {
        CreatableTopicResult result = new CreatableTopicResult().setName(asked.name());
        try {
            if (twice) {
                throw new InvalidRequestException("topic " + asked.name() + " is asked for twice");
            }
            int partitions = checkedPartitions(asked);
            TopicConfig config = checkedConfig(asked);
            result.setNumPartitions(partitions).setReplicationFactor(REPLICAS).setConfigs(describe(config));
            if (validateOnly) {
                return result;
            }
            Topic topic = topics.create(asked.name(), partitions, config);
            return result.setTopicId(topic.id());
        } catch (ApiException refused) {
            return result.setNumPartitions(-1)
                    .setReplicationFactor((short) -1)
                    .setConfigs(null)
                    .setErrorCode(Errors.forException(refused).code())
                    .setErrorMessage(ErrorText.of(refused));
        }
    }

    private static TopicConfig checkedConfig(CreatableTopic asked) {
        Map<String, String> settings = new HashMap<>();
        asked.configs().forEach(setting -> settings.put(setting.name(), setting.value()));
        return settings.isEmpty() ? TopicConfig.NONE : TopicConfig.NONE.change(settings);
    }

    private static List<CreatableTopicConfigs> describe(TopicConfig config) {
        return config.settings().entrySet().stream()
                .map(setting -> new CreatableTopicConfigs()
                        .setName(setting.getKey())
                        .setValue(setting.getValue())
                        .setConfigSource(ConfigSource.TOPIC_CONFIG.id()))
                .toList();
    }

    private int checkedPartitions(CreatableTopic asked) {
        TopicCreation.checkName(asked.name());
        if (topics.byName(asked.name()).isPresent()) {
            throw new TopicExistsException("Topic '" + asked.name() + "' already exists.");
        }
        if (!asked.assignments().isEmpty()) {
            return checkedAssignments(asked);
        }
        if (asked.replicationFactor() != DEFAULT && asked.replicationFactor() != REPLICAS) {
            throw new InvalidReplicationFactorException(
                    "replication factor " + asked.replicationFactor() + ": there is one node");
        }
        int partitions = asked.numPartitions() == DEFAULT ? creation.defaultPartitions() : asked.numPartitions();
        if (partitions < 1 || partitions > MOST_PARTITIONS) {
            throw new InvalidPartitionsException(partitions + " partitions: accepted are 1 to " + MOST_PARTITIONS);
        }
        return partitions;
    }

    private int checkedAssignments(CreatableTopic asked) {
        if (asked.numPartitions() != DEFAULT || asked.replicationFactor() != DEFAULT) {
            throw new InvalidRequestException("both assignments and a number of partitions or replicas are given");
        }
        int count = asked.assignments().size();
        for (CreatableReplicaAssignment assignment : asked.assignments()) {
            boolean here = assignment.brokerIds().equals(List.of(node.id()));
            if (!here || assignment.partitionIndex() < 0 || assignment.partitionIndex() >= count) {
                throw new InvalidReplicaAssignmentException("partition " + assignment.partitionIndex() + " on "
                        + assignment.brokerIds() + ": accepted are partitions 0 to " + (count - 1) + ", each on ["
                        + node.id() + "]");
            }
        }
        return count;
    }
}
