package io.faultline.broker.log;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.errors.InvalidPartitionsException;
import org.apache.kafka.common.errors.KafkaStorageException;
import org.apache.kafka.common.errors.TopicExistsException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.SimpleRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TopicsTest {

    @TempDir
    Path scratch;

    private final ScheduledThreadPoolExecutor deletions = new ScheduledThreadPoolExecutor(1);
    private LogDirectories directories;
    private Topics topics;

    @BeforeEach
    void start() {
        directories = new LogDirectories(List.of(
                scratch.resolve("a").toString(),
                scratch.resolve("b").toString(),
                scratch.resolve("c").toString()));
        directories.claim(1);
        topics = new Topics(directories.all(), LogConfigs.small(1 << 20, 60_000), deletions);
        topics.load();
    }

    @AfterEach
    void stop() {
        topics.close();
        directories.release();
        deletions.shutdownNow();
    }

    private void restart() {
        topics.close();
        directories.release();
        start();
    }

    @Test
    void partitionsArePlacedWhereTheFewestAre() {
        topics.create("one", 4);
        topics.create("two", 2);
        assertThat(directories.all())
                .allSatisfy(directory -> assertThat(partitionsIn(directory)).isEqualTo(2));
    }

    @Test
    void aTopicThatIsMadeAgainWhileItsPartitionMovesKeepsItsFiles() {
        Topic before = topics.create("t", 3);
        Partition moving = before.partitions().get(0);
        LogDirectory target = directories.all().get(1);
        AtomicInteger asked = new AtomicInteger();
        // The last time that the move asks for its topic it has come to its end.
        new PartitionMove(
                        moving,
                        () -> {
                            if (asked.incrementAndGet() == 2) {
                                topics.delete("t");
                                // So that the partition is made again where it was to go.
                                topics.create("other", 1);
                                topics.create("t", 3);
                            }
                            return before;
                        },
                        target,
                        () -> {})
                .run();
        assertThat(asked).hasValue(2);
        assertThat(topics.byName("t").orElseThrow().partitions().get(0).directory())
                .isEqualTo(target);
        assertThat(directories.failures().offline()).isEmpty();
        assertThat(topics.byName("t").orElseThrow().partitions()).allSatisfy(partition -> {
            assertThat(partition.log().segmentFiles())
                    .allSatisfy(file -> assertThat(file).exists());
            assertThat(partition.log().end().offset()).isZero();
        });
    }

    @Test
    void aBatchThatWaitedForAMoveIsInTheLogThatTookThePlace() throws Exception {
        Topic topic = topics.create("t", 1);
        Partition partition = topic.partitions().get(0);
        LogDirectory target = anotherThan(partition.directory());
        MemoryRecords batch = MemoryRecords.withRecords(Compression.NONE, new SimpleRecord("value".getBytes(UTF_8)));
        CompletableFuture<Long> appended = new CompletableFuture<>();
        Thread client = new Thread(() -> appended.complete(partition.append(batch)));
        moveWhile(topic, target, client);
        assertThat(appended.get(30, TimeUnit.SECONDS)).isZero();
        assertThat(partition.directory()).isEqualTo(target);
        assertThat(partition.log().end().offset()).isEqualTo(1);
    }

    @Test
    void whatIsSetWhileAPartitionMovesHoldsInTheLogThatTookThePlace() throws Exception {
        Topic topic = topics.create("t", 1);
        Partition partition = topic.partitions().get(0);
        LogDirectory target = anotherThan(partition.directory());
        Thread admin =
                new Thread(() -> topics.configure("t", before -> before.change(Map.of("segment.bytes", "50000"))));
        moveWhile(topic, target, admin);
        admin.join();
        assertThat(partition.directory()).isEqualTo(target);
        assertThat(directories.failures().offline()).isEmpty();
        restart();
        Topic loaded = topics.byName("t").orElseThrow();
        assertThat(loaded.partitions().get(0).log().config().segmentBytes()).isEqualTo(50_000);
    }

    private LogDirectory anotherThan(LogDirectory one) {
        return directories.all().stream()
                .filter(directory -> directory != one)
                .findFirst()
                .orElseThrow();
    }

    /** Moves the first partition of a topic, and starts a thread that has to wait when nobody may write to the log any more. */
    private void moveWhile(Topic topic, LogDirectory target, Thread waiting) {
        AtomicInteger asked = new AtomicInteger();
        new PartitionMove(
                        topic.partitions().get(0),
                        () -> {
                            // The last time that the move asks for its topic.
                            if (asked.incrementAndGet() == 2) {
                                waiting.start();
                                await().until(() -> waiting.getState() == Thread.State.BLOCKED);
                            }
                            return topic;
                        },
                        target,
                        () -> topics.configureAgain("t"))
                .run();
    }

    @Test
    void aPartitionGoesWhereItWasSentLast() {
        Partition partition = topics.create("t", 1).partitions().get(0);
        LogDirectory home = partition.directory();
        LogDirectory target = anotherThan(home);
        Deque<Runnable> mover = new ArrayDeque<>();
        PartitionMoves moves = new PartitionMoves(topics, mover::add);
        moves.move("t", partition, target);
        moves.move("t", partition, home);
        mover.remove().run();
        mover.forEach(Runnable::run);
        assertThat(partition.directory()).isEqualTo(home);
    }

    @Test
    void aMoveThatIsGivenUpTooLateIsTakenBack() {
        Partition partition = topics.create("t", 1).partitions().get(0);
        LogDirectory home = partition.directory();
        LogDirectory target = anotherThan(home);
        Deque<Runnable> mover = new ArrayDeque<>();
        PartitionMoves[] moves = new PartitionMoves[1];
        moves[0] = new PartitionMoves(topics, mover::add);
        Runnable[] sendBack = {() -> moves[0].move("t", partition, home)};
        partition.watch(() -> {
            sendBack[0].run();
            sendBack[0] = () -> {};
        });
        moves[0].move("t", partition, target);
        mover.remove().run();
        assertThat(partition.directory()).isEqualTo(target);
        mover.forEach(Runnable::run);
        assertThat(partition.directory()).isEqualTo(home);
    }

    @Test
    void aBatchThatIsSentAgainIsKnownThoughItsRecordsWereDeletedBeforeAMove() {
        Topic topic = topics.create("t", 1);
        Partition partition = topic.partitions().get(0);
        partition.append(idempotent(0));
        partition.append(idempotent(1));
        partition.log().roll();
        partition.log().deleteRecordsBefore(2);
        new PartitionMove(partition, () -> topic, anotherThan(partition.directory()), () -> {}).run();
        assertThat(partition.append(idempotent(1))).isEqualTo(1);
        restart();
        Partition loaded = topics.byName("t").orElseThrow().partitions().get(0);
        assertThat(loaded.append(idempotent(1))).isEqualTo(1);
        assertThat(loaded.append(idempotent(2))).isEqualTo(2);
    }

    private static MemoryRecords idempotent(int sequence) {
        return MemoryRecords.withIdempotentRecords(
                Compression.NONE, 7L, (short) 0, sequence, new SimpleRecord("value".getBytes(UTF_8)));
    }

    @Test
    void aMoveToWhereThePartitionIsAlreadyLeavesItThere() {
        Topic topic = topics.create("t", 1);
        Partition partition = topic.partitions().get(0);
        Log before = partition.log();
        new PartitionMove(partition, () -> topic, partition.directory(), () -> {}).run();
        assertThat(partition.log()).isSameAs(before);
        assertThat(before.segmentFiles()).allSatisfy(file -> assertThat(file).exists());
        assertThat(directories.failures().offline()).isEmpty();
    }

    @Test
    void aTopicIsNotDeletedBetweenTheTwoHalvesOfAMove() {
        Partition moving = topics.create("t", 1).partitions().get(0);
        Log source = moving.log();
        LogDirectory target = directories.all().get(1);
        LogCopy copy =
                LogCopy.begin(source, target, topics.byName("t").orElseThrow().id());
        Thread again = new Thread(() -> {
            topics.delete("t");
            topics.create("other", 1);
            topics.create("t", 3);
        });
        moving.moveTo(target, copy.log(), () -> copy.takeOver(TopicConfig.NONE), () -> {
            again.start();
            await().until(() -> again.getState() == Thread.State.BLOCKED);
            source.delete();
        });
        await().until(() -> !again.isAlive());
        assertThat(topics.byName("t").orElseThrow().partitions())
                .allSatisfy(partition -> assertThat(partition.log().segmentFiles())
                        .allSatisfy(file -> assertThat(file).exists()));
        assertThat(directories.failures().offline()).isEmpty();
    }

    @Test
    void partitionsAreNotPlacedInAFailedDirectory() {
        LogDirectory failed = directories.all().get(1);
        directories.failures().feed(failed, "testing", new IOException("broken"));
        topics.create("t", 4);
        assertThat(partitionsIn(failed)).isZero();
    }

    @Test
    void noTopicIsMadeWhereNoDirectoryIsOnline() {
        directories.all().forEach(directory -> directories.failures().feed(directory, "testing", new IOException()));
        assertThatThrownBy(() -> topics.create("t", 1)).isInstanceOf(KafkaStorageException.class);
        assertThat(topics.byName("t")).isEmpty();
    }

    @Test
    void topicsAreTheSameAfterARestart() {
        Topic made = topics.create("a-topic.with_all-0", 5);
        restart();
        Topic loaded = topics.byName(made.name()).orElseThrow();
        assertThat(loaded.id()).isEqualTo(made.id());
        assertThat(loaded.partitions()).hasSize(5);
        assertThat(topics.byId(made.id())).contains(loaded);
        for (int index = 0; index < 5; index++) {
            assertThat(loaded.partitions().get(index).directory().path())
                    .isEqualTo(made.partitions().get(index).directory().path());
        }
    }

    @Test
    void theTopicIdIsKeptAsInKafka() throws IOException {
        Topic made = topics.create("t", 1);
        assertThat(scratch.resolve("a/t-0/partition.metadata")).hasContent("version: 0\ntopic_id: " + made.id() + "\n");
        assertThat(Files.readString(scratch.resolve("a/meta.properties")))
                .contains("version=1\n", "node.id=1\n", "cluster.id=", "directory.id=");
    }

    @Test
    void aDeletedTopicStaysDeleted() throws IOException {
        Uuid first = topics.create("t", 3).id();
        topics.delete("t");
        assertThat(topics.byId(first)).isEmpty();
        assertThat(topics.create("t", 1).id()).isNotEqualTo(first);
        restart();
        assertThat(topics.byName("t").orElseThrow().partitions()).hasSize(1);
        try (var left = Files.list(scratch.resolve("b"))) {
            assertThat(left.map(path -> path.getFileName().toString()))
                    .containsExactlyInAnyOrder(".lock", "meta.properties");
        }
    }

    @Test
    void addedPartitionsArePlacedAndKept() {
        Topic made = topics.create("t", 2);
        Topic larger = topics.addPartitions("t", 6);
        assertThat(larger.id()).isEqualTo(made.id());
        assertThat(larger.partitions()).hasSize(6).startsWith(made.partitions().toArray(Partition[]::new));
        assertThat(directories.all())
                .allSatisfy(directory -> assertThat(partitionsIn(directory)).isEqualTo(2));
        assertThatThrownBy(() -> topics.addPartitions("t", 6)).isInstanceOf(InvalidPartitionsException.class);
        restart();
        assertThat(topics.byId(made.id()).orElseThrow().partitions()).hasSize(6);
    }

    @Test
    void settingsAreInForceAtOnceAndAfterARestartWithoutEitherDirectory() throws IOException {
        topics.create("t", 2, TopicConfig.NONE.change(Map.of("segment.bytes", "2048")));
        topics.configure("t", before -> before.change(Map.of("segment.bytes", "4096")));
        topics.addPartitions("t", 3);
        assertThat(segmentBytes()).containsOnly(4_096);
        restart();
        assertThat(segmentBytes()).containsOnly(4_096);
        // One that missed the last change holds nobody back.
        Files.writeString(scratch.resolve("a/t-0/topic.properties"), "version=1\nsegment.bytes=2048\n");
        restart();
        assertThat(segmentBytes()).containsOnly(4_096);
        assertThatThrownBy(() -> topics.configure("other", before -> before))
                .isInstanceOf(UnknownTopicOrPartitionException.class);
    }

    private List<Integer> segmentBytes() {
        return topics.byName("t").orElseThrow().partitions().stream()
                .map(partition -> partition.log().config().segmentBytes())
                .toList();
    }

    @Test
    void aTopicExistsOnce() {
        topics.create("t", 1);
        assertThatThrownBy(() -> topics.create("t", 1)).isInstanceOf(TopicExistsException.class);
    }

    @Test
    void aTopicThatWasDeletedWhileADirectoryWasOfflineDoesNotComeBackWithIt() throws IOException {
        Topic made = topics.create("t", 3);
        LogDirectory offline = directories.all().get(0);
        Path zombie = scratch.resolve("a/t-0");
        directories.failures().feed(offline, "testing", new IOException("broken"));
        topics.delete("t");
        assertThat(zombie).exists();
        assertThat(scratch.resolve("b/deleted-topics")).hasContent(made.id() + "\n");
        Topic next = topics.create("t", 2);

        restart();

        assertThat(directories.failures().offline()).isEmpty();
        assertThat(topics.byId(made.id())).isEmpty();
        assertThat(topics.byName("t").orElseThrow().id()).isEqualTo(next.id());
        assertThat(zombie).doesNotExist();
        assertThat(scratch.resolve("b/deleted-topics"))
                .as("nobody can bring it back any more")
                .doesNotExist();
    }

    @Test
    void aDeletionIsKeptForAsLongAsADirectoryIsOffline() throws IOException {
        Uuid made = topics.create("t", 3).id();
        directories.failures().feed(directories.all().get(0), "testing", new IOException("broken"));
        topics.delete("t");
        topics.close();
        directories.release();
        Path hidden = Files.move(scratch.resolve("a"), scratch.resolve("hidden"));
        Files.createFile(scratch.resolve("a"));
        start();
        assertThat(directories.failures().offline()).hasSize(1);
        topics.close();
        directories.release();
        Files.delete(scratch.resolve("a"));
        Files.move(hidden, scratch.resolve("a"));

        start();

        assertThat(topics.byId(made)).isEmpty();
        assertThat(scratch.resolve("a/t-0")).doesNotExist();
    }

    @Test
    void onlyDirectoriesThatWereLoadedAndClosedAreMarkedAsSuch() throws IOException {
        topics.create("t", 3);
        directories.failures().feed(directories.all().get(0), "testing", new IOException("broken"));
        topics.close();
        assertThat(scratch.resolve("a/.kafka_cleanshutdown")).doesNotExist();
        assertThat(scratch.resolve("b/.kafka_cleanshutdown")).exists();
        assertThat(scratch.resolve("b/recovery-point-offset-checkpoint")).hasContent("0\n1\nt 1 0\n");
        Files.delete(scratch.resolve("b/.kafka_cleanshutdown"));
        topics.close();
        assertThat(scratch.resolve("b/.kafka_cleanshutdown")).doesNotExist();
    }

    @Test
    void aPartitionInTwoDirectoriesKeepsTheBrokerFromStarting() throws IOException {
        topics.create("t", 1);
        topics.close();
        directories.release();
        Files.createDirectory(scratch.resolve("b/t-0"));
        Files.copy(scratch.resolve("a/t-0/partition.metadata"), scratch.resolve("b/t-0/partition.metadata"));
        assertThatThrownBy(this::start)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("t-0 lies in both");
    }

    @Test
    void aFolderOfAnotherTopicOfThatNameIsLeftAloneAndNotTakenOver() throws IOException {
        topics.create("t", 1);
        topics.close();
        directories.release();
        Files.createDirectory(scratch.resolve("b/t-1"));
        PartitionFolder.writeTopicId(scratch.resolve("b/t-1").toFile(), Uuid.randomUuid());
        Files.writeString(scratch.resolve("b/t-1/00000000000000000000.log"), "old");
        start();
        assertThat(topics.byName("t").orElseThrow().partitions()).hasSize(1);
        topics.delete("t");
        topics.create("t", 2);
        assertThat(topics.byName("t")
                        .orElseThrow()
                        .partitions()
                        .get(1)
                        .log()
                        .end()
                        .offset())
                .isZero();
        try (var left = Files.list(scratch.resolve("b"))) {
            assertThat(left.map(path -> path.getFileName().toString()))
                    .anyMatch(name -> name.startsWith("t-1.") && name.endsWith("-stray"));
        }
    }

    @Test
    void ofTwoFoldersThatACrashLeftTheOneThatWasMovedMoreOftenIsThePartitions() throws IOException {
        for (String moved : List.of("a", "b")) {
            Topic topic = topics.create("t-" + moved, 1);
            topics.close();
            directories.release();
            Path made = scratch.resolve(topic.partitions().get(0).directory().path())
                    .resolve("t-" + moved + "-0");
            Path other = scratch.resolve(made.startsWith(scratch.resolve("a")) ? "b" : "a")
                    .resolve(made.getFileName());
            Files.createDirectory(other);
            Files.copy(made.resolve("partition.metadata"), other.resolve("partition.metadata"));
            Path winner = moved.equals("a") ? made : other;
            PartitionFolder.writeMoves(winner.toFile(), 1);
            start();
            assertThat(topics.byName("t-" + moved).orElseThrow().partitions())
                    .singleElement()
                    .satisfies(partition -> assertThat(partition.log()).hasToString(winner.toString()));
            restart();
            assertThat(Files.exists(winner.equals(made) ? other : made)).isFalse();
        }
    }

    @Test
    void aCopyThatWasNeverFinishedIsDeleted() throws IOException {
        topics.create("t", 1);
        Path future =
                PartitionFolder.createFuture(directories.all().get(1), "t-0").toPath();
        restart();
        assertThat(future).doesNotExist();
        assertThat(topics.byName("t").orElseThrow().partitions()).hasSize(1);
    }

    @Test
    void directoriesOfAnotherNodeAreRefused() {
        topics.close();
        directories.release();
        assertThatThrownBy(() -> directories.claim(2))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("belongs to node.id 1, not 2");
    }

    private long partitionsIn(LogDirectory directory) {
        return topics.all().stream()
                .flatMap(topic -> topic.partitions().stream())
                .filter(partition -> partition.directory() == directory)
                .count();
    }
}
