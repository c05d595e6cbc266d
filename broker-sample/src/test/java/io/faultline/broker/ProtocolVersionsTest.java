package io.faultline.broker;

import static org.assertj.core.api.Assertions.assertThat;

import io.faultline.broker.junit.BrokerExtension;
import io.faultline.broker.log.TopicConfig;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.AlterConfigOp.OpType;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.acl.AclPermissionType;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.message.AlterConfigsRequestData;
import org.apache.kafka.common.message.AlterConfigsResponseData;
import org.apache.kafka.common.message.AlterPartitionReassignmentsRequestData;
import org.apache.kafka.common.message.AlterPartitionReassignmentsRequestData.ReassignablePartition;
import org.apache.kafka.common.message.AlterPartitionReassignmentsRequestData.ReassignableTopic;
import org.apache.kafka.common.message.AlterPartitionReassignmentsResponseData;
import org.apache.kafka.common.message.AlterReplicaLogDirsRequestData;
import org.apache.kafka.common.message.AlterReplicaLogDirsRequestData.AlterReplicaLogDir;
import org.apache.kafka.common.message.AlterReplicaLogDirsRequestData.AlterReplicaLogDirTopic;
import org.apache.kafka.common.message.AlterReplicaLogDirsResponseData;
import org.apache.kafka.common.message.ApiVersionsRequestData;
import org.apache.kafka.common.message.ApiVersionsResponseData;
import org.apache.kafka.common.message.CreateAclsRequestData;
import org.apache.kafka.common.message.CreateAclsRequestData.AclCreation;
import org.apache.kafka.common.message.CreateAclsResponseData;
import org.apache.kafka.common.message.CreateAclsResponseData.AclCreationResult;
import org.apache.kafka.common.message.CreatePartitionsRequestData;
import org.apache.kafka.common.message.CreatePartitionsRequestData.CreatePartitionsTopic;
import org.apache.kafka.common.message.CreatePartitionsResponseData;
import org.apache.kafka.common.message.CreateTopicsRequestData;
import org.apache.kafka.common.message.CreateTopicsRequestData.CreatableTopic;
import org.apache.kafka.common.message.CreateTopicsResponseData;
import org.apache.kafka.common.message.DeleteAclsRequestData;
import org.apache.kafka.common.message.DeleteAclsRequestData.DeleteAclsFilter;
import org.apache.kafka.common.message.DeleteAclsResponseData;
import org.apache.kafka.common.message.DeleteAclsResponseData.DeleteAclsFilterResult;
import org.apache.kafka.common.message.DeleteGroupsRequestData;
import org.apache.kafka.common.message.DeleteGroupsResponseData;
import org.apache.kafka.common.message.DeleteRecordsRequestData;
import org.apache.kafka.common.message.DeleteRecordsRequestData.DeleteRecordsPartition;
import org.apache.kafka.common.message.DeleteRecordsRequestData.DeleteRecordsTopic;
import org.apache.kafka.common.message.DeleteRecordsResponseData;
import org.apache.kafka.common.message.DeleteRecordsResponseData.DeleteRecordsPartitionResult;
import org.apache.kafka.common.message.DeleteTopicsRequestData;
import org.apache.kafka.common.message.DeleteTopicsRequestData.DeleteTopicState;
import org.apache.kafka.common.message.DeleteTopicsResponseData;
import org.apache.kafka.common.message.DescribeAclsRequestData;
import org.apache.kafka.common.message.DescribeAclsResponseData;
import org.apache.kafka.common.message.DescribeClusterRequestData;
import org.apache.kafka.common.message.DescribeClusterResponseData;
import org.apache.kafka.common.message.DescribeConfigsRequestData;
import org.apache.kafka.common.message.DescribeConfigsRequestData.DescribeConfigsResource;
import org.apache.kafka.common.message.DescribeConfigsResponseData;
import org.apache.kafka.common.message.DescribeConfigsResponseData.DescribeConfigsResult;
import org.apache.kafka.common.message.DescribeGroupsRequestData;
import org.apache.kafka.common.message.DescribeGroupsResponseData;
import org.apache.kafka.common.message.DescribeGroupsResponseData.DescribedGroup;
import org.apache.kafka.common.message.DescribeLogDirsRequestData;
import org.apache.kafka.common.message.DescribeLogDirsResponseData;
import org.apache.kafka.common.message.DescribeProducersRequestData;
import org.apache.kafka.common.message.DescribeProducersResponseData;
import org.apache.kafka.common.message.ElectLeadersRequestData;
import org.apache.kafka.common.message.ElectLeadersRequestData.TopicPartitions;
import org.apache.kafka.common.message.ElectLeadersResponseData;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.message.FindCoordinatorRequestData;
import org.apache.kafka.common.message.FindCoordinatorResponseData;
import org.apache.kafka.common.message.HeartbeatRequestData;
import org.apache.kafka.common.message.HeartbeatResponseData;
import org.apache.kafka.common.message.IncrementalAlterConfigsRequestData;
import org.apache.kafka.common.message.IncrementalAlterConfigsResponseData;
import org.apache.kafka.common.message.InitProducerIdRequestData;
import org.apache.kafka.common.message.InitProducerIdResponseData;
import org.apache.kafka.common.message.JoinGroupRequestData;
import org.apache.kafka.common.message.JoinGroupResponseData;
import org.apache.kafka.common.message.LeaveGroupRequestData;
import org.apache.kafka.common.message.LeaveGroupRequestData.MemberIdentity;
import org.apache.kafka.common.message.LeaveGroupResponseData;
import org.apache.kafka.common.message.ListGroupsRequestData;
import org.apache.kafka.common.message.ListGroupsResponseData;
import org.apache.kafka.common.message.ListOffsetsRequestData;
import org.apache.kafka.common.message.ListOffsetsRequestData.ListOffsetsPartition;
import org.apache.kafka.common.message.ListOffsetsRequestData.ListOffsetsTopic;
import org.apache.kafka.common.message.ListOffsetsResponseData;
import org.apache.kafka.common.message.ListOffsetsResponseData.ListOffsetsPartitionResponse;
import org.apache.kafka.common.message.ListPartitionReassignmentsRequestData;
import org.apache.kafka.common.message.ListPartitionReassignmentsResponseData;
import org.apache.kafka.common.message.MetadataRequestData;
import org.apache.kafka.common.message.MetadataRequestData.MetadataRequestTopic;
import org.apache.kafka.common.message.MetadataResponseData;
import org.apache.kafka.common.message.OffsetCommitResponseData;
import org.apache.kafka.common.message.OffsetDeleteRequestData;
import org.apache.kafka.common.message.OffsetDeleteRequestData.OffsetDeleteRequestPartition;
import org.apache.kafka.common.message.OffsetDeleteRequestData.OffsetDeleteRequestTopic;
import org.apache.kafka.common.message.OffsetDeleteResponseData;
import org.apache.kafka.common.message.OffsetFetchResponseData;
import org.apache.kafka.common.message.OffsetForLeaderEpochRequestData;
import org.apache.kafka.common.message.OffsetForLeaderEpochRequestData.OffsetForLeaderPartition;
import org.apache.kafka.common.message.OffsetForLeaderEpochRequestData.OffsetForLeaderTopic;
import org.apache.kafka.common.message.OffsetForLeaderEpochResponseData;
import org.apache.kafka.common.message.OffsetForLeaderEpochResponseData.EpochEndOffset;
import org.apache.kafka.common.message.ProduceResponseData;
import org.apache.kafka.common.message.SyncGroupResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.RecordBatch;
import org.apache.kafka.common.record.internal.SimpleRecord;
import org.apache.kafka.common.requests.FindCoordinatorRequest.CoordinatorType;
import org.apache.kafka.common.resource.PatternType;
import org.apache.kafka.common.resource.ResourceType;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.extension.RegisterExtension;

