package io.faultline.broker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.AlterPartitionReassignmentsRequestData;
import org.apache.kafka.common.message.AlterPartitionReassignmentsRequestData.ReassignablePartition;
import org.apache.kafka.common.message.AlterPartitionReassignmentsRequestData.ReassignableTopic;
import org.apache.kafka.common.message.AlterPartitionReassignmentsResponseData;
import org.apache.kafka.common.message.AlterReplicaLogDirsRequestData;
import org.apache.kafka.common.message.AlterReplicaLogDirsRequestData.AlterReplicaLogDir;
import org.apache.kafka.common.message.AlterReplicaLogDirsRequestData.AlterReplicaLogDirTopic;
import org.apache.kafka.common.message.AlterReplicaLogDirsResponseData;
import org.apache.kafka.common.message.CreatePartitionsRequestData;
import org.apache.kafka.common.message.CreatePartitionsRequestData.CreatePartitionsTopic;
import org.apache.kafka.common.message.CreatePartitionsResponseData;
import org.apache.kafka.common.message.CreateTopicsRequestData;
import org.apache.kafka.common.message.CreateTopicsRequestData.CreatableTopic;
import org.apache.kafka.common.message.CreateTopicsRequestData.CreatableTopicConfig;
import org.apache.kafka.common.message.CreateTopicsResponseData;
import org.apache.kafka.common.message.CreateTopicsResponseData.CreatableTopicResult;
import org.apache.kafka.common.message.DeleteTopicsRequestData;
import org.apache.kafka.common.message.DeleteTopicsRequestData.DeleteTopicState;
import org.apache.kafka.common.message.DeleteTopicsResponseData;
import org.apache.kafka.common.message.DescribeLogDirsRequestData;
import org.apache.kafka.common.message.DescribeLogDirsRequestData.DescribableLogDirTopic;
import org.apache.kafka.common.message.DescribeLogDirsResponseData;
import org.apache.kafka.common.message.DescribeLogDirsResponseData.DescribeLogDirsPartition;
import org.apache.kafka.common.message.DescribeLogDirsResponseData.DescribeLogDirsResult;
import org.apache.kafka.common.message.ElectLeadersRequestData;
import org.apache.kafka.common.message.ElectLeadersRequestData.TopicPartitions;
import org.apache.kafka.common.message.ElectLeadersResponseData;
import org.apache.kafka.common.message.ListPartitionReassignmentsRequestData;
import org.apache.kafka.common.message.ListPartitionReassignmentsResponseData;
import org.apache.kafka.common.message.MetadataRequestData;
import org.apache.kafka.common.message.MetadataRequestData.MetadataRequestTopic;
import org.apache.kafka.common.message.MetadataResponseData;
import org.apache.kafka.common.message.MetadataResponseData.MetadataResponseTopic;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;

/** That the APIs for topics, and for where they lie, do what they are for, in one version; each has a topic of its own. */
final class TopicVersions {

    private static final int PARTITIONS = 2;

    private final EmbeddedBroker broker;
    private final RawClient client;
    private final int version;
    private final String topic;
    private final Uuid topicId;

    TopicVersions(EmbeddedBroker broker, RawClient client, ApiKeys api, int version) {
        this.broker = broker;
        this.client = client;
        this.version = version;
        topic = api.name + "-v" + version;
        topicId = broker.topics().create(topic, PARTITIONS).id();
    }

    void metadata() throws IOException {
        MetadataResponseData response = metadata(named(topic));
        assertThat(response.brokers()).singleElement().satisfies(node -> {
            assertThat(node.nodeId()).isEqualTo(1);
            assertThat(node.host() + ":" + node.port()).isEqualTo(broker.bootstrapServers());
            assertThat(node.rack()).isNull();
        });
        assertThat(response.controllerId()).isEqualTo(version < 1 ? -1 : 1);
        assertThat(response.clusterId() == null).isEqualTo(version < 2);
        assertThat(response.topics()).hasSize(1);
        assertIsOurs(response.topics().find(topic));

        // All topics; the first version has an empty list for that.
        MetadataResponseData all = metadata(new MetadataRequestData().setTopics(version == 0 ? List.of() : null));
        assertThat(all.topics()).hasSize(broker.topics().all().size());
        assertIsOurs(all.topics().find(topic));
        if (version >= 4) {
            MetadataResponseData unknown = metadata(named("no such topic").setAllowAutoTopicCreation(false));
            assertThat(Errors.forCode(unknown.topics().find("no such topic").errorCode()))
                    .isEqualTo(Errors.UNKNOWN_TOPIC_OR_PARTITION);
        }
        if (version >= 12) {
            metadataById();
        }
    }

