package io.faultline.broker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.LogDirDescription;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.KafkaStorageException;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What tests of other people's clients do to a broker: fail a directory, repair it, stop and start. */
class RehearsedFailureTest {

    private static final TopicPartition FAILING = new TopicPartition("t", 0);
    private static final TopicPartition HEALTHY = new TopicPartition("t", 1);

    private EmbeddedBroker broker;
    private Clients clients;
    private Path failing;

    @BeforeEach
    void start() throws Exception {
        broker = EmbeddedBroker.builder()
                .temporaryDirectories(2)
                .topic("t", 2)
                .autoCreateTopics(false)
                .start();
        clients = Clients.plaintext(broker);
        failing = broker.directoryOf("t", 0);
        clients.produce(FAILING, 10, 10);
        clients.produce(HEALTHY, 10, 10);
    }

    @AfterEach
    void close() {
        broker.close();
    }

    @Test
    void aFailedDirectoryIsToldAsByARealFailure() throws Exception {
        broker.failDirectory(failing);

        assertThat(broker.offlineDirectories()).containsExactly(failing);
        assertThat(fetchError()).isEqualTo(Errors.KAFKA_STORAGE_ERROR);
        try (Admin admin = clients.admin()) {
            Map<String, LogDirDescription> described = Clients.get(
                            admin.describeLogDirs(List.of(1)).allDescriptions())
                    .get(1);
            assertThat(described.get(failing.toString()).error()).isInstanceOf(KafkaStorageException.class);
            assertThat(described.get(broker.directoryOf("t", 1).toString()).error())
                    .isNull();
            assertThat(Clients.get(admin.describeTopics(List.of("t")).allTopicNames())
                            .get("t")
                            .partitions()
                            .get(0)
                            .leader())
                    .isNull();
        }
        assertThat(clients.consume(HEALTHY, 10)).hasSize(10);
    }

    private Errors fetchError() throws IOException {
        try (RawClient client = new RawClient(broker.bootstrapServers())) {
            return Errors.forCode(Requests.only(client.call(
                            ApiKeys.FETCH,
                            Requests.FETCH_BY_NAME,
                            Requests.fetch("t", 0, 1 << 20),
                            FetchResponseData.class))
                    .errorCode());
        }
    }

    @Test
    void aFailedDirectoryStaysSoUntilItIsRepairedAndTheBrokerRestarted() throws Exception {
        broker.failDirectory(failing);
        broker.restart();
        assertThat(broker.offlineDirectories()).containsExactly(failing);
        assertThat(clients.consume(HEALTHY, 10)).hasSize(10);

        broker.repairDirectory(failing);
        assertThat(broker.offlineDirectories()).containsExactly(failing);
        broker.restart();

        assertThat(broker.offlineDirectories()).isEmpty();
        assertThat(clients.consume(FAILING, 10)).hasSize(10);
    }

    @Test
    void aProducerThatWaitsForAFailedDirectoryGoesOnAfterTheRepair() throws Exception {
        try (Producer<byte[], byte[]> producer = clients.producer()) {
            Clients.get(producer.send(new ProducerRecord<>("t", 0, null, new byte[10])));
            broker.failDirectory(failing);
            Future<RecordMetadata> waiting = producer.send(new ProducerRecord<>("t", 0, null, new byte[10]));
            assertThatThrownBy(() -> waiting.get(300, TimeUnit.MILLISECONDS)).isNotInstanceOf(ExecutionException.class);

            broker.repairDirectory(failing);
            broker.restart();

            assertThat(Clients.get(waiting).offset()).isEqualTo(11);
        }
    }

    @Test
    void aBrokerComesBackOnItsPortsWithItsRecords() throws Exception {
        String address = broker.bootstrapServers();
        try (Consumer<byte[], byte[]> consumer = clients.consumer(HEALTHY)) {
            Clients.consume(consumer, 10);
            broker.stop();
            assertThatThrownBy(() -> new RawClient(address).close()).isInstanceOf(IOException.class);
            broker.start();
            assertThat(broker.bootstrapServers()).isEqualTo(address);
            clients.produce(HEALTHY, 5, 10);
            assertThat(Clients.consume(consumer, 5)).hasSize(5);
        }
        assertThat(broker.figures().traffic().producedRecords())
                .as("counted since the first start")
                .isEqualTo(25);
    }

    @Test
    void theLastDirectoryStopsTheBrokerWhichCanBeStartedAgain() throws Exception {
        broker.directories().forEach(broker::failDirectory);
        assertThat(broker.lastDirectoryLost().get(20, TimeUnit.SECONDS).cause()).hasMessageContaining("rehearsed");
        assertThatThrownBy(broker::start)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("no log directory could be read");

        broker.directories().forEach(broker::repairDirectory);
        broker.start();

        assertThat(clients.consume(FAILING, 10)).hasSize(10);
        assertThat(broker.lastDirectoryLost()).isNotDone();
    }

    @Test
    void whatIsNoDirectoryOfTheBrokerIsRefused() {
        assertThatThrownBy(() -> broker.failDirectory(Path.of("/elsewhere")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("/elsewhere")
                .hasMessageContaining(failing.toString());
        broker.close();
        assertThatThrownBy(broker::restart)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("closed");
    }
}