class ProtocolVersionsTest {

    @RegisterExtension
    static final BrokerExtension BROKER = new BrokerExtension();

    private static Uuid topicId;

    @BeforeAll
    static void makeTopic() throws IOException {
        topicId = BROKER.broker().topics().create("t", 1).id();
        BROKER.broker().log("t", 0).append(Requests.records("first"));
    }

    @TestFactory
    Stream<DynamicTest> everyAnnouncedVersionIsAnswered() throws IOException {
        ApiVersionsResponseData announced;
        try (RawClient client = connect()) {
            announced =
                    client.call(ApiKeys.API_VERSIONS, 0, new ApiVersionsRequestData(), ApiVersionsResponseData.class);
        }
        return announced.apiKeys().stream()
                .flatMap(range -> IntStream.rangeClosed(range.minVersion(), range.maxVersion())
                        .mapToObj(version ->
                                DynamicTest.dynamicTest(ApiKeys.forId(range.apiKey()).name + " v" + version, () -> {
                                    try (RawClient client = connect()) {
                                        check(client, ApiKeys.forId(range.apiKey()), version);
                                    }
                                })));
    }

    @Test
    void announcesWhatClientsNeedAndNothingElse() throws IOException {
        try (RawClient client = connect()) {
            ApiVersionsResponseData announced =
                    client.call(ApiKeys.API_VERSIONS, 0, new ApiVersionsRequestData(), ApiVersionsResponseData.class);
            assertThat(announced.apiKeys())
                    .extracting(range -> ApiKeys.forId(range.apiKey()))
                    .containsExactlyInAnyOrder(
                            ApiKeys.PRODUCE,
                            ApiKeys.FETCH,
                            ApiKeys.LIST_OFFSETS,
                            ApiKeys.METADATA,
                            ApiKeys.FIND_COORDINATOR,
                            ApiKeys.API_VERSIONS,
                            ApiKeys.INIT_PRODUCER_ID,
                            ApiKeys.DESCRIBE_PRODUCERS,
                            ApiKeys.DELETE_TOPICS,
                            ApiKeys.CREATE_PARTITIONS,
                            ApiKeys.DELETE_RECORDS,
                            ApiKeys.OFFSET_FOR_LEADER_EPOCH,
                            ApiKeys.ELECT_LEADERS,
                            ApiKeys.ALTER_PARTITION_REASSIGNMENTS,
                            ApiKeys.LIST_PARTITION_REASSIGNMENTS,
                            ApiKeys.DESCRIBE_ACLS,
                            ApiKeys.CREATE_ACLS,
                            ApiKeys.DELETE_ACLS,
                            ApiKeys.DESCRIBE_CONFIGS,
                            ApiKeys.ALTER_CONFIGS,
                            ApiKeys.INCREMENTAL_ALTER_CONFIGS,
                            ApiKeys.ALTER_REPLICA_LOG_DIRS,
                            ApiKeys.JOIN_GROUP,
                            ApiKeys.SYNC_GROUP,
                            ApiKeys.HEARTBEAT,
                            ApiKeys.LEAVE_GROUP,
                            ApiKeys.OFFSET_COMMIT,
                            ApiKeys.OFFSET_FETCH,
                            ApiKeys.OFFSET_DELETE,
                            ApiKeys.DESCRIBE_GROUPS,
                            ApiKeys.LIST_GROUPS,
                            ApiKeys.DELETE_GROUPS,
                            ApiKeys.CREATE_TOPICS,
                            ApiKeys.DESCRIBE_LOG_DIRS,
                            ApiKeys.DESCRIBE_CLUSTER);
            assertThat(announced.apiKeys().find(ApiKeys.PRODUCE.id).minVersion())
                    .isZero();
        }
    }

    @Test
    void anUnknownVersionOfApiVersionsIsAnsweredInTheFirst() throws IOException {
        try (RawClient client = connect()) {
            ByteBuffer body = client.call(ApiKeys.API_VERSIONS, 99, ByteBuffer.allocate(7));
            ApiVersionsResponseData response =
                    RawClient.read(body, 0, ApiKeys.API_VERSIONS, ApiVersionsResponseData.class);
            assertThat(response.errorCode()).isEqualTo(Errors.UNSUPPORTED_VERSION.code());
            assertThat(response.apiKeys()).isNotEmpty();
            ApiVersionsResponseData next =
                    client.call(ApiKeys.API_VERSIONS, 0, new ApiVersionsRequestData(), ApiVersionsResponseData.class);
            assertThat(next.errorCode()).isZero();
        }
    }

