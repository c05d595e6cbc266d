package io.faultline.broker;

import java.nio.charset.StandardCharsets;
import java.util.List;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.JoinGroupRequestData;
import org.apache.kafka.common.message.JoinGroupRequestData.JoinGroupRequestProtocol;
import org.apache.kafka.common.message.OffsetCommitRequestData;
import org.apache.kafka.common.message.OffsetCommitRequestData.OffsetCommitRequestPartition;
import org.apache.kafka.common.message.OffsetCommitRequestData.OffsetCommitRequestTopic;
import org.apache.kafka.common.message.OffsetFetchRequestData;
import org.apache.kafka.common.message.OffsetFetchRequestData.OffsetFetchRequestGroup;
import org.apache.kafka.common.message.OffsetFetchRequestData.OffsetFetchRequestTopic;
import org.apache.kafka.common.message.OffsetFetchRequestData.OffsetFetchRequestTopics;
import org.apache.kafka.common.message.SyncGroupRequestData;
import org.apache.kafka.common.message.SyncGroupRequestData.SyncGroupRequestAssignment;

/** Requests of the members of groups. */
public final class GroupRequests {

    private GroupRequests() {}

    /**
     * Joins with the protocol {@code range}, a session time-out of 10 s and a rebalance time-out of 20 s.
     *
     * @param group the group
     * @param memberId the member's id, or empty
     * @return the request
     */
    public static JoinGroupRequestData join(String group, String memberId) {
        JoinGroupRequestData request = new JoinGroupRequestData()
                .setGroupId(group)
                .setMemberId(memberId)
                .setSessionTimeoutMs(10_000)
                .setRebalanceTimeoutMs(20_000)
                .setProtocolType("consumer");
        request.protocols().add(new JoinGroupRequestProtocol().setName("range").setMetadata("metadata".getBytes()));
        return request;
    }

    /**
     * Syncs; with assignments for some members, as a leader does.
     *
     * @param group the group
     * @param memberId the member's id
     * @param generation the generation
     * @param assigned the members that get their {@link #assignment}
     * @return the request
     */
    public static SyncGroupRequestData sync(String group, String memberId, int generation, String... assigned) {
        return new SyncGroupRequestData()
                .setGroupId(group)
                .setMemberId(memberId)
                .setGenerationId(generation)
                .setAssignments(List.of(assigned).stream()
                        .map(member -> new SyncGroupRequestAssignment()
                                .setMemberId(member)
                                .setAssignment(assignment(member)))
                        .toList());
    }

    /**
     * What a member is assigned.
     *
     * @param memberId the member's id
     * @return some bytes
     */
    public static byte[] assignment(String memberId) {
        return ("for " + memberId).getBytes(StandardCharsets.UTF_8);
    }

    static OffsetCommitRequestData commit(String group, String topic, Uuid topicId, long offset) {
        return new OffsetCommitRequestData()
                .setGroupId(group)
                .setTopics(List.of(new OffsetCommitRequestTopic()
                        .setName(topic)
                        .setTopicId(topicId)
                        .setPartitions(List.of(new OffsetCommitRequestPartition()
                                .setPartitionIndex(0)
                                .setCommittedOffset(offset)))));
    }

    static OffsetFetchRequestData fetchOffsets(int version, String group, String topic, Uuid topicId, boolean all) {
        if (version < 8) {
            return new OffsetFetchRequestData()
                    .setGroupId(group)
                    .setTopics(
                            all
                                    ? null
                                    : List.of(new OffsetFetchRequestTopic()
                                            .setName(topic)
                                            .setPartitionIndexes(List.of(0))));
        }
        return new OffsetFetchRequestData()
                .setGroups(List.of(new OffsetFetchRequestGroup()
                        .setGroupId(group)
                        .setTopics(
                                all
                                        ? null
                                        : List.of(new OffsetFetchRequestTopics()
                                                .setName(topic)
                                                .setTopicId(topicId)
                                                .setPartitionIndexes(List.of(0))))));
    }
}
