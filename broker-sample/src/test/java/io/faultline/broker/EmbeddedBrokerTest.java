package io.faultline.broker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
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
        Clients.tls(broker).produce(new TopicPartition("t", 1), 10, 100);
        Path parent = broker.directories().get(0).getParent();
        assertThat(threads()).isNotEmpty();
        assertThat(openFilesBelow(parent)).isNotEmpty();
        broker.close();
        broker.close();
        assertThat(parent).doesNotExist();
        assertThat(openFilesBelow(parent)).isEmpty();
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

    /** The files that this process has open below a folder, deleted ones too. */
    private static Set<String> openFilesBelow(Path folder) throws IOException {
        Set<String> files = new TreeSet<>();
        try (DirectoryStream<Path> descriptors = Files.newDirectoryStream(Path.of("/proc/self/fd"))) {
            for (Path descriptor : descriptors) {
                try {
                    String file = Files.readSymbolicLink(descriptor).toString();
                    if (file.startsWith(folder.toString())) {
                        files.add(file);
                    }
                } catch (NoSuchFileException closed) {
                    // It was open while the descriptors were listed.
                }
            }
        }
        return files;
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