    @Test
    void noFeatureIsAnnouncedThatWouldMakeClientsUseAnotherProtocol() throws IOException {
        try (RawClient client = connect()) {
            ApiVersionsRequestData request =
                    new ApiVersionsRequestData().setClientSoftwareName("raw").setClientSoftwareVersion("1");
            ApiVersionsResponseData response =
                    client.call(ApiKeys.API_VERSIONS, 4, request, ApiVersionsResponseData.class);
            assertThat(response.supportedFeatures()).isEmpty();
            assertThat(response.finalizedFeatures()).isEmpty();
        }
    }

    @Test
    void aClientThatMeansAnotherClusterIsSentAway() throws IOException {
        try (RawClient client = connect()) {
            ApiVersionsRequestData other = new ApiVersionsRequestData()
                    .setClientSoftwareName("raw")
                    .setClientSoftwareVersion("1")
                    .setClusterId("another")
                    .setNodeId(1);
            ApiVersionsResponseData response =
                    client.call(ApiKeys.API_VERSIONS, 5, other, ApiVersionsResponseData.class);
            assertThat(response.errorCode()).isEqualTo(Errors.REBOOTSTRAP_REQUIRED.code());
        }
    }

    @Test
    void anUnknownOperationOnASettingIsRefused() throws IOException {
        IncrementalAlterConfigsRequestData.AlterConfigsResource resource =
                new IncrementalAlterConfigsRequestData.AlterConfigsResource()
                        .setResourceType(ConfigResource.Type.TOPIC.id())
                        .setResourceName("t");
        resource.configs()
                .add(new IncrementalAlterConfigsRequestData.AlterableConfig()
                        .setName("cleanup.policy")
                        .setConfigOperation((byte) 99)
                        .setValue("compact"));
        IncrementalAlterConfigsRequestData request = new IncrementalAlterConfigsRequestData();
        request.resources().add(resource);
        try (RawClient client = connect()) {
            IncrementalAlterConfigsResponseData response = client.call(
                    ApiKeys.INCREMENTAL_ALTER_CONFIGS, 1, request, IncrementalAlterConfigsResponseData.class);
            assertThat(response.responses().get(0).errorCode()).isEqualTo(Errors.INVALID_REQUEST.code());
        }
    }

    private static RawClient connect() throws IOException {
        return new RawClient(BROKER.broker().bootstrapServers());
    }

    private static void check(RawClient client, ApiKeys api, int version) throws IOException {
        switch (api) {
            case API_VERSIONS -> checkApiVersions(client, version);
            case PRODUCE -> checkProduce(client, version);
            case FETCH -> checkFetch(client, version);
            case LIST_OFFSETS -> checkListOffsets(client, version);
            case METADATA -> checkMetadata(client, version);
            case FIND_COORDINATOR -> checkFindCoordinator(client, version);
            case INIT_PRODUCER_ID -> checkInitProducerId(client, version);
            case DESCRIBE_PRODUCERS -> checkDescribeProducers(client, version);
            case JOIN_GROUP, SYNC_GROUP, HEARTBEAT, LEAVE_GROUP -> checkMembership(client, api, version);
            case OFFSET_COMMIT, OFFSET_FETCH -> checkOffsets(client, api, version);
            case OFFSET_DELETE -> checkOffsetDelete(client, version);
            case DESCRIBE_GROUPS, LIST_GROUPS, DELETE_GROUPS -> checkGroups(client, api, version);
            case DELETE_TOPICS -> checkDeleteTopics(client, version);
            case CREATE_PARTITIONS -> checkCreatePartitions(client, version);
            case DELETE_RECORDS -> checkDeleteRecords(client, version);
            case OFFSET_FOR_LEADER_EPOCH -> checkOffsetForLeaderEpoch(client, version);
            case ELECT_LEADERS -> checkElectLeaders(client, version);
            case ALTER_PARTITION_REASSIGNMENTS -> checkAlterPartitionReassignments(client, version);
            case LIST_PARTITION_REASSIGNMENTS -> checkListPartitionReassignments(client, version);
            case DESCRIBE_ACLS -> checkDescribeAcls(client, version);
            case CREATE_ACLS -> checkCreateAcls(client, version);
            case DELETE_ACLS -> checkDeleteAcls(client, version);
            case DESCRIBE_CONFIGS -> checkDescribeConfigs(client, version);
            case ALTER_CONFIGS -> checkAlterConfigs(client, version);
            case INCREMENTAL_ALTER_CONFIGS -> checkIncrementalAlterConfigs(client, version);
            case ALTER_REPLICA_LOG_DIRS -> checkAlterReplicaLogDirs(client, version);
            case CREATE_TOPICS -> checkCreateTopics(client, version);
            case DESCRIBE_CLUSTER -> checkDescribeCluster(client, version);
            case DESCRIBE_LOG_DIRS -> checkDescribeLogDirs(client, version);
            default -> throw new AssertionError("no test of " + api);
        }
    }

    private static void checkApiVersions(RawClient client, int version) throws IOException {
        ApiVersionsRequestData request =
                new ApiVersionsRequestData().setClientSoftwareName("raw").setClientSoftwareVersion("1");
        ApiVersionsResponseData response =
                client.call(ApiKeys.API_VERSIONS, version, request, ApiVersionsResponseData.class);
        assertThat(response.errorCode()).isZero();
    }

    private static void checkProduce(RawClient client, int version) throws IOException {
        if (version < 3) {
            checkProduceBeforeThree(client, version);
            return;
        }
        ProduceResponseData response = client.call(
                ApiKeys.PRODUCE,
                version,
                Requests.produce("t", topicId, Requests.records("one", "two")),
                ProduceResponseData.class);
        assertThat(Requests.only(response).errorCode()).isZero();
        assertThat(Requests.only(response).baseOffset()).isPositive();
    }

