package io.faultline.broker.api;

import io.faultline.broker.group.GroupCoordinator;
import java.util.HashSet;
import java.util.Set;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.ApiException;
import org.apache.kafka.common.message.OffsetDeleteRequestData;
import org.apache.kafka.common.message.OffsetDeleteRequestData.OffsetDeleteRequestPartition;
import org.apache.kafka.common.message.OffsetDeleteRequestData.OffsetDeleteRequestTopic;
import org.apache.kafka.common.message.OffsetDeleteResponseData;
import org.apache.kafka.common.message.OffsetDeleteResponseData.OffsetDeleteResponsePartition;
import org.apache.kafka.common.message.OffsetDeleteResponseData.OffsetDeleteResponseTopic;
import org.apache.kafka.common.protocol.Errors;

/** Forgets committed offsets that no member of their group uses. */
public final class OffsetDeleteHandler implements RequestHandler<OffsetDeleteRequestData> {

    private final GroupCoordinator groups;

    /**
     * Makes a handler.
     *
     * @param groups the groups
     */
    public OffsetDeleteHandler(GroupCoordinator groups) {
        this.groups = groups;
    }

    @Override
    public void handle(ApiRequest<OffsetDeleteRequestData> request) {
        try {
            request.respond(delete(request.body()));
        } catch (ApiException refused) {
            request.respond(new OffsetDeleteResponseData()
                    .setErrorCode(Errors.forException(refused).code()));
        }
    }

    private OffsetDeleteResponseData delete(OffsetDeleteRequestData body) {
        Set<TopicPartition> partitions = new HashSet<>();
        for (OffsetDeleteRequestTopic topic : body.topics()) {
            for (OffsetDeleteRequestPartition partition : topic.partitions()) {
                partitions.add(new TopicPartition(topic.name(), partition.partitionIndex()));
            }
        }
        Set<TopicPartition> used = groups.deleteOffsets(body.groupId(), partitions);
        OffsetDeleteResponseData response = new OffsetDeleteResponseData();
        for (OffsetDeleteRequestTopic topic : body.topics()) {
            OffsetDeleteResponseTopic deleted = new OffsetDeleteResponseTopic().setName(topic.name());
            for (OffsetDeleteRequestPartition partition : topic.partitions()) {
                boolean kept = used.contains(new TopicPartition(topic.name(), partition.partitionIndex()));
                Errors error = kept ? Errors.GROUP_SUBSCRIBED_TO_TOPIC : Errors.NONE;
                deleted.partitions()
                        .add(new OffsetDeleteResponsePartition()
                                .setPartitionIndex(partition.partitionIndex())
                                .setErrorCode(error.code()));
            }
            response.topics().add(deleted);
        }
        return response;
    }
}
