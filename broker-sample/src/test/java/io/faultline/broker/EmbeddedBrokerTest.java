package io.faultline.broker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EmbeddedBrokerTest {

    private static final int NODE = 4711;

    @TempDir
    Path scratch;

    @Test
    void nothingIsLeftBehind() throws Exception {
        EmbeddedBroker broker = EmbeddedBroker.builder()
                .nodeId(NODE)
                .temporaryDirectories(2)
                .tls()
                .start();
        Clients.tls(broker).createTopic("t", 2);
        Path parent = broker.directories().get(0).getParent();
        assertThat(threads()).isNotEmpty();
        broker.close();
        broker.close();
        assertThat(parent).doesNotExist();
        await().untilAsserted(() -> assertThat(threads()).isEmpty());
    }

    @Test
    void nothingIsLeftBehindByABrokerThatDoesNotStart() throws Exception {
        try (EmbeddedBroker broker = EmbeddedBroker.builder().start()) {
            String taken = "PLAINTEXT://" + broker.bootstrapServers();
            EmbeddedBroker.Builder second = EmbeddedBroker.builder()
                    .nodeId(NODE)
                    .directories(scratch.resolve("a"))
                    .property("listeners", taken);
            assertThatThrownBy(second::start).isInstanceOf(IOException.class).hasMessageContaining(taken);
        }
        await().untilAsserted(() -> assertThat(threads()).isEmpty());
        // The directory is free again.
        EmbeddedBroker.builder()
                .nodeId(NODE)
                .directories(scratch.resolve("a"))
                .start()
                .close();
    }

    private static Set<String> threads() {
        return Thread.getAllStackTraces().keySet().stream()
                .map(Thread::getName)
                .filter(name -> name.startsWith("faultline-broker-" + NODE + "-"))
                .collect(Collectors.toSet());
    }

    @Test
    void recordsInGivenDirectoriesOutliveTheBroker() throws Exception {
        Path[] directories = {scratch.resolve("a"), scratch.resolve("b")};
        TopicPartition partition = new TopicPartition("t", 1);
        try (EmbeddedBroker broker =
                EmbeddedBroker.builder().directories(directories).start()) {
            Clients.plaintext(broker).createTopic("t", 2);
            Clients.plaintext(broker).produce(partition, 100, 100);
        }
        try (EmbeddedBroker broker =
                EmbeddedBroker.builder().directories(directories).start()) {
            assertThat(Clients.plaintext(broker).consume(partition, 100)).hasSize(100);
        }
    }

    @Test
    void aWrongPropertyIsRefusedAndLeavesNothing() {
        assertThatThrownBy(() ->
                        EmbeddedBroker.builder().property("no.such.key", "1").start())
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("no.such.key");
    }

    @Test
    void aBrokerOverTlsOnlyHasNoPlaintextListener() throws Exception {
        try (EmbeddedBroker broker = EmbeddedBroker.builder().tlsOnly().start()) {
            assertThatThrownBy(broker::bootstrapServers).isInstanceOf(IllegalStateException.class);
            Clients.tls(broker).createTopic("t", 1);
            assertThat(Files.exists(broker.tls().authority())).isTrue();
            assertThat(broker.tls().toString()).doesNotContain(broker.tls().password());
        }
    }
}