    /** Spelled out, because the codec has no such version any more. */
    private static void checkProduceBeforeThree(RawClient client, int version) throws IOException {
        byte magic = version < 2 ? RecordBatch.MAGIC_VALUE_V0 : RecordBatch.MAGIC_VALUE_V1;
        ByteBuffer records = MemoryRecords.withRecords(
                        magic, Compression.gzip().build(), new SimpleRecord(7, "old".getBytes()))
                .buffer();
        ByteBuffer body = ByteBuffer.allocate(100 + records.remaining());
        body.putShort((short) 1).putInt(1_000).putInt(1).putShort((short) 1).put((byte) 't');
        body.putInt(1).putInt(0).putInt(records.remaining()).put(records).flip();
        long before = BROKER.broker().log("t", 0).end().offset();

        ByteBuffer response = client.call(ApiKeys.PRODUCE, version, body);

        assertThat(response.getInt()).as("topics").isOne();
        assertThat(response.getShort()).as("length of the name").isOne();
        assertThat(response.get()).isEqualTo((byte) 't');
        assertThat(response.getInt()).as("partitions").isOne();
        assertThat(response.getInt()).as("partition").isZero();
        assertThat(response.getShort()).as("error").isZero();
        assertThat(response.getLong()).as("offset").isEqualTo(before);
        if (version >= 2) {
            assertThat(response.getLong()).as("append time").isEqualTo(-1);
        }
        if (version >= 1) {
            assertThat(response.getInt()).as("throttle time").isZero();
        }
        assertThat(response.hasRemaining()).isFalse();
        assertThat(BROKER.broker().log("t", 0).end().offset()).isEqualTo(before + 1);
    }

    private static void checkFetch(RawClient client, int version) throws IOException {
        FetchResponseData response =
                client.call(ApiKeys.FETCH, version, Requests.fetch("t", topicId, 0, 1 << 20), FetchResponseData.class);
        assertThat(Requests.only(response).errorCode()).isZero();
        MemoryRecords records = (MemoryRecords) Requests.only(response).records();
        assertThat(records.records()).isNotEmpty();
        assertThat(Requests.only(response).highWatermark()).isPositive();
    }

    private static void checkListOffsets(RawClient client, int version) throws IOException {
        long end = BROKER.broker().log("t", 0).end().offset();
        assertThat(listOffset(client, version, -1).offset()).isEqualTo(end);
        assertThat(listOffset(client, version, -2).offset()).isZero();
        assertThat(listOffset(client, version, 1_000).offset()).isZero();
        ListOffsetsPartitionResponse largest = listOffset(client, version, -3);
        ListOffsetsPartitionResponse local = listOffset(client, version, -4);
        ListOffsetsPartitionResponse tiered = listOffset(client, version, -5);
        assertThat(largest.errorCode()).isEqualTo(errorBefore(7, version));
        assertThat(largest.offset()).isBetween(version < 7 ? -1L : 0, end - 1);
        assertThat(local.errorCode()).isEqualTo(errorBefore(8, version));
        assertThat(local.offset()).isEqualTo(version < 8 ? -1 : 0);
        // Nothing is in a tier below.
        assertThat(tiered.errorCode()).isEqualTo(errorBefore(9, version));
        assertThat(tiered.offset()).isEqualTo(-1);
        assertThat(listOffset(client, version, -99).errorCode()).isEqualTo(Errors.UNSUPPORTED_VERSION.code());
    }

    private static short errorBefore(int first, int version) {
        return (version < first ? Errors.UNSUPPORTED_VERSION : Errors.NONE).code();
    }

    private static ListOffsetsPartitionResponse listOffset(RawClient client, int version, long timestamp)
            throws IOException {
        ListOffsetsRequestData request = new ListOffsetsRequestData()
                .setReplicaId(-1)
                .setTopics(List.of(new ListOffsetsTopic()
                        .setName("t")
                        .setPartitions(List.of(
                                new ListOffsetsPartition().setPartitionIndex(0).setTimestamp(timestamp)))));
        return client.call(ApiKeys.LIST_OFFSETS, version, request, ListOffsetsResponseData.class)
                .topics()
                .get(0)
                .partitions()
                .get(0);
    }

    private static void checkMetadata(RawClient client, int version) throws IOException {
        MetadataRequestData request =
                new MetadataRequestData().setTopics(List.of(new MetadataRequestTopic().setName("t")));
        MetadataResponseData response = client.call(ApiKeys.METADATA, version, request, MetadataResponseData.class);
        assertThat(response.brokers()).hasSize(1);
        assertThat(response.topics()).hasSize(1);
        assertThat(response.topics().iterator().next().partitions().get(0).leaderId())
                .isEqualTo(1);
    }

    private static void checkFindCoordinator(RawClient client, int version) throws IOException {
        FindCoordinatorRequestData request = version < 4
                ? new FindCoordinatorRequestData().setKey("g")
                : new FindCoordinatorRequestData().setCoordinatorKeys(List.of("g"));
        FindCoordinatorResponseData response =
                client.call(ApiKeys.FIND_COORDINATOR, version, request, FindCoordinatorResponseData.class);
        int node =
                version < 4 ? response.nodeId() : response.coordinators().get(0).nodeId();
        assertThat(node).isEqualTo(1);
        if (version > 0) {
            response = client.call(
                    ApiKeys.FIND_COORDINATOR,
                    version,
                    request.setKeyType(CoordinatorType.TRANSACTION.id()),
                    FindCoordinatorResponseData.class);
            short refused = version < 4
                    ? response.errorCode()
                    : response.coordinators().get(0).errorCode();
            assertThat(refused).isEqualTo(Errors.TRANSACTIONAL_ID_AUTHORIZATION_FAILED.code());
        }
    }

