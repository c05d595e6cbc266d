package io.faultline.broker.group;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.faultline.broker.log.LogDirectories;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.KafkaStorageException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CommittedOffsetsTest {

    private static final TopicPartition FIRST = new TopicPartition("t", 0);
    private static final TopicPartition SECOND = new TopicPartition("t", 1);
    private static final long SMALL = 2_000;

    @TempDir
    Path scratch;

    private LogDirectories directories;
    private CommittedOffsets offsets;

    @BeforeEach
    void start() {
        start("a", "b");
    }

    private void start(String... names) {
        directories = new LogDirectories(List.of(names).stream()
                .map(name -> scratch.resolve(name).toString())
                .toList());
        directories.claim(1);
        offsets = new CommittedOffsets(directories.all(), SMALL);
        offsets.load();
    }

    @AfterEach
    void stop() {
        offsets.close();
        directories.release();
    }

    private void restart(String... names) {
        stop();
        start(names);
    }

    @Test
    void offsetsAreTheSameAfterARestart() {
        CommittedOffset whole = new CommittedOffset(Long.MAX_VALUE, 7, "text ☺", 1_234);
        offsets.commit("g", Map.of(FIRST, whole, SECOND, at(2)));
        offsets.commit("other", Map.of(FIRST, at(3)));
        offsets.remove("g", Set.of(SECOND));
        restart("a", "b");
        assertThat(offsets.groups()).containsExactly("g", "other");
        assertThat(offsets.of("g")).isEqualTo(Map.of(FIRST, whole));
        assertThat(offsets.of("other")).isEqualTo(Map.of(FIRST, at(3)));
        assertThat(offsets.of("unknown")).isEmpty();
    }

    @Test
    void offsetsOutliveAKilledProcess() {
        offsets.commit("g", Map.of(FIRST, at(1)));
        // Neither closed nor flushed.
        CommittedOffsets next = new CommittedOffsets(directories.all());
        next.load();
        assertThat(next.of("g")).containsEntry(FIRST, at(1));
        next.close();
    }

    @Test
    void offsetsOutliveEitherDirectory() throws IOException {
        offsets.commit("g", Map.of(FIRST, at(1)));
        fail(0);
        offsets.commit("g", Map.of(FIRST, at(2)));
        restart("b");
        assertThat(offsets.of("g")).containsEntry(FIRST, at(2));
        restart("a");
        assertThat(offsets.of("g")).containsEntry(FIRST, at(1));
    }

    @Test
    void aDirectoryThatMissedChangesBringsNothingBack() {
        offsets.commit("gone", Map.of(FIRST, at(1)));
        offsets.commit("g", Map.of(FIRST, at(1)));
        fail(0);
        offsets.remove("gone", Set.of(FIRST));
        offsets.remove("g", Set.of(FIRST));
        restart("a", "b");
        assertThat(offsets.groups()).isEmpty();
        restart("a");
        assertThat(offsets.groups()).isEmpty();
    }

    @Test
    void thatEverythingWasRemovedIsKnownThroughRestarts() {
        offsets.commit("g", Map.of(FIRST, at(1)));
        fail(0);
        offsets.remove("g", Set.of(FIRST));
        restart("b");
        restart("b");
        restart("a", "b");
        assertThat(offsets.groups()).isEmpty();
    }

    @Test
    void ofDirectoriesThatWereInUseByTurnsTheLastOneCounts() {
        for (long offset = 1; offset <= 5; offset++) {
            offsets.commit("g", Map.of(FIRST, at(offset)));
        }
        restart("b");
        restart("a");
        offsets.commit("g", Map.of(FIRST, at(6)));
        offsets.commit("g", Map.of(FIRST, at(7)));
        restart("b");
        offsets.commit("g", Map.of(FIRST, at(8)));
        restart("a", "b");
        assertThat(offsets.of("g")).containsEntry(FIRST, at(8));
    }

    @Test
    void aDirectoryThatWasOnlyReadDoesNotCountAsTheLastOne() {
        restart("a");
        offsets.commit("g", Map.of(FIRST, at(1)));
        restart("b");
        restart("a", "b");
        assertThat(offsets.of("g")).containsEntry(FIRST, at(1));
    }

    @Test
    void aBrokerThatHasStoppedWritesNoJournalOfTheNextOne() {
        CommittedOffsets stopped = offsets;
        stopped.close();
        offsets = new CommittedOffsets(directories.all());
        offsets.load();
        for (int attempt = 0; attempt < 2; attempt++) {
            assertThatThrownBy(() -> stopped.commit("late", Map.of(FIRST, at(9))))
                    .isInstanceOf(KafkaStorageException.class);
        }
        offsets.commit("g", Map.of(FIRST, at(1)));
        restart("a", "b");
        assertThat(offsets.groups()).containsExactly("g");
        assertThat(offsets.of("g")).containsEntry(FIRST, at(1));
    }

    @Test
    void aFailingAppendTakesItsDirectoryOfflineAndTheCommitIsKeptElsewhere() throws IOException {
        offsets.close();
        Files.delete(journal("a"));
        Files.createDirectory(journal("a"));
        offsets = new CommittedOffsets(directories.all());
        offsets.load();
        assertThat(directories.failures().offline())
                .containsExactly(directories.all().get(0));
        offsets.commit("g", Map.of(FIRST, at(1)));
        restart("b");
        assertThat(offsets.of("g")).containsEntry(FIRST, at(1));
    }

    @Test
    void nothingIsCommittedWhereNoDirectoryIsOnline() {
        fail(0);
        fail(1);
        assertThatThrownBy(() -> offsets.commit("g", Map.of(FIRST, at(1)))).isInstanceOf(KafkaStorageException.class);
        assertThat(offsets.of("g")).isEmpty();
    }

    @Test
    void aTornTailIsCut() throws IOException {
        offsets.commit("g", Map.of(FIRST, at(1)));
        long size = Files.size(journal("a"));
        offsets.commit("g", Map.of(FIRST, at(2)));
        stop();
        for (String name : List.of("a", "b")) {
            byte[] bytes = Files.readAllBytes(journal(name));
            Files.write(journal(name), java.util.Arrays.copyOf(bytes, bytes.length - 1));
        }
        start();
        assertThat(offsets.of("g")).containsEntry(FIRST, at(1));
        assertThat(Files.size(journal("a"))).isEqualTo(size);
        offsets.commit("g", Map.of(FIRST, at(3)));
        restart("a", "b");
        assertThat(offsets.of("g")).containsEntry(FIRST, at(3));
    }

    @Test
    void aTailOfZerosAndAWrongChecksumAreCut() throws IOException {
        offsets.commit("g", Map.of(FIRST, at(1)));
        stop();
        Files.write(journal("a"), new byte[5_000], StandardOpenOption.APPEND);
        byte[] bytes = Files.readAllBytes(journal("b"));
        bytes[bytes.length - 1] ^= 1;
        Files.write(journal("b"), bytes);
        start();
        assertThat(offsets.of("g")).containsEntry(FIRST, at(1));
    }

    @Test
    void theWholeJournalOfTwoIsTaken() throws IOException {
        offsets.commit("g", Map.of(FIRST, at(1)));
        offsets.commit("g", Map.of(FIRST, at(2)));
        stop();
        Files.write(journal("a"), new byte[] {0, 0, 0, 9, 1});
        start();
        assertThat(offsets.of("g")).containsEntry(FIRST, at(2));
    }

    @Test
    void aJournalDoesNotGrowWithItsCommits() throws IOException {
        for (int offset = 0; offset < 2_000; offset++) {
            offsets.commit("g", Map.of(FIRST, at(offset), SECOND, at(offset)));
        }
        assertThat(Files.size(journal("a"))).isLessThan(2 * SMALL);
        assertThat(Files.size(journal("b"))).isLessThan(2 * SMALL);
        restart("a", "b");
        assertThat(offsets.of("g")).isEqualTo(Map.of(FIRST, at(1_999), SECOND, at(1_999)));
    }

    private void fail(int index) {
        directories.failures().feed(directories.all().get(index), "testing", new IOException("broken"));
    }

    private Path journal(String directory) {
        return scratch.resolve(directory).resolve("committed-offsets");
    }

    private static CommittedOffset at(long offset) {
        return new CommittedOffset(offset, 0, "", 1_000);
    }
}
