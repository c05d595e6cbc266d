package io.faultline.broker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.faultline.broker.log.TopicConfig;
import io.faultline.classifier.Classification;
import io.faultline.classifier.FailureFeed;
import io.faultline.classifier.Hint;
import io.faultline.classifier.LogDirOwner;
import io.faultline.classifier.Mount;
import io.faultline.classifier.OwnerAction;
import io.faultline.classifier.Reason;
import io.faultline.classifier.Region;
import io.faultline.classifier.TargetKind;
import io.faultline.classifier.Verdict;
import io.faultline.disk.FailingDisk;
import io.faultline.disk.NeedsFailingDisk;
import io.faultline.disk.NeedsTruncatedDisk;
import io.faultline.disk.TruncatedDisk;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.LogDirDescription;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.KafkaStorageException;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.message.MetadataRequestData;
import org.apache.kafka.common.message.MetadataResponseData;
import org.apache.kafka.common.message.MetadataResponseData.MetadataResponsePartition;
import org.apache.kafka.common.message.ProduceResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** One directory of several fails, then the last one. */
class LogDirFailureTest {

    @TempDir
    Path scratch;

    private EmbeddedBroker broker;

    @AfterEach
    void stop() {
        if (broker != null) {
            broker.close();
        }
    }

    private void start(Path... directories) throws IOException {
        broker = EmbeddedBroker.builder().directories(directories).start();
    }

    private Path[] twoDirectories() {
        return new Path[] {scratch.resolve("a"), scratch.resolve("b")};
    }

    @Test
    @NeedsFailingDisk
    void aFailingAppendTakesTheDirectoryOfflineAndNoOther(FailingDisk disk) throws Exception {
        Path bad = disk.directory().resolve("data");
        start(bad, scratch.resolve("good"));
        broker.topics().create("t", 2);
        assertThat(broker.directoryOf("t", 0)).isEqualTo(bad);
        assertThat(produce("t")).isEqualTo(Errors.NONE);
        // An append goes on in the last block, which must be read for it.
        disk.poison(onlySegment("t"), 0, 1);

        assertThat(produce("t")).isEqualTo(Errors.KAFKA_STORAGE_ERROR);

        assertOffline(bad, "t", 0);
        Clients.plaintext(broker).produce(new TopicPartition("t", 1), 10, 10);
        broker.topics().create("elsewhere", 3);
        assertThat(List.of(0, 1, 2))
                .allSatisfy(index ->
                        assertThat(broker.directoryOf("elsewhere", index)).isEqualTo(scratch.resolve("good")));
    }

    @Test
    @NeedsFailingDisk
    void aFailingSearchTakesTheDirectoryOffline(FailingDisk disk) throws Exception {
        Path bad = disk.directory().resolve("data");
        start(bad, scratch.resolve("good"));
        broker.topics().create("t", 1);
        assertThat(produce("t")).isEqualTo(Errors.NONE);
        disk.poison(onlySegment("t"), 0, 1);

        assertThat(fetch("t")).isEqualTo(Errors.KAFKA_STORAGE_ERROR);

        assertOffline(bad, "t", 0);
    }

    @Test
    void aFailingRollTakesTheDirectoryOffline() throws Exception {
        start(twoDirectories());
        broker.topics().create("t", 1);
        assertThat(produce("t")).isEqualTo(Errors.NONE);
        deleteTree(scratch.resolve("a"));
        assertThatThrownBy(() -> broker.log("t", 0).roll()).isInstanceOf(KafkaStorageException.class);
        assertOffline(scratch.resolve("a"), "t", 0);
    }