    private void metadataById() throws IOException {
        Uuid other = Uuid.randomUuid();
        MetadataResponseData byId = metadata(new MetadataRequestData()
                .setTopics(List.of(
                        new MetadataRequestTopic().setName(null).setTopicId(topicId),
                        new MetadataRequestTopic().setName(null).setTopicId(other))));
        assertThat(byId.topics()).hasSize(2);
        assertIsOurs(byId.topics().find(topic));
        assertThat(byId.topics())
                .filteredOn(each -> each.name() == null)
                .singleElement()
                .satisfies(unknown -> {
                    assertThat(unknown.topicId()).isEqualTo(other);
                    assertThat(Errors.forCode(unknown.errorCode())).isEqualTo(Errors.UNKNOWN_TOPIC_ID);
                });
    }

    private static MetadataRequestData named(String name) {
        return new MetadataRequestData().setTopics(List.of(new MetadataRequestTopic().setName(name)));
    }

    private MetadataResponseData metadata(MetadataRequestData request) throws IOException {
        return client.call(ApiKeys.METADATA, version, request, MetadataResponseData.class);
    }

    private void assertIsOurs(MetadataResponseTopic described) {
        assertThat(Errors.forCode(described.errorCode())).isEqualTo(Errors.NONE);
        assertThat(described.topicId()).isEqualTo(version < 10 ? Uuid.ZERO_UUID : topicId);
        assertThat(described.isInternal()).isFalse();
        assertThat(described.partitions()).hasSize(PARTITIONS).allSatisfy(partition -> {
            assertThat(Errors.forCode(partition.errorCode())).isEqualTo(Errors.NONE);
            assertThat(partition.leaderId()).isEqualTo(1);
            assertThat(partition.leaderEpoch()).isEqualTo(version < 7 ? -1 : 0);
            assertThat(partition.replicaNodes()).containsExactly(1);
            assertThat(partition.isrNodes()).containsExactly(1);
            assertThat(partition.offlineReplicas()).isEmpty();
        });
        assertThat(described.partitions())
                .extracting(partition -> partition.partitionIndex())
                .containsExactlyInAnyOrder(0, 1);
    }

    void createTopics() throws IOException {
        String made = "made-by-v" + version;
        CreateTopicsRequestData request = new CreateTopicsRequestData().setValidateOnly(true);
        CreatableTopic asked =
                new CreatableTopic().setName(made).setNumPartitions(3).setReplicationFactor((short) 1);
        asked.configs().add(new CreatableTopicConfig().setName("retention.ms").setValue("1000"));
        request.topics().add(asked);
        request.topics()
                .add(new CreatableTopic().setName(topic).setNumPartitions(1).setReplicationFactor((short) 1));
        createTopics(request, made);
        assertThat(broker.topics().byName(made)).isEmpty();

        CreatableTopicResult created = createTopics(request.setValidateOnly(false), made);
        assertThat(created.topicId())
                .isEqualTo(
                        version < 7
                                ? Uuid.ZERO_UUID
                                : broker.topics().byName(made).orElseThrow().id());
        assertThat(broker.topics().byName(made).orElseThrow().partitions()).hasSize(3);
        assertThat(broker.topics().byName(made).orElseThrow().config().settings())
                .isEqualTo(Map.of("retention.ms", "1000"));
    }

    private CreatableTopicResult createTopics(CreateTopicsRequestData request, String made) throws IOException {
        CreateTopicsResponseData response =
                client.call(ApiKeys.CREATE_TOPICS, version, request, CreateTopicsResponseData.class);
        assertThat(response.topics()).hasSize(2);
        assertThat(Errors.forCode(response.topics().find(topic).errorCode())).isEqualTo(Errors.TOPIC_ALREADY_EXISTS);
        CreatableTopicResult result = response.topics().find(made);
        assertThat(Errors.forCode(result.errorCode())).isEqualTo(Errors.NONE);
        if (version >= 5) {
            assertThat(result.numPartitions()).isEqualTo(3);
            assertThat(result.replicationFactor()).isEqualTo((short) 1);
            assertThat(result.configs())
                    .extracting(setting -> setting.name() + "=" + setting.value())
                    .contains("retention.ms=1000");
        }
        return result;
    }

