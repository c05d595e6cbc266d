package io.faultline.broker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.faultline.broker.junit.BrokerExtension;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InvalidReplicationFactorException;
import org.apache.kafka.common.errors.InvalidTopicException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.TopicExistsException;
import org.apache.kafka.common.errors.TransactionalIdAuthorizationException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class JavaClientTest {

    @RegisterExtension
    static final BrokerExtension BROKER = new BrokerExtension(builder -> builder.temporaryDirectories(2)
            .tls()
            .property("auto.create.topics.enable", "true")
            .property("message.max.bytes", "100000"));

    private final Clients plaintext = Clients.plaintext(BROKER.broker());
    private final Clients tls = Clients.tls(BROKER.broker());

    @ParameterizedTest
    @ValueSource(strings = {"none", "gzip", "snappy", "lz4", "zstd"})
    void recordsComeBackWhateverTheirCompression(String compression) throws Exception {
        TopicPartition partition = new TopicPartition("compressed-" + compression, 0);
        List<String> sent = new ArrayList<>();
        List<Future<RecordMetadata>> acks = new ArrayList<>();
        try (Producer<byte[], byte[]> producer =
                plaintext.with("compression.type", compression).producer()) {
            for (int record = 0; record < 500; record++) {
                sent.add("record " + record);
                acks.add(producer.send(new ProducerRecord<>(
                        partition.topic(), 0, ("key " + record).getBytes(), ("record " + record).getBytes())));
            }
        }
        for (int record = 0; record < acks.size(); record++) {
            assertThat(Clients.get(acks.get(record)).offset()).isEqualTo(record);
        }
        for (Clients clients : List.of(plaintext, tls)) {
            List<ConsumerRecord<byte[], byte[]>> received = clients.consume(partition, 500);
            assertThat(received)
                    .extracting(record -> new String(record.value()))
                    .isEqualTo(sent);
            assertThat(received).extracting(ConsumerRecord::offset).isSorted().doesNotHaveDuplicates();
        }
    }

    @Test
    void recordsAreProducedOverTls() throws Exception {
        TopicPartition partition = new TopicPartition("over-tls", 0);
        tls.produce(partition, 3_000, 1_000);
        assertThat(tls.consume(partition, 3_000)).hasSize(3_000);
    }

    @ParameterizedTest
    @ValueSource(strings = {"0", "1", "all"})
    void everyKindOfAcksAppends(String acks) throws Exception {
        TopicPartition partition = new TopicPartition("acks-" + acks, 0);
        plaintext.with("acks", acks).produce(partition, 10, 10);
        assertThat(plaintext.consume(partition, 10)).hasSize(10);
    }

    @Test
    void offsetsAreFoundByTime() throws Exception {
        TopicPartition partition = new TopicPartition("by-time", 0);
        try (Producer<byte[], byte[]> producer = plaintext.producer()) {
            for (long time = 1_000; time <= 5_000; time += 1_000) {
                Clients.get(producer.send(
                        new ProducerRecord<>(partition.topic(), 0, time, null, ("at " + time).getBytes())));
            }
        }
        try (Consumer<byte[], byte[]> consumer = plaintext.consumer(partition)) {
            assertThat(consumer.offsetsForTimes(Map.of(partition, 2_500L))
                            .get(partition)
                            .offset())
                    .isEqualTo(2);
            assertThat(consumer.offsetsForTimes(Map.of(partition, 6_000L)).get(partition))
                    .isNull();
            assertThat(consumer.endOffsets(Set.of(partition))).containsEntry(partition, 5L);
        }
        try (Admin admin = plaintext.admin()) {
            assertThat(Clients.get(admin.listOffsets(Map.of(partition, OffsetSpec.maxTimestamp()))
                                    .partitionResult(partition))
                            .offset())
                    .isEqualTo(4);
        }
    }

    @Test
    void aTopicIsMadeAndDescribed() throws Exception {
        try (Admin admin = tls.admin()) {
            Clients.get(admin.createTopics(List.of(new NewTopic("made", 4, (short) 1)))
                    .all());
            TopicDescription description = Clients.get(
                            admin.describeTopics(List.of("made")).allTopicNames())
                    .get("made");
            assertThat(description.partitions()).hasSize(4);
            assertThat(description.topicId())
                    .isEqualTo(BROKER.broker()
                            .topics()
                            .byName("made")
                            .orElseThrow()
                            .id());
            assertThat(description.partitions())
                    .allSatisfy(partition -> assertThat(partition.leader().id()).isEqualTo(1));
            assertThat(Clients.get(admin.describeCluster().nodes()))
                    .singleElement()
                    .satisfies(node -> assertThat(node.host() + ":" + node.port())
                            .isEqualTo(BROKER.broker().sslBootstrapServers()));
            assertThat(Clients.get(admin.describeLogDirs(List.of(1)).allDescriptions())
                            .get(1))
                    .containsOnlyKeys(BROKER.broker().directories().stream()
                            .map(Path::toString)
                            .toArray(String[]::new));
        }
    }

    @Test
    void whatIsNoTopicIsRefusedWithAReason() {
        try (Admin admin = plaintext.admin()) {
            assertThat(refusal(admin, new NewTopic("a b", 1, (short) 1))).isInstanceOf(InvalidTopicException.class);
            assertThat(refusal(admin, new NewTopic("two-replicas", 1, (short) 2)))
                    .isInstanceOf(InvalidReplicationFactorException.class)
                    .hasMessageContaining("one node");
            BROKER.broker().topics().create("twice", 1);
            assertThat(refusal(admin, new NewTopic("twice", 1, (short) 1))).isInstanceOf(TopicExistsException.class);
        }
    }

    private static Throwable refusal(Admin admin, NewTopic topic) {
        return catchThrowable(
                        () -> Clients.get(admin.createTopics(List.of(topic)).all()))
                .getCause();
    }

    @Test
    void aTooLargeBatchIsRefused() {
        try (Producer<byte[], byte[]> producer = plaintext.producer()) {
            Future<RecordMetadata> ack = producer.send(new ProducerRecord<>("too-large", new byte[200_000]));
            assertThatThrownBy(() -> Clients.get(ack))
                    .isInstanceOf(ExecutionException.class)
                    .hasCauseInstanceOf(RecordTooLargeException.class);
        }
    }

    @Test
    void aTransactionalProducerIsToldAtOnceThatItCannotBe() {
        try (Producer<byte[], byte[]> producer =
                plaintext.with("transactional.id", "any").producer()) {
            assertThatThrownBy(producer::initTransactions).isInstanceOf(TransactionalIdAuthorizationException.class);
        }
    }

    @Test
    void producersAreDescribed() throws Exception {
        TopicPartition partition = new TopicPartition("described-producers", 0);
        plaintext.produce(partition, 3, 10);
        plaintext.with("enable.idempotence", "false").produce(partition, 3, 10);
        try (Admin admin = plaintext.admin()) {
            assertThat(Clients.get(admin.describeProducers(List.of(partition)).partitionResult(partition))
                            .activeProducers())
                    .singleElement()
                    .satisfies(producer -> {
                        assertThat(producer.producerEpoch()).isZero();
                        assertThat(producer.lastSequence()).isEqualTo(2);
                    });
        }
    }
}