    @Test
    @NeedsFailingDisk
    void aDirectoryThatCannotBeRecoveredIsOfflineFromTheStart(FailingDisk disk) throws Exception {
        Path bad = disk.directory().resolve("data");
        start(bad, scratch.resolve("good"));
        broker.topics().create("t", 2);
        assertThat(produce("t")).isEqualTo(Errors.NONE);
        Path segment = onlySegment("t");
        broker.close();
        disk.poison(segment, 0, 1);

        start(bad, scratch.resolve("good"));

        assertThat(broker.offlineDirectories()).containsExactly(bad);
        assertThat(fetch("t")).isEqualTo(Errors.KAFKA_STORAGE_ERROR);
        assertThat(metadata("t", 0).leaderId()).isEqualTo(-1);
        assertThat(metadata("t", 1).leaderId()).isEqualTo(1);
    }

    @Test
    @NeedsFailingDisk
    void aDirectoryThatFailedIsBackAfterARestartWhenItsDiskIsWell(FailingDisk disk) throws Exception {
        Path bad = disk.directory().resolve("data");
        start(bad, scratch.resolve("good"));
        broker.topics().create("kept", 2);
        broker.topics().create("deleted", 2);
        Clients clients = Clients.plaintext(broker);
        clients.produce(new TopicPartition("kept", 0), 100, 1_000);
        disk.poison(onlySegment("kept"), 0, 1);
        assertThat(fetch("kept")).isEqualTo(Errors.KAFKA_STORAGE_ERROR);
        assertOffline(bad, "kept", 0);
        broker.topics().delete("deleted");
        broker.close();
        disk.healAll();

        start(bad, scratch.resolve("good"));

        assertThat(broker.offlineDirectories()).isEmpty();
        assertThat(Clients.plaintext(broker).consume(new TopicPartition("kept", 0), 100))
                .hasSize(100);
        assertThat(produce("kept")).isEqualTo(Errors.NONE);
        assertThat(broker.topics().byName("deleted")).isEmpty();
        assertThat(bad.resolve("deleted-0")).doesNotExist();
    }

    @Test
    @NeedsTruncatedDisk
    void aFailingFlushTakesTheDirectoryOffline(TruncatedDisk disk) throws Exception {
        Path bad = disk.directory().resolve("data");
        start(bad, scratch.resolve("good"));
        broker.topics().create("t", 2, TopicConfig.NONE.change(Map.of("flush.messages", "1")));
        assertThat(produce("t")).isEqualTo(Errors.NONE);
        Path segment = onlySegment("t");
        Clients.plaintext(broker).produce(new TopicPartition("t", 0), 20, 100_000);
        // The append succeeds, in memory; what fails is only its way to the medium.
        disk.truncate(segment, 1 << 20);

        assertThat(produce("t")).isEqualTo(Errors.KAFKA_STORAGE_ERROR);

        assertOffline(bad, "t", 0);
    }

    @Test
    @NeedsTruncatedDisk
    void aFailingFlushInTheBackgroundTakesTheDirectoryOffline(TruncatedDisk disk) throws Exception {
        Path bad = disk.directory().resolve("data");
        broker = EmbeddedBroker.builder()
                .directories(bad, scratch.resolve("good"))
                .property("log.flush.scheduler.interval.ms", "100")
                .start();
        broker.topics().create("t", 2, TopicConfig.NONE.change(Map.of("flush.ms", "1")));
        assertThat(produce("t")).isEqualTo(Errors.NONE);
        Path segment = onlySegment("t");
        Clients.plaintext(broker).produce(new TopicPartition("t", 0), 20, 100_000);
        disk.truncate(segment, 1 << 20);
        // What is appended last, if the directory is online by then, waits in memory for a flush that nobody asks for.
        assertThat(produce("t")).isIn(Errors.NONE, Errors.KAFKA_STORAGE_ERROR);

        assertOffline(bad, "t", 0);
    }

    @Test
    void aDirectoryThatVanishedFailsTheNextCreationThere() throws Exception {
        start(twoDirectories());
        Path vanished = scratch.resolve("a");
        deleteTree(vanished);
        broker.topics().create("t", 1);
        assertThat(broker.directoryOf("t", 0)).isEqualTo(scratch.resolve("b"));
        assertThat(broker.offlineDirectories()).containsExactly(vanished);
        assertThat(vanished).doesNotExist();
    }

