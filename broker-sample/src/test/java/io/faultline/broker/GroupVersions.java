package io.faultline.broker;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.List;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.DeleteGroupsRequestData;
import org.apache.kafka.common.message.DeleteGroupsResponseData;
import org.apache.kafka.common.message.DescribeGroupsRequestData;
import org.apache.kafka.common.message.DescribeGroupsResponseData;
import org.apache.kafka.common.message.DescribeGroupsResponseData.DescribedGroup;
import org.apache.kafka.common.message.FindCoordinatorRequestData;
import org.apache.kafka.common.message.FindCoordinatorResponseData;
import org.apache.kafka.common.message.FindCoordinatorResponseData.Coordinator;
import org.apache.kafka.common.message.HeartbeatRequestData;
import org.apache.kafka.common.message.HeartbeatResponseData;
import org.apache.kafka.common.message.JoinGroupRequestData;
import org.apache.kafka.common.message.JoinGroupResponseData;
import org.apache.kafka.common.message.LeaveGroupRequestData;
import org.apache.kafka.common.message.LeaveGroupRequestData.MemberIdentity;
import org.apache.kafka.common.message.LeaveGroupResponseData;
import org.apache.kafka.common.message.ListGroupsRequestData;
import org.apache.kafka.common.message.ListGroupsResponseData;
import org.apache.kafka.common.message.ListGroupsResponseData.ListedGroup;
import org.apache.kafka.common.message.OffsetCommitRequestData;
import org.apache.kafka.common.message.OffsetCommitRequestData.OffsetCommitRequestPartition;
import org.apache.kafka.common.message.OffsetCommitResponseData;
import org.apache.kafka.common.message.OffsetDeleteRequestData;
import org.apache.kafka.common.message.OffsetDeleteRequestData.OffsetDeleteRequestPartition;
import org.apache.kafka.common.message.OffsetDeleteRequestData.OffsetDeleteRequestTopic;
import org.apache.kafka.common.message.OffsetDeleteResponseData;
import org.apache.kafka.common.message.OffsetFetchResponseData;
import org.apache.kafka.common.message.OffsetFetchResponseData.OffsetFetchResponsePartition;
import org.apache.kafka.common.message.OffsetFetchResponseData.OffsetFetchResponsePartitions;
import org.apache.kafka.common.message.SyncGroupResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.FindCoordinatorRequest.CoordinatorType;

/** That the APIs for groups do what they are for: the one in question in one version, all others in an old one. */
final class GroupVersions {

    private static final int COMMITS_WITH_EPOCH = 6;
    private static final int FETCHES_WITH_EPOCH = 5;
    private static final int FETCHES_BY_GROUP = 8;
    private static final int USUAL_COMMIT = 9;
    private static final int USUAL_FETCH = 7;
    private static final int EPOCH = 5;
    private static final String TEXT = "text ☺";

    private final EmbeddedBroker broker;
    private final RawClient client;
    private final ApiKeys api;
    private final int version;
    private final String group;
    private final String topic;
    private final Uuid topicId;

    GroupVersions(EmbeddedBroker broker, RawClient client, ApiKeys api, int version) {
        this.broker = broker;
        this.client = client;
        this.api = api;
        this.version = version;
        group = "group-" + api.name + "-v" + version;
        topic = api.name + "-v" + version;
        topicId = broker.topics().create(topic, 2).id();
    }

    private int versionOf(ApiKeys other, int usual) {
        return api == other ? version : usual;
    }

    void findCoordinator() throws IOException {
        String[] address = broker.bootstrapServers().split(":");
        assertThat(coordinatorOf(CoordinatorType.GROUP))
                .isEqualTo(coordinator(Errors.NONE)
                        .setNodeId(1)
                        .setHost(address[0])
                        .setPort(Integer.parseInt(address[1])));
        if (version > 0) {
            assertThat(coordinatorOf(CoordinatorType.TRANSACTION))
                    .isEqualTo(coordinator(Errors.TRANSACTIONAL_ID_AUTHORIZATION_FAILED));
        }
    }

    private Coordinator coordinator(Errors error) {
        return new Coordinator()
                .setKey(group)
                .setErrorCode(error.code())
                .setNodeId(-1)
                .setPort(-1);
    }

    /** Without the text beside the error. */
    private Coordinator coordinatorOf(CoordinatorType type) throws IOException {
        FindCoordinatorRequestData request = version < 4
                ? new FindCoordinatorRequestData().setKey(group)
                : new FindCoordinatorRequestData().setCoordinatorKeys(List.of(group));
        FindCoordinatorResponseData response = client.call(
                ApiKeys.FIND_COORDINATOR, version, request.setKeyType(type.id()), FindCoordinatorResponseData.class);
        if (version >= 4) {
            assertThat(response.coordinators()).hasSize(1);
            return response.coordinators().get(0).setErrorMessage("");
        }
        return new Coordinator()
                .setKey(group)
                .setErrorCode(response.errorCode())
                .setNodeId(response.nodeId())
                .setHost(response.host())
                .setPort(response.port());
    }

