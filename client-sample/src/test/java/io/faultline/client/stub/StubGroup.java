package io.faultline.client.stub;

import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.message.JoinGroupRequestData;
import org.apache.kafka.common.message.JoinGroupResponseData;
import org.apache.kafka.common.message.SyncGroupRequestData;

/** The coordinator's side of a group of one member. */
public final class StubGroup {

    private final Map<TopicPartition, Long> committed = new HashMap<>();
    private int generation;
    private String member = "";
    private byte[] assignment = {};

    StubGroup() {}

    synchronized JoinGroupResponseData join(JoinGroupRequestData request) {
        generation++;
        member = request.memberId().isEmpty() ? "member-" + generation : request.memberId();
        JoinGroupRequestData.JoinGroupRequestProtocol protocol =
                request.protocols().iterator().next();
        JoinGroupResponseData response = new JoinGroupResponseData()
                .setGenerationId(generation)
                .setProtocolType(request.protocolType())
                .setProtocolName(protocol.name())
                .setLeader(member)
                .setMemberId(member);
        response.members()
                .add(new JoinGroupResponseData.JoinGroupResponseMember()
                        .setMemberId(member)
                        .setMetadata(protocol.metadata()));
        return response;
    }

    synchronized byte[] sync(SyncGroupRequestData request) {
        for (SyncGroupRequestData.SyncGroupRequestAssignment each : request.assignments()) {
            if (each.memberId().equals(member)) {
                assignment = each.assignment();
            }
        }
        return assignment;
    }

    synchronized void commit(TopicPartition partition, long offset) {
        committed.put(partition, offset);
    }

    /**
     * What was committed.
     *
     * @param partition of which partition
     * @return the offset, or -1 for none
     */
    public synchronized long committed(TopicPartition partition) {
        return committed.getOrDefault(partition, -1L);
    }

    /**
     * The generation.
     *
     * @return how often somebody has joined
     */
    public synchronized int generation() {
        return generation;
    }

    synchronized boolean knows(int ofGeneration, String memberId) {
        return ofGeneration == generation && memberId.equals(member);
    }
}