    @Test
    void anOwnerIsRegisteredForEachBrokerUntilItIsClosed() throws Exception {
        start(twoDirectories());
        LogDirOwner owner = owner();
        assertThat(owner.directories())
                .containsExactly(
                        scratch.resolve("a").toString(), scratch.resolve("b").toString());
        assertThat(owner.isOffline(scratch.resolve("a").toString())).isFalse();
        broker.close();
        assertThat(FailureFeed.ofThisJvm().owners()).doesNotContain(owner);
    }

    @Test
    void aVerdictTakesTheDirectoryOfflineOnce() throws Exception {
        start(twoDirectories());
        broker.topics().create("t", 2);
        String directory = scratch.resolve("a").toString();

        assertThat(owner().takeOffline(directory, verdict(directory))).isEqualTo(OwnerAction.FED);
        assertThat(owner().isOffline(directory)).isTrue();
        assertThat(owner().takeOffline(directory, verdict(directory))).isEqualTo(OwnerAction.ALREADY);

        assertThat(owner().takeOffline("/elsewhere", verdict("/elsewhere"))).isEqualTo(OwnerAction.UNKNOWN);
        assertOffline(scratch.resolve("a"), "t", 0);
        assertThat(metadata("t", 1).leaderId()).isEqualTo(1);
    }

    @Test
    void aResponseInFlightBreaksOffWhenItsDirectoryGoesOffline() throws Exception {
        start(twoDirectories());
        Clients.plaintext(broker).createTopic("t", 1);
        Clients.plaintext(broker).produce(new TopicPartition("t", 0), 8_000, 1_000);
        try (RawClient client = new RawClient(broker.bootstrapServers())) {
            client.send(ApiKeys.FETCH, Requests.FETCH_BY_NAME, Requests.fetch("t", 0, 64 << 20));
            int size = client.receiveSize();
            takeOffline(scratch.resolve("a"));
            await().until(() -> metadata("t", 0).leaderId() == -1);
            assertThat(client.bytesUntilClosed()).isLessThan(size);
        }
        assertThat(fetch("t")).isEqualTo(Errors.KAFKA_STORAGE_ERROR);
    }

    @Test
    void aWaitingFetchIsCompletedWhenItsDirectoryGoesOffline() throws Exception {
        start(twoDirectories());
        broker.topics().create("t", 1);
        try (RawClient client = new RawClient(broker.bootstrapServers())) {
            client.send(
                    ApiKeys.FETCH,
                    Requests.FETCH_BY_NAME,
                    Requests.fetch("t", 0, 1).setMaxWaitMs(60_000).setMinBytes(1));
            takeOffline(scratch.resolve("a"));
            FetchResponseData response = client.receive(ApiKeys.FETCH, Requests.FETCH_BY_NAME, FetchResponseData.class);
            assertThat(Requests.only(response).errorCode()).isEqualTo(Errors.KAFKA_STORAGE_ERROR.code());
        }
    }

    @Test
    void theLossOfTheLastDirectoryStopsTheBroker() throws Exception {
        start(twoDirectories());
        takeOffline(scratch.resolve("b"));
        assertThat(broker.lastDirectoryLost()).isNotCompleted();
        takeOffline(scratch.resolve("a"));

        assertThat(broker.lastDirectoryLost().get(20, TimeUnit.SECONDS).directory())
                .hasToString(scratch.resolve("a").toString());
        assertThatThrownBy(() -> new RawClient(broker.bootstrapServers()).close())
                .isInstanceOf(IOException.class);
    }

    @Test
    void aBrokerWithoutAnyReadableDirectoryDoesNotStart() throws Exception {
        Path file = Files.createFile(scratch.resolve("file"));
        assertThatThrownBy(() -> start(file))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("no log directory could be read")
                .hasMessageContaining(file.toString());
    }