    /** A whole membership. */
    void membership() throws IOException {
        JoinGroupResponseData joined = joined();
        SyncGroupResponseData synced = synced(joined.memberId());
        assertThat(synced.assignment()).isEqualTo(GroupRequests.assignment(joined.memberId()));
        if (versionOf(ApiKeys.SYNC_GROUP, 0) >= 5) {
            assertThat(synced.protocolType()).isEqualTo("consumer");
            assertThat(synced.protocolName()).isEqualTo("range");
        }
        assertThat(heartbeat(joined.memberId(), 1)).isEqualTo(Errors.NONE);
        assertThat(heartbeat(joined.memberId(), 2)).isEqualTo(Errors.ILLEGAL_GENERATION);
        assertThat(heartbeat("other", 1)).isEqualTo(Errors.UNKNOWN_MEMBER_ID);
        leave(joined.memberId());
        assertThat(heartbeat(joined.memberId(), 1)).isEqualTo(Errors.UNKNOWN_MEMBER_ID);
    }

    private JoinGroupResponseData joined() throws IOException {
        JoinGroupRequestData join = GroupRequests.join(group, "");
        int joinVersion = versionOf(ApiKeys.JOIN_GROUP, 0);
        JoinGroupResponseData joined = client.call(ApiKeys.JOIN_GROUP, joinVersion, join, JoinGroupResponseData.class);
        if (joinVersion >= 4) {
            assertThat(Errors.forCode(joined.errorCode())).isEqualTo(Errors.MEMBER_ID_REQUIRED);
            joined = client.call(
                    ApiKeys.JOIN_GROUP, joinVersion, join.setMemberId(joined.memberId()), JoinGroupResponseData.class);
        }
        assertThat(Errors.forCode(joined.errorCode())).isEqualTo(Errors.NONE);
        assertThat(joined.generationId()).isOne();
        assertThat(joined.memberId()).startsWith("raw-");
        assertThat(joined.leader()).isEqualTo(joined.memberId());
        assertThat(joined.protocolName()).isEqualTo("range");
        assertThat(joined.protocolType()).isEqualTo(joinVersion < 7 ? null : "consumer");
        assertThat(joined.skipAssignment()).isFalse();
        String memberId = joined.memberId();
        assertThat(joined.members()).singleElement().satisfies(member -> {
            assertThat(member.memberId()).isEqualTo(memberId);
            assertThat(member.groupInstanceId()).isNull();
            assertThat(member.metadata()).isEqualTo("metadata".getBytes());
        });
        return joined;
    }

    private SyncGroupResponseData synced(String memberId) throws IOException {
        SyncGroupResponseData synced = client.call(
                ApiKeys.SYNC_GROUP,
                versionOf(ApiKeys.SYNC_GROUP, 0),
                GroupRequests.sync(group, memberId, 1, memberId)
                        .setProtocolType("consumer")
                        .setProtocolName("range"),
                SyncGroupResponseData.class);
        assertThat(Errors.forCode(synced.errorCode())).isEqualTo(Errors.NONE);
        return synced;
    }

    private Errors heartbeat(String memberId, int generation) throws IOException {
        HeartbeatRequestData request = new HeartbeatRequestData()
                .setGroupId(group)
                .setMemberId(memberId)
                .setGenerationId(generation);
        return Errors.forCode(
                client.call(ApiKeys.HEARTBEAT, versionOf(ApiKeys.HEARTBEAT, 0), request, HeartbeatResponseData.class)
                        .errorCode());
    }

    private void leave(String memberId) throws IOException {
        int leaveVersion = versionOf(ApiKeys.LEAVE_GROUP, 0);
        LeaveGroupRequestData leave = new LeaveGroupRequestData().setGroupId(group);
        if (leaveVersion < 3) {
            leave.setMemberId(memberId);
        } else {
            leave.setMembers(
                    List.of(new MemberIdentity().setMemberId(memberId), new MemberIdentity().setMemberId("other")));
        }
        LeaveGroupResponseData left =
                client.call(ApiKeys.LEAVE_GROUP, leaveVersion, leave, LeaveGroupResponseData.class);
        assertThat(Errors.forCode(left.errorCode())).isEqualTo(Errors.NONE);
        if (leaveVersion >= 3) {
            assertThat(left.members())
                    .extracting(member -> member.memberId() + " " + Errors.forCode(member.errorCode()))
                    .containsExactly(memberId + " NONE", "other UNKNOWN_MEMBER_ID");
        }
    }

