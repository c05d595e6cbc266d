package io.faultline.broker.group;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.faultline.broker.log.LogDirectories;
import io.faultline.broker.log.NoRoomException;
import io.faultline.disk.Ballast;
import io.faultline.disk.NeedsTruncatedDisk;
import io.faultline.disk.TruncatedDisk;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.KafkaStorageException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@NeedsTruncatedDisk
class CommittedOffsetsOnAFullDiskTest {

    private static final TopicPartition PARTITION = new TopicPartition("t", 0);
    private static final long DISK_BYTES = 16 << 20;
    /** ext4 rounds what it gives a file up to the next power of two: a second one must not fit into what the first was given. */
    private static final int MORE_THAN_IS_LEFT_OVER = 20_000;

    @TempDir
    Path roomy;

    private TruncatedDisk disk;
    private Path full;
    private Ballast ballast;
    private LogDirectories directories;
    private CommittedOffsets offsets;

    @BeforeEach
    void makeDisk() throws IOException {
        disk = TruncatedDisk.ext4(DISK_BYTES);
        full = Files.createDirectory(disk.directory().resolve("data"));
        ballast = new Ballast(disk.directory().resolve("ballast"));
    }

    private void start(Path... paths) {
        directories = new LogDirectories(Stream.of(paths).map(Path::toString).toList());
        offsets = new CommittedOffsets(directories.all());
        offsets.load();
    }

    @AfterEach
    void closeDisk() throws IOException {
        stop();
        disk.close();
    }

    private void stop() {
        offsets.close();
        assertThat(directories.failures().offline()).isEmpty();
    }

    @Test
    void aCommitFailsAndLeavesWhatWasCommittedUntilThereIsRoom() throws IOException {
        start(full);
        commit(1);
        ballast.fill();
        assertThatThrownBy(() -> commit(2))
                .isInstanceOf(KafkaStorageException.class)
                .hasMessageContaining("no room")
                .hasCauseInstanceOf(NoRoomException.class);
        assertThat(committed()).isEqualTo(1);
        restart(full);
        assertThat(committed()).isEqualTo(1);
        assertThatThrownBy(() -> commit(2)).isInstanceOf(KafkaStorageException.class);

        ballast.drop();

        commit(3);
        commit(4);
        restart(full);
        assertThat(committed()).isEqualTo(4);
    }

    @Test
    void aJournalThatMissedCommitsIsWrittenAnewAndBringsNothingBack() throws IOException {
        start(full, roomy);
        commit(1);
        ballast.fill();
        commit(2);
        restart(full, roomy);
        assertThat(committed()).isEqualTo(2);
        commit(3);
        ballast.drop();
        offsets.commit("other", Map.of(PARTITION, at(7)));
        restart(full);
        assertThat(committed()).isEqualTo(3);
        assertThat(offsets.groups()).containsExactly("g", "other");
    }

    private void restart(Path... paths) {
        stop();
        start(paths);
    }

    private void commit(long offset) {
        offsets.commit("g", Map.of(PARTITION, at(offset)));
    }

    private static CommittedOffset at(long offset) {
        return new CommittedOffset(offset, -1, "x".repeat(MORE_THAN_IS_LEFT_OVER), 0);
    }

    private long committed() {
        return offsets.of("g").get(PARTITION).offset();
    }
}