    @Test
    void aDirectoryInUseIsNoFailedDirectory() throws Exception {
        start(scratch.resolve("a"));
        assertThatThrownBy(() -> EmbeddedBroker.builder()
                        .directories(scratch.resolve("a"), scratch.resolve("b"))
                        .start())
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("in use by another broker");
    }

    private void takeOffline(Path directory) {
        owner().takeOffline(directory.toString(), verdict(directory.toString()));
    }

    private static LogDirOwner owner() {
        return FailureFeed.ofThisJvm().owners().stream()
                .filter(owner -> owner.name().equals("broker-1"))
                .findFirst()
                .orElseThrow();
    }

    private static Classification verdict(String directory) {
        return new Classification(
                Verdict.DISK,
                Reason.READ_FAILED,
                Hint.MEDIA_ERROR,
                OwnerAction.NONE,
                directory,
                "broker-1",
                directory + "/t-0/00000000000000000000.log",
                new Region(0, 100),
                0,
                TargetKind.SOCKET,
                Mount.UNKNOWN,
                new IOException("transfer"),
                new IOException("Input/output error"),
                Instant.now(),
                Duration.ZERO,
                Duration.ZERO,
                null,
                null);
    }

    /** What clients of each kind see of a failed directory. */
    private void assertOffline(Path directory, String topic, int partition) throws Exception {
        await().until(() -> metadata(topic, partition).leaderId() == -1);
        assertThat(metadata(topic, partition).errorCode()).isEqualTo(Errors.LEADER_NOT_AVAILABLE.code());
        assertThat(metadata(topic, partition).offlineReplicas()).containsExactly(1);
        assertThat(broker.offlineDirectories()).containsExactly(directory);
        assertThat(fetch(topic)).isEqualTo(Errors.KAFKA_STORAGE_ERROR);
        assertThat(produce(topic)).isEqualTo(Errors.KAFKA_STORAGE_ERROR);
        assertThatThrownBy(() -> broker.log(topic, partition)).isInstanceOf(KafkaStorageException.class);
        try (Admin admin = Clients.plaintext(broker).admin()) {
            TopicDescription description = Clients.get(
                            admin.describeTopics(List.of(topic)).allTopicNames())
                    .get(topic);
            assertThat(description.partitions().get(partition).leader()).isNull();
            LogDirDescription described = Clients.get(
                            admin.describeLogDirs(List.of(1)).allDescriptions())
                    .get(1)
                    .get(directory.toString());
            assertThat(described.error()).isInstanceOf(KafkaStorageException.class);
        }
    }

    private Errors produce(String topic) throws IOException {
        try (RawClient client = new RawClient(broker.bootstrapServers())) {
            return Errors.forCode(Requests.only(client.call(
                            ApiKeys.PRODUCE,
                            Requests.PRODUCE_BY_NAME,
                            Requests.produce(topic, "value"),
                            ProduceResponseData.class))
                    .errorCode());
        }
    }

    private Errors fetch(String topic) throws IOException {
        try (RawClient client = new RawClient(broker.bootstrapServers())) {
            return Errors.forCode(Requests.only(client.call(
                            ApiKeys.FETCH,
                            Requests.FETCH_BY_NAME,
                            Requests.fetch(topic, 0, 1 << 20),
                            FetchResponseData.class))
                    .errorCode());
        }
    }

    private MetadataResponsePartition metadata(String topic, int partition) throws IOException {
        try (RawClient client = new RawClient(broker.bootstrapServers())) {
            return client.call(
                            ApiKeys.METADATA, 9, new MetadataRequestData().setTopics(null), MetadataResponseData.class)
                    .topics()
                    .find(topic)
                    .partitions()
                    .get(partition);
        }
    }

    private Path onlySegment(String topic) {
        return broker.log(topic, 0).segmentFiles().get(0).toPath();
    }

    private static void deleteTree(Path root) throws IOException {
        try (var walk = Files.walk(root)) {
            for (Path path : walk.sorted(java.util.Comparator.reverseOrder()).toList()) {
                Files.delete(path);
            }
        }
    }
}