    /** An offset, its epoch and its text, as far as both versions know them. */
    void offsets() throws IOException {
        commit(17);
        int fetchVersion = versionOf(ApiKeys.OFFSET_FETCH, USUAL_FETCH);
        boolean withEpoch = versionOf(ApiKeys.OFFSET_COMMIT, USUAL_COMMIT) >= COMMITS_WITH_EPOCH
                && fetchVersion >= FETCHES_WITH_EPOCH;
        OffsetFetchResponsePartition expected = new OffsetFetchResponsePartition()
                .setPartitionIndex(0)
                .setCommittedOffset(17)
                .setCommittedLeaderEpoch(withEpoch ? EPOCH : -1)
                .setMetadata(TEXT);
        for (boolean all : fetchVersion < 2 ? new boolean[] {false} : new boolean[] {false, true}) {
            assertThat(committed(group, all)).isEqualTo(expected);
        }
        commit(18);
        assertThat(committed(group, false)).isEqualTo(expected.setCommittedOffset(18));
        assertThat(committed("no such group", false).committedOffset()).isEqualTo(-1);
    }

    private void commit(long offset) throws IOException {
        OffsetCommitRequestData request = GroupRequests.commit(group, topic, topicId, offset);
        int commitVersion = versionOf(ApiKeys.OFFSET_COMMIT, USUAL_COMMIT);
        OffsetCommitRequestPartition partition =
                request.topics().get(0).partitions().get(0);
        partition.setCommittedLeaderEpoch(EPOCH).setCommittedMetadata(TEXT);
        OffsetCommitResponseData committed =
                client.call(ApiKeys.OFFSET_COMMIT, commitVersion, request, OffsetCommitResponseData.class);
        assertThat(committed.topics()).singleElement().satisfies(answer -> {
            assertThat(answer.name()).isEqualTo(commitVersion < 10 ? topic : "");
            assertThat(answer.topicId()).isEqualTo(commitVersion < 10 ? Uuid.ZERO_UUID : topicId);
            assertThat(answer.partitions()).singleElement().satisfies(result -> {
                assertThat(result.partitionIndex()).isZero();
                assertThat(Errors.forCode(result.errorCode())).isEqualTo(Errors.NONE);
            });
        });
    }

    private OffsetFetchResponsePartition committed(String of, boolean all) throws IOException {
        int fetchVersion = versionOf(ApiKeys.OFFSET_FETCH, USUAL_FETCH);
        OffsetFetchResponseData response = client.call(
                ApiKeys.OFFSET_FETCH,
                fetchVersion,
                GroupRequests.fetchOffsets(fetchVersion, of, topic, topicId, all),
                OffsetFetchResponseData.class);
        if (fetchVersion < FETCHES_BY_GROUP) {
            assertThat(response.topics()).hasSize(1);
            assertThat(response.topics().get(0).name()).isEqualTo(topic);
            return response.topics().get(0).partitions().get(0);
        }
        assertThat(response.groups()).hasSize(1);
        assertThat(response.groups().get(0).groupId()).isEqualTo(of);
        assertThat(response.groups().get(0).topics()).singleElement().satisfies(answer -> {
            assertThat(answer.name()).isEqualTo(fetchVersion < 10 ? topic : "");
            assertThat(answer.topicId()).isEqualTo(fetchVersion < 10 ? Uuid.ZERO_UUID : topicId);
        });
        OffsetFetchResponsePartitions partition =
                response.groups().get(0).topics().get(0).partitions().get(0);
        return new OffsetFetchResponsePartition()
                .setPartitionIndex(partition.partitionIndex())
                .setCommittedOffset(partition.committedOffset())
                .setCommittedLeaderEpoch(partition.committedLeaderEpoch())
                .setMetadata(partition.metadata())
                .setErrorCode(partition.errorCode());
    }

    void offsetDelete() throws IOException {
        commit(17);
        // One partition with an offset, which goes, and one that has none.
        OffsetDeleteRequestData request = new OffsetDeleteRequestData().setGroupId(group);
        request.topics()
                .add(new OffsetDeleteRequestTopic()
                        .setName(topic)
                        .setPartitions(List.of(
                                new OffsetDeleteRequestPartition().setPartitionIndex(1),
                                new OffsetDeleteRequestPartition().setPartitionIndex(9))));
        assertThat(deleteOffsets(request)).containsExactly("1 NONE", "9 NONE");
        assertThat(committed(group, false).committedOffset()).isEqualTo(17);

        request.topics().find(topic).setPartitions(List.of(new OffsetDeleteRequestPartition().setPartitionIndex(0)));
        assertThat(deleteOffsets(request)).containsExactly("0 NONE");
        assertThat(committed(group, false).committedOffset()).isEqualTo(-1);

        commit(18);
        JoinGroupResponseData joined = joined();
        synced(joined.memberId());
        assertThat(deleteOffsets(request)).containsExactly("0 GROUP_SUBSCRIBED_TO_TOPIC");
        assertThat(committed(group, false).committedOffset()).isEqualTo(18);

        OffsetDeleteResponseData unknown = client.call(
                ApiKeys.OFFSET_DELETE, version, request.setGroupId("no such group"), OffsetDeleteResponseData.class);
        assertThat(Errors.forCode(unknown.errorCode())).isEqualTo(Errors.GROUP_ID_NOT_FOUND);
    }

