package io.faultline.broker;

import static org.assertj.core.api.Assertions.assertThat;

import io.faultline.broker.junit.BrokerExtension;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.message.ApiVersionsRequestData;
import org.apache.kafka.common.message.ApiVersionsResponseData;
import org.apache.kafka.common.message.IncrementalAlterConfigsRequestData;
import org.apache.kafka.common.message.IncrementalAlterConfigsResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.extension.RegisterExtension;

class ProtocolVersionsTest {

    @RegisterExtension
    static final BrokerExtension BROKER =
            new BrokerExtension(broker -> broker.temporaryDirectories(2).topic("t", 1));

    @TestFactory
    Stream<DynamicTest> everyAnnouncedVersionWorks() throws IOException {
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
        EmbeddedBroker broker = BROKER.broker();
        switch (api) {
            case PRODUCE -> new RecordVersions(broker, client, api, version).produce();
            case FETCH -> new RecordVersions(broker, client, api, version).fetch();
            case LIST_OFFSETS -> new RecordVersions(broker, client, api, version).listOffsets();
            case DELETE_RECORDS -> new RecordVersions(broker, client, api, version).deleteRecords();
            case OFFSET_FOR_LEADER_EPOCH -> new RecordVersions(broker, client, api, version).offsetForLeaderEpoch();
            case INIT_PRODUCER_ID -> new RecordVersions(broker, client, api, version).initProducerId();
            case DESCRIBE_PRODUCERS -> new RecordVersions(broker, client, api, version).describeProducers();
            case FIND_COORDINATOR -> new GroupVersions(broker, client, api, version).findCoordinator();
            case JOIN_GROUP, SYNC_GROUP, HEARTBEAT, LEAVE_GROUP ->
                new GroupVersions(broker, client, api, version).membership();
            case OFFSET_COMMIT, OFFSET_FETCH -> new GroupVersions(broker, client, api, version).offsets();
            case OFFSET_DELETE -> new GroupVersions(broker, client, api, version).offsetDelete();
            case DESCRIBE_GROUPS -> new GroupVersions(broker, client, api, version).describeGroups();
            case LIST_GROUPS -> new GroupVersions(broker, client, api, version).listGroups();
            case DELETE_GROUPS -> new GroupVersions(broker, client, api, version).deleteGroups();
            case METADATA -> new TopicVersions(broker, client, api, version).metadata();
            case CREATE_TOPICS -> new TopicVersions(broker, client, api, version).createTopics();
            case DELETE_TOPICS -> new TopicVersions(broker, client, api, version).deleteTopics();
            case CREATE_PARTITIONS -> new TopicVersions(broker, client, api, version).createPartitions();
            case ALTER_REPLICA_LOG_DIRS -> new TopicVersions(broker, client, api, version).alterReplicaLogDirs();
            case DESCRIBE_LOG_DIRS -> new TopicVersions(broker, client, api, version).describeLogDirs();
            case ELECT_LEADERS -> new TopicVersions(broker, client, api, version).electLeaders();
            case ALTER_PARTITION_REASSIGNMENTS ->
                new TopicVersions(broker, client, api, version).alterPartitionReassignments();
            case LIST_PARTITION_REASSIGNMENTS ->
                new TopicVersions(broker, client, api, version).listPartitionReassignments();
            case DESCRIBE_CONFIGS -> new ConfigVersions(broker, client, api, version).describeConfigs();
            case ALTER_CONFIGS -> new ConfigVersions(broker, client, api, version).alterConfigs();
            case INCREMENTAL_ALTER_CONFIGS ->
                new ConfigVersions(broker, client, api, version).incrementalAlterConfigs();
            case API_VERSIONS -> new ClusterVersions(broker, client, version).apiVersions();
            case DESCRIBE_CLUSTER -> new ClusterVersions(broker, client, version).describeCluster();
            case DESCRIBE_ACLS -> new ClusterVersions(broker, client, version).describeAcls();
            case CREATE_ACLS -> new ClusterVersions(broker, client, version).createAcls();
            case DELETE_ACLS -> new ClusterVersions(broker, client, version).deleteAcls();
            default -> throw new AssertionError("no test of " + api);
        }
    }
}
