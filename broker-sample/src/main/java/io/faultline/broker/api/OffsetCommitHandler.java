package io.faultline.broker.api;

import io.faultline.broker.group.CommittedOffset;
import io.faultline.broker.group.GroupCoordinator;
import io.faultline.broker.log.Topic;
import io.faultline.broker.log.Topics;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.ApiException;
import org.apache.kafka.common.message.OffsetCommitRequestData;
import org.apache.kafka.common.message.OffsetCommitRequestData.OffsetCommitRequestPartition;
import org.apache.kafka.common.message.OffsetCommitRequestData.OffsetCommitRequestTopic;
import org.apache.kafka.common.message.OffsetCommitResponseData;
import org.apache.kafka.common.message.OffsetCommitResponseData.OffsetCommitResponsePartition;
import org.apache.kafka.common.message.OffsetCommitResponseData.OffsetCommitResponseTopic;
import org.apache.kafka.common.protocol.Errors;

/** Keeps the offsets that groups commit. */
public final class OffsetCommitHandler implements RequestHandler<OffsetCommitRequestData> {

    private static final short FIRST_WITH_TOPIC_IDS = 10;

    private final GroupCoordinator groups;
    private final Topics topics;

    /**
     * Makes a handler.
     *
     * @param groups the groups
     * @param topics the topics
     */
    public OffsetCommitHandler(GroupCoordinator groups, Topics topics) {
        this.groups = groups;
        this.topics = topics;
    }

    @Override
    public void handle(ApiRequest<OffsetCommitRequestData> request) {
        OffsetCommitRequestData body = request.body();
        Map<TopicPartition, CommittedOffset> accepted = new HashMap<>();
        OffsetCommitResponseData response = check(body, request.version(), accepted);
        try {
            groups.commit(
                    body.groupId(),
                    body.memberId(),
                    body.groupInstanceId(),
                    body.generationIdOrMemberEpoch(),
                    accepted);
        } catch (ApiException refused) {
            short error = Errors.forException(refused).code();
            response.topics()
                    .forEach(topic -> topic.partitions().stream()
                            .filter(partition -> partition.errorCode() == Errors.NONE.code())
                            .forEach(partition -> partition.setErrorCode(error)));
        }
        request.respond(response);
    }

    private OffsetCommitResponseData check(
            OffsetCommitRequestData body, short version, Map<TopicPartition, CommittedOffset> accepted) {
        long nowMs = System.currentTimeMillis();
        OffsetCommitResponseData response = new OffsetCommitResponseData();
        for (OffsetCommitRequestTopic topic : body.topics()) {
            Optional<Topic> known =
                    version >= FIRST_WITH_TOPIC_IDS ? topics.byId(topic.topicId()) : topics.byName(topic.name());
            OffsetCommitResponseTopic checked =
                    new OffsetCommitResponseTopic().setName(topic.name()).setTopicId(topic.topicId());
            for (OffsetCommitRequestPartition partition : topic.partitions()) {
                Errors error = check(known, partition, version);
                if (error == Errors.NONE) {
                    accepted.put(
                            new TopicPartition(known.orElseThrow().name(), partition.partitionIndex()),
                            offset(partition, nowMs));
                }
                checked.partitions()
                        .add(new OffsetCommitResponsePartition()
                                .setPartitionIndex(partition.partitionIndex())
                                .setErrorCode(error.code()));
            }
            response.topics().add(checked);
        }
        return response;
    }

    private Errors check(Optional<Topic> topic, OffsetCommitRequestPartition partition, short version) {
        if (topic.isEmpty() && version >= FIRST_WITH_TOPIC_IDS) {
            return Errors.UNKNOWN_TOPIC_ID;
        }
        if (topic.flatMap(known -> known.partition(partition.partitionIndex())).isEmpty()) {
            return Errors.UNKNOWN_TOPIC_OR_PARTITION;
        }
        try {
            groups.checkMetadata(partition.committedMetadata());
            return Errors.NONE;
        } catch (ApiException refused) {
            return Errors.forException(refused);
        }
    }

    private static CommittedOffset offset(OffsetCommitRequestPartition partition, long nowMs) {
        String metadata = partition.committedMetadata() == null ? "" : partition.committedMetadata();
        return new CommittedOffset(partition.committedOffset(), partition.committedLeaderEpoch(), metadata, nowMs);
    }
}
