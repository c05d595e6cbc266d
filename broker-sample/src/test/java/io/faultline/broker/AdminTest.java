package io.faultline.broker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

import io.faultline.broker.junit.BrokerExtension;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Future;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.AlterConfigOp.OpType;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.DescribeClusterOptions;
import org.apache.kafka.clients.admin.DescribeConfigsOptions;
import org.apache.kafka.clients.admin.DescribeConsumerGroupsOptions;
import org.apache.kafka.clients.admin.DescribeTopicsOptions;
import org.apache.kafka.clients.admin.NewPartitionReassignment;
import org.apache.kafka.clients.admin.NewPartitions;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.ElectionType;
import org.apache.kafka.common.TopicCollection;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.acl.AclBindingFilter;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.errors.ElectionNotNeededException;
import org.apache.kafka.common.errors.InvalidConfigurationException;
import org.apache.kafka.common.errors.InvalidPartitionsException;
import org.apache.kafka.common.errors.InvalidReplicaAssignmentException;
import org.apache.kafka.common.errors.NoReassignmentInProgressException;
import org.apache.kafka.common.errors.OffsetOutOfRangeException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.SecurityDisabledException;
import org.apache.kafka.common.errors.UnknownTopicIdException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What an operator does with the Java client. */
class AdminTest {

    private static final TopicPartition PARTITION = new TopicPartition("t", 0);

    @RegisterExtension
    final BrokerExtension extension = new BrokerExtension(builder -> builder.temporaryDirectories(2));

    private Clients clients;
    private Admin admin;

    @BeforeEach
    void connect() throws Exception {
        clients = Clients.plaintext(extension.broker());
        clients.createTopic("t", 1);
        admin = clients.admin();
    }

    @AfterEach
    void disconnect() {
        admin.close();
    }

    @Test
    void aTopicIsDeletedByNameOrId() throws Exception {
        Clients.get(admin.deleteTopics(List.of("t")).all());
        assertThat(Clients.get(admin.listTopics().names())).isEmpty();
        clients.createTopic("t", 1);
        Clients.get(admin.deleteTopics(TopicCollection.ofTopicIds(Set.of(
                        extension.broker().topics().byName("t").orElseThrow().id())))
                .all());
        assertThat(Clients.get(admin.listTopics().names())).isEmpty();
        assertThat(failure(admin.deleteTopics(List.of("t")).all()))
                .isInstanceOf(UnknownTopicOrPartitionException.class);
        assertThat(failure(admin.deleteTopics(TopicCollection.ofTopicIds(Set.of(Uuid.randomUuid())))
                        .all()))
                .isInstanceOf(UnknownTopicIdException.class);
    }

    @Test
    void aGroupForgetsATopicThatIsDeleted() throws Exception {
        Clients.get(admin.alterConsumerGroupOffsets("g", Map.of(PARTITION, new OffsetAndMetadata(7)))
                .all());
        Clients.get(admin.deleteTopics(List.of("t")).all());
        clients.createTopic("t", 1);
        assertThat(Clients.get(admin.listConsumerGroupOffsets("g").partitionsToOffsetAndMetadata()))
                .isEmpty();
    }

    @Test
    void partitionsAreAdded() throws Exception {
        Clients.get(
                admin.createPartitions(Map.of("t", NewPartitions.increaseTo(3))).all());
        clients.produce(new TopicPartition("t", 2), 10, 10);
        assertThat(clients.consume(new TopicPartition("t", 2), 10)).hasSize(10);
        Clients.get(admin.createPartitions(Map.of("t", NewPartitions.increaseTo(4, List.of(List.of(1)))))
                .all());
        assertThat(failure(admin.createPartitions(Map.of("t", NewPartitions.increaseTo(2)))
                        .all()))
                .isInstanceOf(InvalidPartitionsException.class);
        assertThat(failure(admin.createPartitions(Map.of("t", NewPartitions.increaseTo(5, List.of(List.of(2)))))
                        .all()))
                .isInstanceOf(InvalidReplicaAssignmentException.class);
        assertThat(failure(admin.createPartitions(Map.of("other", NewPartitions.increaseTo(2)))
                        .all()))
                .isInstanceOf(UnknownTopicOrPartitionException.class);
    }