    private static void checkInitProducerId(RawClient client, int version) throws IOException {
        InitProducerIdRequestData request =
                new InitProducerIdRequestData().setTransactionalId(null).setTransactionTimeoutMs(1_000);
        InitProducerIdResponseData first =
                client.call(ApiKeys.INIT_PRODUCER_ID, version, request, InitProducerIdResponseData.class);
        InitProducerIdResponseData second =
                client.call(ApiKeys.INIT_PRODUCER_ID, version, request, InitProducerIdResponseData.class);
        assertThat(first.errorCode()).isZero();
        assertThat(first.producerId()).isNotNegative();
        assertThat(first.producerEpoch()).isZero();
        assertThat(second.producerId()).isNotEqualTo(first.producerId());
        InitProducerIdResponseData transactional = client.call(
                ApiKeys.INIT_PRODUCER_ID, version, request.setTransactionalId("any"), InitProducerIdResponseData.class);
        assertThat(transactional.errorCode()).isEqualTo(Errors.TRANSACTIONAL_ID_AUTHORIZATION_FAILED.code());
        assertThat(transactional.producerId()).isEqualTo(-1);
    }

    private static void checkDescribeProducers(RawClient client, int version) throws IOException {
        DescribeProducersRequestData request = new DescribeProducersRequestData();
        request.topics()
                .add(new DescribeProducersRequestData.TopicRequest()
                        .setName("t")
                        .setPartitionIndexes(List.of(0, 7)));
        List<DescribeProducersResponseData.PartitionResponse> partitions = client.call(
                        ApiKeys.DESCRIBE_PRODUCERS, version, request, DescribeProducersResponseData.class)
                .topics()
                .get(0)
                .partitions();
        assertThat(partitions.get(0).errorCode()).isZero();
        assertThat(partitions.get(1).errorCode()).isEqualTo(Errors.UNKNOWN_TOPIC_OR_PARTITION.code());
    }

    /** A whole membership, with the API in question in its version and the others in the first. */
    private static void checkMembership(RawClient client, ApiKeys api, int version) throws IOException {
        String group = "membership-" + api + version;
        JoinGroupRequestData join = GroupRequests.join(group, "");
        int joinVersion = api == ApiKeys.JOIN_GROUP ? version : 0;
        JoinGroupResponseData joined = client.call(ApiKeys.JOIN_GROUP, joinVersion, join, JoinGroupResponseData.class);
        if (joinVersion >= 4) {
            assertThat(joined.errorCode()).isEqualTo(Errors.MEMBER_ID_REQUIRED.code());
            joined = client.call(
                    ApiKeys.JOIN_GROUP, joinVersion, join.setMemberId(joined.memberId()), JoinGroupResponseData.class);
        }
        assertThat(joined.errorCode()).isZero();
        assertThat(joined.generationId()).isOne();
        assertThat(joined.leader()).isEqualTo(joined.memberId());
        assertThat(joined.members()).hasSize(1);
        assertThat(joined.protocolName()).isEqualTo("range");

        SyncGroupResponseData synced = client.call(
                ApiKeys.SYNC_GROUP,
                api == ApiKeys.SYNC_GROUP ? version : 0,
                GroupRequests.sync(group, joined.memberId(), 1, joined.memberId()),
                SyncGroupResponseData.class);
        assertThat(synced.errorCode()).isZero();
        assertThat(synced.assignment()).isEqualTo(GroupRequests.assignment(joined.memberId()));

        HeartbeatRequestData heartbeat = new HeartbeatRequestData()
                .setGroupId(group)
                .setMemberId(joined.memberId())
                .setGenerationId(1);
        int heartbeatVersion = api == ApiKeys.HEARTBEAT ? version : 0;
        assertThat(client.call(ApiKeys.HEARTBEAT, heartbeatVersion, heartbeat, HeartbeatResponseData.class)
                        .errorCode())
                .isZero();
        assertThat(client.call(
                                ApiKeys.HEARTBEAT,
                                heartbeatVersion,
                                heartbeat.setGenerationId(2),
                                HeartbeatResponseData.class)
                        .errorCode())
                .isEqualTo(Errors.ILLEGAL_GENERATION.code());

        int leaveVersion = api == ApiKeys.LEAVE_GROUP ? version : 0;
        LeaveGroupRequestData leave = new LeaveGroupRequestData().setGroupId(group);
        if (leaveVersion < 3) {
            leave.setMemberId(joined.memberId());
        } else {
            leave.setMembers(List.of(
                    new MemberIdentity().setMemberId(joined.memberId()), new MemberIdentity().setMemberId("other")));
        }
        LeaveGroupResponseData left =
                client.call(ApiKeys.LEAVE_GROUP, leaveVersion, leave, LeaveGroupResponseData.class);
        assertThat(left.errorCode()).isZero();
        if (leaveVersion >= 3) {
            assertThat(left.members())
                    .extracting(member -> Errors.forCode(member.errorCode()))
                    .containsExactly(Errors.NONE, Errors.UNKNOWN_MEMBER_ID);
        }
    }

    private static void checkOffsets(RawClient client, ApiKeys api, int version) throws IOException {
        String group = "offsets-" + api + version;
        OffsetCommitResponseData committed = client.call(
                ApiKeys.OFFSET_COMMIT,
                api == ApiKeys.OFFSET_COMMIT ? version : 2,
                GroupRequests.commit(group, "t", topicId, 17),
                OffsetCommitResponseData.class);
        assertThat(committed.topics().get(0).partitions().get(0).errorCode()).isZero();

        int fetchVersion = api == ApiKeys.OFFSET_FETCH ? version : 1;
        for (boolean all : fetchVersion < 2 ? new boolean[] {false} : new boolean[] {false, true}) {
            OffsetFetchResponseData response = client.call(
                    ApiKeys.OFFSET_FETCH,
                    fetchVersion,
                    GroupRequests.fetchOffsets(fetchVersion, group, "t", topicId, all),
                    OffsetFetchResponseData.class);
            long offset = fetchVersion < 8
                    ? response.topics().get(0).partitions().get(0).committedOffset()
                    : response.groups()
                            .get(0)
                            .topics()
                            .get(0)
                            .partitions()
                            .get(0)
                            .committedOffset();
            assertThat(offset).isEqualTo(17);
        }
    }