    void deleteTopics() throws IOException {
        DeleteTopicsRequestData request = new DeleteTopicsRequestData();
        if (version < 6) {
            request.setTopicNames(List.of(topic, "no such topic"));
        } else {
            broker.topics().create("deleted-by-name", 1);
            request.setTopics(List.of(
                    new DeleteTopicState().setName(null).setTopicId(topicId),
                    new DeleteTopicState().setName("no such topic"),
                    new DeleteTopicState().setName("deleted-by-name"),
                    new DeleteTopicState().setName(null).setTopicId(Uuid.randomUuid()),
                    new DeleteTopicState().setName(topic).setTopicId(topicId)));
        }
        DeleteTopicsResponseData response =
                client.call(ApiKeys.DELETE_TOPICS, version, request, DeleteTopicsResponseData.class);
        assertThat(response.responses())
                .extracting(result -> result.name() + " " + Errors.forCode(result.errorCode()))
                .isEqualTo(
                        version < 6
                                ? List.of(topic + " NONE", "no such topic UNKNOWN_TOPIC_OR_PARTITION")
                                : List.of(
                                        topic + " NONE",
                                        "no such topic UNKNOWN_TOPIC_OR_PARTITION",
                                        "deleted-by-name NONE",
                                        "null UNKNOWN_TOPIC_ID",
                                        topic + " INVALID_REQUEST"));
        assertThat(response.responses().iterator().next().topicId()).isEqualTo(version < 6 ? Uuid.ZERO_UUID : topicId);
        assertThat(broker.topics().byName(topic)).isEmpty();
        assertThat(broker.topics().byName("deleted-by-name")).isEmpty();
    }

    void createPartitions() throws IOException {
        CreatePartitionsRequestData request = new CreatePartitionsRequestData().setValidateOnly(true);
        request.topics()
                .add(new CreatePartitionsTopic().setName(topic).setCount(3).setAssignments(null));
        assertThat(createPartitions(request)).isEqualTo(topic + " NONE");
        assertThat(partitions()).containsExactly(0, 1);

        assertThat(createPartitions(request.setValidateOnly(false))).isEqualTo(topic + " NONE");
        assertThat(partitions()).containsExactly(0, 1, 2);
        broker.log(topic, 2).append(Requests.records("any"));

        assertThat(createPartitions(request)).isEqualTo(topic + " INVALID_PARTITIONS");
        assertThat(partitions()).containsExactly(0, 1, 2);
    }

    private String createPartitions(CreatePartitionsRequestData request) throws IOException {
        CreatePartitionsResponseData response =
                client.call(ApiKeys.CREATE_PARTITIONS, version, request, CreatePartitionsResponseData.class);
        assertThat(response.results()).hasSize(1);
        return response.results().get(0).name() + " "
                + Errors.forCode(response.results().get(0).errorCode());
    }

    private List<Integer> partitions() {
        int count = broker.topics().byName(topic).orElseThrow().partitions().size();
        return IntStream.range(0, count).boxed().toList();
    }

    void alterReplicaLogDirs() throws IOException {
        broker.log(topic, 0).append(Requests.records("moved"));
        Path before = broker.directoryOf(topic, 0);
        Path target = other(before);
        AlterReplicaLogDirsRequestData request = new AlterReplicaLogDirsRequestData();
        for (String path : List.of(target.toString(), "/no/such/directory")) {
            AlterReplicaLogDir directory = new AlterReplicaLogDir().setPath(path);
            directory.topics().add(new AlterReplicaLogDirTopic().setName(topic).setPartitions(List.of(0, 9)));
            request.dirs().add(directory);
        }
        AlterReplicaLogDirsResponseData response =
                client.call(ApiKeys.ALTER_REPLICA_LOG_DIRS, version, request, AlterReplicaLogDirsResponseData.class);
        assertThat(response.results())
                .extracting(result -> result.topicName() + " "
                        + result.partitions().stream()
                                .map(partition ->
                                        partition.partitionIndex() + " " + Errors.forCode(partition.errorCode()))
                                .toList())
                .containsExactly(
                        topic + " [0 NONE, 9 UNKNOWN_TOPIC_OR_PARTITION]",
                        topic + " [0 LOG_DIR_NOT_FOUND, 9 LOG_DIR_NOT_FOUND]");
        await().until(() -> broker.directoryOf(topic, 0).equals(target));
        assertThat(broker.log(topic, 0).end().offset()).isEqualTo(1);
    }

    private Path other(Path directory) {
        return broker.directories().stream()
                .filter(candidate -> !candidate.equals(directory))
                .findFirst()
                .orElseThrow();
    }