    @Test
    void recordsAreDeleted() throws Exception {
        clients.produce(PARTITION, 100, 10);
        assertThat(Clients.get(admin.deleteRecords(Map.of(PARTITION, RecordsToDelete.beforeOffset(40)))
                                .lowWatermarks()
                                .get(PARTITION))
                        .lowWatermark())
                .isEqualTo(40);
        assertThat(Clients.get(admin.listOffsets(Map.of(PARTITION, OffsetSpec.earliest()))
                                .partitionResult(PARTITION))
                        .offset())
                .isEqualTo(40);
        assertThat(clients.consume(PARTITION, 60))
                .extracting(ConsumerRecord::offset)
                .startsWith(40L);
        assertThat(failure(admin.deleteRecords(Map.of(PARTITION, RecordsToDelete.beforeOffset(101)))
                        .all()))
                .isInstanceOf(OffsetOutOfRangeException.class);
        Clients.get(admin.deleteRecords(Map.of(PARTITION, RecordsToDelete.beforeOffset(-1)))
                .all());
        try (Consumer<byte[], byte[]> consumer = clients.consumer(PARTITION)) {
            assertThat(consumer.beginningOffsets(Set.of(PARTITION))).containsEntry(PARTITION, 100L);
            assertThat(consumer.endOffsets(Set.of(PARTITION))).containsEntry(PARTITION, 100L);
        }
    }

    @Test
    void settingsOfATopicAreSetDescribedAndInForce() throws Exception {
        NewTopic small = new NewTopic("small", 1, (short) 1).configs(Map.of("max.message.bytes", "1000"));
        Clients.get(admin.createTopics(List.of(small)).all());
        try (Producer<byte[], byte[]> producer = clients.producer()) {
            assertThat(failure(producer.send(new ProducerRecord<>("small", new byte[2_000]))))
                    .isInstanceOf(RecordTooLargeException.class);
        }

        ConfigResource resource = new ConfigResource(ConfigResource.Type.TOPIC, "small");
        Clients.get(admin.incrementalAlterConfigs(Map.of(
                        resource,
                        List.of(
                                new AlterConfigOp(new ConfigEntry("max.message.bytes", null), OpType.DELETE),
                                new AlterConfigOp(new ConfigEntry("retention.ms", "1234"), OpType.SET))))
                .all());
        Config described =
                Clients.get(admin.describeConfigs(List.of(resource)).all()).get(resource);
        assertThat(described.get("retention.ms").value()).isEqualTo("1234");
        assertThat(described.get("retention.ms").source()).isEqualTo(ConfigEntry.ConfigSource.DYNAMIC_TOPIC_CONFIG);
        assertThat(described.get("max.message.bytes").source()).isEqualTo(ConfigEntry.ConfigSource.DEFAULT_CONFIG);
        clients.produce(new TopicPartition("small", 0), 1, 2_000);
    }

    @Test
    void settingsThatAreNoneAreRefused() {
        for (Map<String, String> wrong : List.of(
                Map.of("no.such.setting", "1"), Map.of("segment.bytes", "1"), Map.of("cleanup.policy", "shred"))) {
            assertThat(failure(admin.createTopics(List.of(new NewTopic("wrong", 1, (short) 1).configs(wrong)))
                            .all()))
                    .isInstanceOf(InvalidConfigurationException.class);
        }
    }

    @Test
    void theBrokerIsDescribed() throws Exception {
        ConfigResource resource = new ConfigResource(ConfigResource.Type.BROKER, "1");
        Config described =
                Clients.get(admin.describeConfigs(List.of(resource)).all()).get(resource);
        assertThat(described.get("num.io.threads").value()).isEqualTo("4");
        assertThat(described.get("num.io.threads").source()).isEqualTo(ConfigEntry.ConfigSource.STATIC_BROKER_CONFIG);
        assertThat(described.get("num.partitions").isReadOnly()).isTrue();
        assertThat(described.entries()).noneMatch(entry -> entry.name().contains("password"));
    }

    @Test
    void whereASettingComesFromIsDescribed() throws Exception {
        ConfigResource topic = new ConfigResource(ConfigResource.Type.TOPIC, "t");
        Clients.get(admin.incrementalAlterConfigs(
                        Map.of(topic, List.of(new AlterConfigOp(new ConfigEntry("retention.ms", "1234"), OpType.SET))))
                .all());
        Config described = Clients.get(
                        admin.describeConfigs(List.of(topic), new DescribeConfigsOptions().includeSynonyms(true))
                                .all())
                .get(topic);
        assertThat(described.get("retention.ms").synonyms())
                .extracting(synonym -> synonym.source() + ":" + synonym.name() + "=" + synonym.value())
                .containsExactly("DYNAMIC_TOPIC_CONFIG:retention.ms=1234", "DEFAULT_CONFIG:log.retention.ms=604800000");
        ConfigResource allBrokers = new ConfigResource(ConfigResource.Type.BROKER, "");
        assertThat(Clients.get(admin.describeConfigs(List.of(allBrokers)).all())
                        .get(allBrokers)
                        .entries())
                .isEmpty();
    }