    private static void checkOffsetDelete(RawClient client, int version) throws IOException {
        client.call(
                ApiKeys.OFFSET_COMMIT,
                2,
                GroupRequests.commit("deleting", "t", topicId, 17),
                OffsetCommitResponseData.class);
        OffsetDeleteRequestData request = new OffsetDeleteRequestData().setGroupId("deleting");
        request.topics()
                .add(new OffsetDeleteRequestTopic()
                        .setName("t")
                        .setPartitions(List.of(new OffsetDeleteRequestPartition().setPartitionIndex(0))));
        OffsetDeleteResponseData response =
                client.call(ApiKeys.OFFSET_DELETE, version, request, OffsetDeleteResponseData.class);
        assertThat(response.errorCode()).isZero();
        assertThat(response.topics().find("t").partitions().find(0).errorCode()).isZero();
    }

    private static void checkGroups(RawClient client, ApiKeys api, int version) throws IOException {
        String group = "groups-" + api + version;
        client.call(
                ApiKeys.OFFSET_COMMIT,
                2,
                GroupRequests.commit(group, "t", topicId, 17),
                OffsetCommitResponseData.class);
        switch (api) {
            case LIST_GROUPS -> {
                ListGroupsRequestData request = new ListGroupsRequestData();
                if (version >= 4) {
                    request.setStatesFilter(List.of("empty"));
                }
                assertThat(client.call(ApiKeys.LIST_GROUPS, version, request, ListGroupsResponseData.class)
                                .groups())
                        .anySatisfy(listed -> assertThat(listed.groupId()).isEqualTo(group));
            }
            case DESCRIBE_GROUPS -> {
                List<DescribedGroup> described = client.call(
                                ApiKeys.DESCRIBE_GROUPS,
                                version,
                                new DescribeGroupsRequestData().setGroups(List.of(group, "no such group")),
                                DescribeGroupsResponseData.class)
                        .groups();
                assertThat(described).extracting(DescribedGroup::groupState).containsExactly("Empty", "Dead");
                assertThat(described.get(1).errorCode())
                        .isEqualTo(version < 6 ? Errors.NONE.code() : Errors.GROUP_ID_NOT_FOUND.code());
            }
            default ->
                assertThat(client.call(
                                        ApiKeys.DELETE_GROUPS,
                                        version,
                                        new DeleteGroupsRequestData().setGroupsNames(List.of(group, "no such group")),
                                        DeleteGroupsResponseData.class)
                                .results())
                        .extracting(result -> Errors.forCode(result.errorCode()))
                        .containsExactly(Errors.NONE, Errors.GROUP_ID_NOT_FOUND);
        }
    }

    private static void checkDeleteTopics(RawClient client, int version) throws IOException {
        Uuid id = BROKER.broker().topics().create("deleted", 1).id();
        DeleteTopicsRequestData request = new DeleteTopicsRequestData();
        if (version < 6) {
            request.setTopicNames(List.of("deleted", "no such topic"));
        } else {
            request.setTopics(List.of(
                    new DeleteTopicState().setTopicId(id),
                    new DeleteTopicState().setName("no such topic"),
                    new DeleteTopicState().setTopicId(Uuid.randomUuid()),
                    new DeleteTopicState().setName("t").setTopicId(topicId)));
        }
        assertThat(client.call(ApiKeys.DELETE_TOPICS, version, request, DeleteTopicsResponseData.class)
                        .responses())
                .extracting(result -> Errors.forCode(result.errorCode()))
                .startsWith(Errors.NONE, Errors.UNKNOWN_TOPIC_OR_PARTITION)
                .hasSize(version < 6 ? 2 : 4)
                .endsWith(
                        version < 6 ? new Errors[] {} : new Errors[] {Errors.UNKNOWN_TOPIC_ID, Errors.INVALID_REQUEST});
        assertThat(BROKER.broker().topics().byName("deleted")).isEmpty();
    }

    private static void checkCreatePartitions(RawClient client, int version) throws IOException {
        BROKER.broker().topics().create("grown-by-v" + version, 1);
        CreatePartitionsRequestData request = new CreatePartitionsRequestData();
        request.topics()
                .add(new CreatePartitionsTopic()
                        .setName("grown-by-v" + version)
                        .setCount(3)
                        .setAssignments(null));
        CreatePartitionsResponseData response =
                client.call(ApiKeys.CREATE_PARTITIONS, version, request, CreatePartitionsResponseData.class);
        assertThat(response.results().get(0).errorCode()).isZero();
        response = client.call(ApiKeys.CREATE_PARTITIONS, version, request, CreatePartitionsResponseData.class);
        assertThat(response.results().get(0).errorCode()).isEqualTo(Errors.INVALID_PARTITIONS.code());
    }

    private static void checkDeleteRecords(RawClient client, int version) throws IOException {
        BROKER.broker().topics().create("cut-by-v" + version, 1);
        BROKER.broker().log("cut-by-v" + version, 0).append(Requests.records("a", "b", "c"));
        for (long offset : new long[] {2, 1, 99, -1}) {
            DeleteRecordsRequestData request = new DeleteRecordsRequestData()
                    .setTopics(List.of(new DeleteRecordsTopic()
                            .setName("cut-by-v" + version)
                            .setPartitions(List.of(new DeleteRecordsPartition().setOffset(offset)))));
            DeleteRecordsPartitionResult result = client.call(
                            ApiKeys.DELETE_RECORDS, version, request, DeleteRecordsResponseData.class)
                    .topics()
                    .find("cut-by-v" + version)
                    .partitions()
                    .find(0);
            assertThat(Errors.forCode(result.errorCode()))
                    .isEqualTo(offset == 99 ? Errors.OFFSET_OUT_OF_RANGE : Errors.NONE);
            assertThat(result.lowWatermark()).isEqualTo(offset == 99 ? -1 : offset == -1 ? 3 : 2);
        }
    }