    void describeLogDirs() throws IOException {
        broker.log(topic, 0).append(Requests.records("any"));
        DescribeLogDirsRequestData one = new DescribeLogDirsRequestData();
        one.topics().add(new DescribableLogDirTopic().setTopic(topic).setPartitions(List.of(0)));
        for (DescribeLogDirsRequestData request : List.of(new DescribeLogDirsRequestData().setTopics(null), one)) {
            DescribeLogDirsResponseData response =
                    client.call(ApiKeys.DESCRIBE_LOG_DIRS, version, request, DescribeLogDirsResponseData.class);
            assertThat(Errors.forCode(response.errorCode())).isEqualTo(Errors.NONE);
            assertThat(response.results())
                    .extracting(DescribeLogDirsResult::logDir)
                    .containsExactlyElementsOf(
                            broker.directories().stream().map(Path::toString).toList());
            assertThat(response.results()).allSatisfy(directory -> {
                assertThat(Errors.forCode(directory.errorCode())).isEqualTo(Errors.NONE);
                assertThat(directory.totalBytes() > 0).isEqualTo(version >= 4);
                assertThat(directory.usableBytes() > 0).isEqualTo(version >= 4);
            });
            List<DescribeLogDirsPartition> ours = response.results().stream()
                    .filter(directory -> directory
                            .logDir()
                            .equals(broker.directoryOf(topic, 0).toString()))
                    .flatMap(directory -> directory.topics().stream())
                    .filter(described -> described.name().equals(topic))
                    .flatMap(described -> described.partitions().stream())
                    .toList();
            assertThat(ours)
                    .contains(new DescribeLogDirsPartition()
                            .setPartitionIndex(0)
                            .setPartitionSize(broker.log(topic, 0).sizeInBytes()));
        }
        assertThat(broker.log(topic, 0).sizeInBytes()).isPositive();
    }

    void electLeaders() throws IOException {
        ElectLeadersRequestData request = new ElectLeadersRequestData();
        request.topicPartitions().add(new TopicPartitions().setTopic(topic).setPartitions(List.of(0, 9)));
        ElectLeadersResponseData response =
                client.call(ApiKeys.ELECT_LEADERS, version, request, ElectLeadersResponseData.class);
        assertThat(response.replicaElectionResults()).hasSize(1);
        assertThat(response.replicaElectionResults().get(0).topic()).isEqualTo(topic);
        assertThat(response.replicaElectionResults().get(0).partitionResult())
                .extracting(result -> result.partitionId() + " " + Errors.forCode(result.errorCode()))
                .containsExactly("0 ELECTION_NOT_NEEDED", "9 UNKNOWN_TOPIC_OR_PARTITION");
        ElectLeadersResponseData all = client.call(
                ApiKeys.ELECT_LEADERS, version, request.setTopicPartitions(null), ElectLeadersResponseData.class);
        assertThat(Errors.forCode(all.errorCode())).isEqualTo(Errors.NONE);
        assertThat(all.replicaElectionResults()).isEmpty();
    }

    void alterPartitionReassignments() throws IOException {
        AlterPartitionReassignmentsRequestData request = new AlterPartitionReassignmentsRequestData();
        request.topics()
                .add(new ReassignableTopic()
                        .setName(topic)
                        .setPartitions(List.of(
                                new ReassignablePartition().setReplicas(List.of(1)),
                                new ReassignablePartition().setReplicas(List.of(2)),
                                new ReassignablePartition().setReplicas(null),
                                new ReassignablePartition().setPartitionIndex(9).setReplicas(List.of(1)))));
        AlterPartitionReassignmentsResponseData response = client.call(
                ApiKeys.ALTER_PARTITION_REASSIGNMENTS, version, request, AlterPartitionReassignmentsResponseData.class);
        assertThat(response.responses()).hasSize(1);
        assertThat(response.responses().get(0).name()).isEqualTo(topic);
        assertThat(response.responses().get(0).partitions())
                .extracting(result -> Errors.forCode(result.errorCode()))
                .containsExactly(
                        Errors.NONE,
                        Errors.INVALID_REPLICA_ASSIGNMENT,
                        Errors.NO_REASSIGNMENT_IN_PROGRESS,
                        Errors.UNKNOWN_TOPIC_OR_PARTITION);
    }

    void listPartitionReassignments() throws IOException {
        ListPartitionReassignmentsResponseData response = client.call(
                ApiKeys.LIST_PARTITION_REASSIGNMENTS,
                version,
                new ListPartitionReassignmentsRequestData().setTopics(null),
                ListPartitionReassignmentsResponseData.class);
        assertThat(Errors.forCode(response.errorCode())).isEqualTo(Errors.NONE);
        assertThat(response.topics()).isEmpty();
    }
}