    @Test
    void aPartitionCanBeReassignedToNoOtherNode() throws Exception {
        Clients.get(admin.alterPartitionReassignments(
                        Map.of(PARTITION, Optional.of(new NewPartitionReassignment(List.of(1)))))
                .all());
        assertThat(failure(admin.alterPartitionReassignments(
                                Map.of(PARTITION, Optional.of(new NewPartitionReassignment(List.of(1, 2)))))
                        .all()))
                .isInstanceOf(InvalidReplicaAssignmentException.class);
        assertThat(failure(admin.alterPartitionReassignments(Map.of(PARTITION, Optional.empty()))
                        .all()))
                .isInstanceOf(NoReassignmentInProgressException.class);
    }

    @Test
    void recordsPastTheirTimeAreDeleted() throws Exception {
        try (EmbeddedBroker broker = EmbeddedBroker.builder()
                        .property("log.retention.check.interval.ms", "100")
                        .start();
                Admin other = Clients.plaintext(broker).admin()) {
            Clients.plaintext(broker).produce(PARTITION, 100, 10);
            Clients.get(other.incrementalAlterConfigs(Map.of(
                            new ConfigResource(ConfigResource.Type.TOPIC, "t"),
                            List.of(new AlterConfigOp(new ConfigEntry("retention.ms", "1"), OpType.SET))))
                    .all());
            await().until(() -> broker.log("t", 0).startOffset() == 100);
        }
    }

    @Test
    void aReaderOfCommittedRecordsReadsAll() throws Exception {
        clients.produce(PARTITION, 100, 10);
        Clients committed = clients.with("isolation.level", "read_committed");
        assertThat(committed.consume(PARTITION, 100)).hasSize(100);
        try (Consumer<byte[], byte[]> consumer = committed.consumer(PARTITION)) {
            assertThat(consumer.endOffsets(Set.of(PARTITION))).containsEntry(PARTITION, 100L);
        }
    }

    @Test
    void whoAsksIsToldThatEverythingIsAllowed() throws Exception {
        assertThat(Clients.get(admin.describeCluster(new DescribeClusterOptions().includeAuthorizedOperations(true))
                        .authorizedOperations()))
                .hasSize(7)
                .contains(AclOperation.CREATE, AclOperation.IDEMPOTENT_WRITE);
        assertThat(Clients.get(admin.describeTopics(
                                        List.of("t"), new DescribeTopicsOptions().includeAuthorizedOperations(true))
                                .topicNameValues()
                                .get("t"))
                        .authorizedOperations())
                .hasSize(8)
                .contains(AclOperation.READ, AclOperation.WRITE);
        assertThat(Clients.get(admin.describeCluster().authorizedOperations())).isNull();

        Clients.get(admin.alterConsumerGroupOffsets("g", Map.of(PARTITION, new OffsetAndMetadata(7)))
                .all());
        assertThat(Clients.get(admin.describeConsumerGroups(
                                        List.of("g"),
                                        new DescribeConsumerGroupsOptions().includeAuthorizedOperations(true))
                                .describedGroups()
                                .get("g"))
                        .authorizedOperations())
                .hasSize(5)
                .contains(AclOperation.READ, AclOperation.DELETE);
    }

    @Test
    void thereIsNothingToElectReassignOrAuthorize() throws Exception {
        Optional<Throwable> election = Clients.get(admin.electLeaders(ElectionType.PREFERRED, Set.of(PARTITION))
                        .partitions())
                .get(PARTITION);
        assertThat(election).containsInstanceOf(ElectionNotNeededException.class);
        assertThat(Clients.get(admin.listPartitionReassignments().reassignments()))
                .isEmpty();
        assertThat(failure(admin.describeAcls(AclBindingFilter.ANY).values()))
                .isInstanceOf(SecurityDisabledException.class);
    }

    private static Throwable failure(Future<?> result) {
        return catchThrowable(() -> Clients.get(result)).getCause();
    }
}
