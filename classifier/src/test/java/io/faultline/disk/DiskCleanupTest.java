package io.faultline.disk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@NeedsFailingDisk
@NeedsTruncatedDisk
@NeedsHungDisk
@Timeout(60)
class DiskCleanupTest {

    private static final long SELF = ProcessHandle.current().pid();

    @AfterEach
    void nothingIsLeftBehind() throws IOException {
        assertThat(LeftBehind.by(SELF)).isEmpty();
    }

    @Test
    void aDiskLeavesItsTracesWhileItIsOpen() throws IOException {
        try (FailingDisk failing = FailingDisk.btrfs();
                HungDisk hung = HungDisk.bindfs(failing.directory())) {
            assertThat(LeftBehind.by(SELF))
                    .as("folder, mount and loop device; folder, mount and process")
                    .hasSize(6);
            assertThat(hung.directory()).isEmptyDirectory();
        }
    }

    @Test
    void aClosedDiskWithBadBlocksLeavesNothingBehind() throws IOException {
        try (FailingDisk disk = FailingDisk.btrfs()) {
            disk.poison(Files.write(disk.directory().resolve("segment"), new byte[100]), 0, 100);
        }
    }

    @Test
    void aClosedDiskThatIsCutLeavesNothingBehind() throws IOException {
        try (TruncatedDisk disk = TruncatedDisk.ext4()) {
            disk.truncate(Files.write(disk.directory().resolve("segment"), new byte[100]), 0);
        }
    }

    @Test
    void aClosedDiskThatHangsLeavesNothingBehind() throws IOException {
        try (HungDisk disk = HungDisk.bindfs()) {
            Files.write(disk.directory().resolve("segment"), new byte[100]);
            disk.hang();
        }
    }

    @Test
    void aClosedDiskThatVanishedLeavesNothingBehind() throws IOException {
        try (HungDisk disk = HungDisk.bindfs()) {
            Files.write(disk.directory().resolve("segment"), new byte[100]);
            disk.hang();
            disk.vanish();
        }
    }

    @Test
    void aFileThatIsStillOpenKeepsItsDiskUntilItIsClosed() throws IOException {
        FailingDisk disk = FailingDisk.btrfs();
        Path file = Files.write(disk.directory().resolve("segment"), new byte[] {1});
        try (FileChannel channel = FileChannel.open(file)) {
            disk.close();

            assertThat(file).doesNotExist();
            assertThat(channel.read(ByteBuffer.allocate(1), 0)).isEqualTo(1);
        }
        await().until(() -> LeftBehind.by(SELF).isEmpty());
    }

    @Test
    void anInterruptedThreadClosesItsDisk() throws IOException {
        HungDisk disk = HungDisk.bindfs();
        disk.hang();
        Thread.currentThread().interrupt();

        disk.close();

        assertThat(Thread.interrupted()).isTrue();
    }

    @Test
    void aDiskThatCannotBeMadeLeavesNothingBehind() throws IOException {
        assertThatIOException()
                .isThrownBy(() -> LoopImage.mount("btrfs", 1 << 20, "noatime", "mkfs.btrfs -q"))
                .withMessageContaining("mkfs.btrfs")
                .withMessageContaining("Exit code");
    }

    @Test
    void disksThatAreNotClosedGoWithTheirJvm() throws Exception {
        try (DiskOwner owner = DiskOwner.start()) {
            assertThat(LeftBehind.by(owner.pid())).isNotEmpty();

            owner.end();

            assertThat(LeftBehind.by(owner.pid())).isEmpty();
        }
    }

    @Test
    void theNextDiskClearsAwayWhatAKilledJvmLeftBehind() throws Exception {
        try (DiskOwner owner = DiskOwner.start()) {
            owner.kill();
            assertThat(LeftBehind.by(owner.pid())).as("three folders, mounts").hasSizeGreaterThanOrEqualTo(6);

            FailingDisk.btrfs().close();

            assertThat(LeftBehind.by(owner.pid())).isEmpty();
        }
    }

    @Test
    void theDisksOfAnotherLivingJvmAreLeftAlone() throws Exception {
        try (DiskOwner owner = DiskOwner.start()) {
            int disks = LeftBehind.by(owner.pid()).size();

            FailingDisk.btrfs().close();

            assertThat(LeftBehind.by(owner.pid())).hasSize(disks);
            owner.end();
        }
    }
}