    private static void checkOffsetForLeaderEpoch(RawClient client, int version) throws IOException {
        for (int epoch : new int[] {0, 7}) {
            OffsetForLeaderEpochRequestData request = new OffsetForLeaderEpochRequestData();
            request.topics()
                    .add(new OffsetForLeaderTopic()
                            .setTopic("t")
                            .setPartitions(List.of(new OffsetForLeaderPartition().setLeaderEpoch(epoch))));
            EpochEndOffset end = client.call(
                            ApiKeys.OFFSET_FOR_LEADER_EPOCH, version, request, OffsetForLeaderEpochResponseData.class)
                    .topics()
                    .find("t")
                    .partitions()
                    .get(0);
            assertThat(end.errorCode()).isZero();
            assertThat(end.endOffset())
                    .isEqualTo(epoch == 0 ? BROKER.broker().log("t", 0).end().offset() : -1);
        }
    }

    private static void checkElectLeaders(RawClient client, int version) throws IOException {
        ElectLeadersRequestData request = new ElectLeadersRequestData();
        request.topicPartitions().add(new TopicPartitions().setTopic("t").setPartitions(List.of(0, 9)));
        ElectLeadersResponseData response =
                client.call(ApiKeys.ELECT_LEADERS, version, request, ElectLeadersResponseData.class);
        assertThat(response.replicaElectionResults().get(0).partitionResult())
                .extracting(result -> Errors.forCode(result.errorCode()))
                .containsExactly(Errors.ELECTION_NOT_NEEDED, Errors.UNKNOWN_TOPIC_OR_PARTITION);
        response = client.call(
                ApiKeys.ELECT_LEADERS, version, request.setTopicPartitions(null), ElectLeadersResponseData.class);
        assertThat(response.errorCode()).isZero();
    }

    private static void checkAlterPartitionReassignments(RawClient client, int version) throws IOException {
        AlterPartitionReassignmentsRequestData request = new AlterPartitionReassignmentsRequestData();
        request.topics()
                .add(new ReassignableTopic()
                        .setName("t")
                        .setPartitions(List.of(
                                new ReassignablePartition().setReplicas(List.of(1)),
                                new ReassignablePartition().setReplicas(List.of(2)),
                                new ReassignablePartition().setReplicas(null),
                                new ReassignablePartition().setPartitionIndex(9).setReplicas(List.of(1)))));
        AlterPartitionReassignmentsResponseData response = client.call(
                ApiKeys.ALTER_PARTITION_REASSIGNMENTS, version, request, AlterPartitionReassignmentsResponseData.class);
        assertThat(response.responses().get(0).partitions())
                .extracting(result -> Errors.forCode(result.errorCode()))
                .containsExactly(
                        Errors.NONE,
                        Errors.INVALID_REPLICA_ASSIGNMENT,
                        Errors.NO_REASSIGNMENT_IN_PROGRESS,
                        Errors.UNKNOWN_TOPIC_OR_PARTITION);
    }

    private static void checkListPartitionReassignments(RawClient client, int version) throws IOException {
        ListPartitionReassignmentsResponseData response = client.call(
                ApiKeys.LIST_PARTITION_REASSIGNMENTS,
                version,
                new ListPartitionReassignmentsRequestData().setTopics(null),
                ListPartitionReassignmentsResponseData.class);
        assertThat(response.errorCode()).isZero();
        assertThat(response.topics()).isEmpty();
    }

    private static void checkDescribeAcls(RawClient client, int version) throws IOException {
        DescribeAclsRequestData request = new DescribeAclsRequestData()
                .setResourceTypeFilter(ResourceType.ANY.code())
                .setPatternTypeFilter(PatternType.ANY.code())
                .setOperation(AclOperation.ANY.code())
                .setPermissionType(AclPermissionType.ANY.code());
        assertThat(client.call(ApiKeys.DESCRIBE_ACLS, version, request, DescribeAclsResponseData.class)
                        .errorCode())
                .isEqualTo(Errors.SECURITY_DISABLED.code());
    }

    private static void checkCreateAcls(RawClient client, int version) throws IOException {
        CreateAclsRequestData request = new CreateAclsRequestData()
                .setCreations(List.of(new AclCreation()
                        .setResourceType(ResourceType.TOPIC.code())
                        .setResourceName("t")
                        .setPrincipal("User:any")
                        .setHost("*")
                        .setOperation(AclOperation.READ.code())
                        .setPermissionType(AclPermissionType.DENY.code())));
        assertThat(client.call(ApiKeys.CREATE_ACLS, version, request, CreateAclsResponseData.class)
                        .results())
                .extracting(AclCreationResult::errorCode)
                .containsExactly(Errors.SECURITY_DISABLED.code());
    }

    private static void checkDeleteAcls(RawClient client, int version) throws IOException {
        DeleteAclsRequestData request = new DeleteAclsRequestData()
                .setFilters(List.of(new DeleteAclsFilter()
                        .setResourceTypeFilter(ResourceType.ANY.code())
                        .setOperation(AclOperation.ANY.code())
                        .setPermissionType(AclPermissionType.ANY.code())));
        assertThat(client.call(ApiKeys.DELETE_ACLS, version, request, DeleteAclsResponseData.class)
                        .filterResults())
                .extracting(DeleteAclsFilterResult::errorCode)
                .containsExactly(Errors.SECURITY_DISABLED.code());
    }