    private List<String> deleteOffsets(OffsetDeleteRequestData request) throws IOException {
        OffsetDeleteResponseData response =
                client.call(ApiKeys.OFFSET_DELETE, version, request, OffsetDeleteResponseData.class);
        assertThat(Errors.forCode(response.errorCode())).isEqualTo(Errors.NONE);
        assertThat(response.topics()).hasSize(1);
        return response.topics().find(topic).partitions().stream()
                .map(result -> result.partitionIndex() + " " + Errors.forCode(result.errorCode()))
                .toList();
    }

    void listGroups() throws IOException {
        commit(17);
        ListedGroup expected = new ListedGroup()
                .setGroupId(group)
                .setProtocolType("")
                .setGroupState(version < 4 ? "" : "Empty")
                .setGroupType(version < 5 ? "" : "classic");
        assertThat(listed(new ListGroupsRequestData())).contains(expected);
        if (version >= 4) {
            assertThat(listed(new ListGroupsRequestData().setStatesFilter(List.of("empty"))))
                    .contains(expected);
            assertThat(listed(new ListGroupsRequestData().setStatesFilter(List.of("Stable"))))
                    .doesNotContain(expected);
        }
        if (version >= 5) {
            assertThat(listed(new ListGroupsRequestData().setTypesFilter(List.of("classic"))))
                    .contains(expected);
            assertThat(listed(new ListGroupsRequestData().setTypesFilter(List.of("consumer"))))
                    .isEmpty();
        }
        joined();
        assertThat(listed(new ListGroupsRequestData()))
                .contains(expected.setProtocolType("consumer").setGroupState(version < 4 ? "" : "CompletingRebalance"));
    }

    private List<ListedGroup> listed(ListGroupsRequestData request) throws IOException {
        ListGroupsResponseData response =
                client.call(ApiKeys.LIST_GROUPS, version, request, ListGroupsResponseData.class);
        assertThat(Errors.forCode(response.errorCode())).isEqualTo(Errors.NONE);
        return response.groups();
    }

    void describeGroups() throws IOException {
        JoinGroupResponseData joined = joined();
        synced(joined.memberId());
        List<DescribedGroup> described = client.call(
                        ApiKeys.DESCRIBE_GROUPS,
                        version,
                        new DescribeGroupsRequestData().setGroups(List.of(group, "no such group")),
                        DescribeGroupsResponseData.class)
                .groups();
        assertThat(described).hasSize(2);
        DescribedGroup stable = described.get(0);
        assertThat(Errors.forCode(stable.errorCode())).isEqualTo(Errors.NONE);
        assertThat(stable.groupId()).isEqualTo(group);
        assertThat(stable.groupState()).isEqualTo("Stable");
        assertThat(stable.protocolType()).isEqualTo("consumer");
        assertThat(stable.protocolData()).isEqualTo("range");
        assertThat(stable.members()).singleElement().satisfies(member -> {
            assertThat(member.memberId()).isEqualTo(joined.memberId());
            assertThat(member.clientId()).isEqualTo("raw");
            assertThat(member.clientHost()).isEqualTo("/127.0.0.1");
            assertThat(member.memberMetadata()).isEqualTo("metadata".getBytes());
            assertThat(member.memberAssignment()).isEqualTo(GroupRequests.assignment(joined.memberId()));
        });
        assertThat(described.get(1).groupId()).isEqualTo("no such group");
        assertThat(described.get(1).groupState()).isEqualTo("Dead");
        assertThat(Errors.forCode(described.get(1).errorCode()))
                .isEqualTo(version < 6 ? Errors.NONE : Errors.GROUP_ID_NOT_FOUND);
    }

    void deleteGroups() throws IOException {
        commit(17);
        assertThat(client.call(
                                ApiKeys.DELETE_GROUPS,
                                version,
                                new DeleteGroupsRequestData().setGroupsNames(List.of(group, "no such group")),
                                DeleteGroupsResponseData.class)
                        .results())
                .extracting(result -> result.groupId() + " " + Errors.forCode(result.errorCode()))
                .containsExactly(group + " NONE", "no such group GROUP_ID_NOT_FOUND");
        assertThat(committed(group, false).committedOffset()).isEqualTo(-1);
    }
}
