package io.faultline.broker.api;

import io.faultline.broker.group.CommittedOffset;
import io.faultline.broker.group.GroupCoordinator;
import io.faultline.broker.log.Topic;
import io.faultline.broker.log.Topics;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.OffsetFetchRequestData;
import org.apache.kafka.common.message.OffsetFetchRequestData.OffsetFetchRequestGroup;
import org.apache.kafka.common.message.OffsetFetchRequestData.OffsetFetchRequestTopics;
import org.apache.kafka.common.message.OffsetFetchResponseData;
import org.apache.kafka.common.message.OffsetFetchResponseData.OffsetFetchResponseGroup;
import org.apache.kafka.common.message.OffsetFetchResponseData.OffsetFetchResponsePartition;
import org.apache.kafka.common.message.OffsetFetchResponseData.OffsetFetchResponsePartitions;
import org.apache.kafka.common.message.OffsetFetchResponseData.OffsetFetchResponseTopic;
import org.apache.kafka.common.message.OffsetFetchResponseData.OffsetFetchResponseTopics;
import org.apache.kafka.common.protocol.Errors;

/** Tells groups what they committed. */
public final class OffsetFetchHandler implements RequestHandler<OffsetFetchRequestData> {

    private static final short FIRST_WITH_SEVERAL_GROUPS = 8;
    private static final short FIRST_WITH_TOPIC_IDS = 10;
    private static final CommittedOffset NONE = new CommittedOffset(-1, -1, "", -1);

    private final GroupCoordinator groups;
    private final Topics topics;

    /**
     * Makes a handler.
     *
     * @param groups the groups
     * @param topics the topics
     */
    public OffsetFetchHandler(GroupCoordinator groups, Topics topics) {
        this.groups = groups;
        this.topics = topics;
    }

    @Override
    public void handle(ApiRequest<OffsetFetchRequestData> request) {
        if (request.version() >= FIRST_WITH_SEVERAL_GROUPS) {
            List<OffsetFetchResponseGroup> fetched = request.body().groups().stream()
                    .map(group -> fetch(group, request.version()))
                    .toList();
            request.respond(new OffsetFetchResponseData().setGroups(fetched));
        } else {
            OffsetFetchResponseGroup fetched = fetch(onlyGroup(request.body()), request.version());
            request.respond(new OffsetFetchResponseData()
                    .setTopics(fetched.topics().stream()
                            .map(OffsetFetchHandler::beforeGroups)
                            .toList()));
        }
    }

    private static OffsetFetchRequestGroup onlyGroup(OffsetFetchRequestData body) {
        OffsetFetchRequestGroup group =
                new OffsetFetchRequestGroup().setGroupId(body.groupId()).setTopics(null);
        return body.topics() == null
                ? group
                : group.setTopics(body.topics().stream()
                        .map(topic -> new OffsetFetchRequestTopics()
                                .setName(topic.name())
                                .setPartitionIndexes(topic.partitionIndexes()))
                        .toList());
    }

    private static OffsetFetchResponseTopic beforeGroups(OffsetFetchResponseTopics topic) {
        return new OffsetFetchResponseTopic()
                .setName(topic.name())
                .setPartitions(topic.partitions().stream()
                        .map(partition -> new OffsetFetchResponsePartition()
                                .setPartitionIndex(partition.partitionIndex())
                                .setCommittedOffset(partition.committedOffset())
                                .setCommittedLeaderEpoch(partition.committedLeaderEpoch())
                                .setMetadata(partition.metadata())
                                .setErrorCode(partition.errorCode()))
                        .toList());
    }

    private OffsetFetchResponseGroup fetch(OffsetFetchRequestGroup group, short version) {
        Map<TopicPartition, CommittedOffset> committed = groups.committed(group.groupId());
        List<OffsetFetchRequestTopics> asked = group.topics() == null ? all(committed, version) : group.topics();
        return new OffsetFetchResponseGroup()
                .setGroupId(group.groupId())
                .setTopics(asked.stream()
                        .map(topic -> fetch(topic, committed, version))
                        .toList());
    }

    private List<OffsetFetchRequestTopics> all(Map<TopicPartition, CommittedOffset> committed, short version) {
        Map<String, List<Integer>> byTopic = new TreeMap<>();
        for (TopicPartition partition : committed.keySet()) {
            byTopic.computeIfAbsent(partition.topic(), name -> new ArrayList<>())
                    .add(partition.partition());
        }
        Map<String, Uuid> ids = new HashMap<>();
        topics.all().forEach(topic -> ids.put(topic.name(), topic.id()));
        return byTopic.entrySet().stream()
                // What has no id cannot be named to those who know ids only.
                .filter(entry -> version < FIRST_WITH_TOPIC_IDS || ids.containsKey(entry.getKey()))
                .map(entry -> new OffsetFetchRequestTopics()
                        .setName(entry.getKey())
                        .setTopicId(ids.getOrDefault(entry.getKey(), Uuid.ZERO_UUID))
                        .setPartitionIndexes(entry.getValue()))
                .toList();
    }

    private OffsetFetchResponseTopics fetch(
            OffsetFetchRequestTopics topic, Map<TopicPartition, CommittedOffset> committed, short version) {
        Optional<String> name = version >= FIRST_WITH_TOPIC_IDS
                ? topics.byId(topic.topicId()).map(Topic::name)
                : Optional.of(topic.name());
        Errors error = name.isPresent() ? Errors.NONE : Errors.UNKNOWN_TOPIC_ID;
        return new OffsetFetchResponseTopics()
                .setName(topic.name())
                .setTopicId(topic.topicId())
                .setPartitions(topic.partitionIndexes().stream()
                        .map(index -> {
                            CommittedOffset offset = name.map(
                                            known -> committed.getOrDefault(new TopicPartition(known, index), NONE))
                                    .orElse(NONE);
                            return new OffsetFetchResponsePartitions()
                                    .setPartitionIndex(index)
                                    .setCommittedOffset(offset.offset())
                                    .setCommittedLeaderEpoch(offset.leaderEpoch())
                                    .setMetadata(offset.metadata())
                                    .setErrorCode(error.code());
                        })
                        .toList());
    }
}