    private static void checkDescribeConfigs(RawClient client, int version) throws IOException {
        DescribeConfigsRequestData request = new DescribeConfigsRequestData()
                .setResources(List.of(
                        new DescribeConfigsResource()
                                .setResourceType(ConfigResource.Type.TOPIC.id())
                                .setResourceName("t")
                                .setConfigurationKeys(List.of("segment.bytes")),
                        new DescribeConfigsResource()
                                .setResourceType(ConfigResource.Type.BROKER.id())
                                .setResourceName("1")
                                .setConfigurationKeys(null),
                        new DescribeConfigsResource()
                                .setResourceType(ConfigResource.Type.TOPIC.id())
                                .setResourceName("no such topic")));
        List<DescribeConfigsResult> results = client.call(
                        ApiKeys.DESCRIBE_CONFIGS, version, request, DescribeConfigsResponseData.class)
                .results();
        assertThat(results.get(0).configs())
                .singleElement()
                .satisfies(setting -> assertThat(setting.value()).isEqualTo("1073741824"));
        assertThat(results.get(1).configs()).hasSizeGreaterThan(10);
        assertThat(results.get(2).errorCode()).isEqualTo(Errors.UNKNOWN_TOPIC_OR_PARTITION.code());
    }

    private static void checkAlterConfigs(RawClient client, int version) throws IOException {
        String topic = "altered-by-v" + version;
        BROKER.broker().topics().create(topic, 1, TopicConfig.NONE.change(Map.of("segment.bytes", "2048")));
        AlterConfigsRequestData.AlterConfigsResource resource = new AlterConfigsRequestData.AlterConfigsResource()
                .setResourceType(ConfigResource.Type.TOPIC.id())
                .setResourceName(topic);
        resource.configs()
                .add(new AlterConfigsRequestData.AlterableConfig()
                        .setName("retention.ms")
                        .setValue("1000"));
        AlterConfigsRequestData request = new AlterConfigsRequestData();
        request.resources().add(resource);
        AlterConfigsResponseData response =
                client.call(ApiKeys.ALTER_CONFIGS, version, request, AlterConfigsResponseData.class);
        assertThat(response.responses().get(0).errorCode()).isZero();
        assertThat(settings(topic)).isEqualTo(Map.of("retention.ms", "1000"));
    }

    private static void checkIncrementalAlterConfigs(RawClient client, int version) throws IOException {
        String topic = "changed-by-v" + version;
        BROKER.broker()
                .topics()
                .create(topic, 1, TopicConfig.NONE.change(Map.of("segment.bytes", "2048", "segment.ms", "9")));
        for (boolean validateOnly : new boolean[] {true, false}) {
            IncrementalAlterConfigsRequestData.AlterConfigsResource resource =
                    new IncrementalAlterConfigsRequestData.AlterConfigsResource()
                            .setResourceType(ConfigResource.Type.TOPIC.id())
                            .setResourceName(topic);
            resource.configs()
                    .add(new IncrementalAlterConfigsRequestData.AlterableConfig()
                            .setName("retention.ms")
                            .setConfigOperation(OpType.SET.id())
                            .setValue("1000"));
            resource.configs()
                    .add(new IncrementalAlterConfigsRequestData.AlterableConfig()
                            .setName("segment.ms")
                            .setConfigOperation(OpType.DELETE.id())
                            .setValue(null));
            IncrementalAlterConfigsRequestData request =
                    new IncrementalAlterConfigsRequestData().setValidateOnly(validateOnly);
            request.resources().add(resource);
            IncrementalAlterConfigsResponseData response = client.call(
                    ApiKeys.INCREMENTAL_ALTER_CONFIGS, version, request, IncrementalAlterConfigsResponseData.class);
            assertThat(response.responses().get(0).errorCode()).isZero();
            assertThat(settings(topic))
                    .isEqualTo(
                            validateOnly
                                    ? Map.of("segment.bytes", "2048", "segment.ms", "9")
                                    : Map.of("segment.bytes", "2048", "retention.ms", "1000"));
        }
    }

    private static Map<String, String> settings(String topic) {
        return BROKER.broker().topics().byName(topic).orElseThrow().config().settings();
    }

    private static void checkAlterReplicaLogDirs(RawClient client, int version) throws IOException {
        AlterReplicaLogDirsRequestData request = new AlterReplicaLogDirsRequestData();
        for (String path : List.of(BROKER.broker().directories().get(0).toString(), "/no/such/directory")) {
            AlterReplicaLogDir directory = new AlterReplicaLogDir().setPath(path);
            directory.topics().add(new AlterReplicaLogDirTopic().setName("t").setPartitions(List.of(0)));
            request.dirs().add(directory);
        }
        AlterReplicaLogDirsResponseData response =
                client.call(ApiKeys.ALTER_REPLICA_LOG_DIRS, version, request, AlterReplicaLogDirsResponseData.class);
        assertThat(response.results())
                .extracting(topic -> Errors.forCode(topic.partitions().get(0).errorCode()))
                .containsExactly(Errors.NONE, Errors.LOG_DIR_NOT_FOUND);
    }

    private static void checkCreateTopics(RawClient client, int version) throws IOException {
        CreateTopicsRequestData request = new CreateTopicsRequestData();
        request.topics()
                .add(new CreatableTopic()
                        .setName("created-by-v" + version)
                        .setNumPartitions(2)
                        .setReplicationFactor((short) 1));
        CreateTopicsResponseData response =
                client.call(ApiKeys.CREATE_TOPICS, version, request, CreateTopicsResponseData.class);
        assertThat(response.topics().iterator().next().errorCode()).isZero();
        assertThat(BROKER.broker().topics().byName("created-by-v" + version)).isPresent();
    }

    private static void checkDescribeCluster(RawClient client, int version) throws IOException {
        DescribeClusterResponseData response = client.call(
                ApiKeys.DESCRIBE_CLUSTER, version, new DescribeClusterRequestData(), DescribeClusterResponseData.class);
        assertThat(response.errorCode()).isZero();
        assertThat(response.brokers()).hasSize(1);
    }

    private static void checkDescribeLogDirs(RawClient client, int version) throws IOException {
        DescribeLogDirsResponseData response = client.call(
                ApiKeys.DESCRIBE_LOG_DIRS,
                version,
                new DescribeLogDirsRequestData().setTopics(null),
                DescribeLogDirsResponseData.class);
        assertThat(response.results()).hasSize(1);
        assertThat(response.results().get(0).errorCode()).isZero();
        assertThat(response.results().get(0).topics()).isNotEmpty();
    }
}
