package io.faultline.disk;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DiskToolsTest {

    private static final String ALL_CAPABILITIES = "000001ffffffffff";
    private static final String CAPABILITIES_OF_A_CONTAINER = "00000000a80425fb";

    private final Path bin;
    private final Path proc;
    private final Path dev;

    DiskToolsTest(@TempDir Path root) {
        bin = root.resolve("bin");
        proc = root.resolve("proc");
        dev = root.resolve("dev");
    }

    /** A machine on which nothing is missing. */
    @BeforeEach
    void completeMachine() throws IOException {
        Files.createDirectories(bin);
        for (String tool : List.of(
                "mount",
                "umount",
                "losetup",
                "dd",
                "sync",
                "truncate",
                "mkfs.btrfs",
                "btrfs",
                "mkfs.ext4",
                "filefrag",
                "bindfs",
                "unshare",
                "fsfreeze")) {
            Path file = Files.createFile(bin.resolve(tool));
            Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
        }
        Files.createDirectories(proc.resolve("self"));
        Files.createFile(proc.resolve("mounts"));
        Files.writeString(proc.resolve("filesystems"), "nodev\tproc\n\text4\n\tbtrfs\n");
        identity(0, ALL_CAPABILITIES);
        Files.createDirectories(dev);
        Files.createFile(dev.resolve("loop-control"));
        Files.createFile(dev.resolve("fuse"));
    }

    private void identity(int uid, String capabilities) throws IOException {
        Files.writeString(
                proc.resolve("self/status"),
                "Name:\tjava\nUid:\t1000\t" + uid + "\t0\t0\nCapInh:\t0\nCapEff:\t" + capabilities + "\n");
    }

    private DiskTools machine() {
        return new DiskTools(List.of(bin), proc, dev);
    }

    @Test
    void nothingIsMissingOnACompleteMachine() {
        assertThat(machine().failingDisk()).isEmpty();
        assertThat(machine().truncatedDisk()).isEmpty();
        assertThat(machine().hungDisk()).isEmpty();
    }

    @Test
    void aMissingToolIsNamedWithItsPackage() throws IOException {
        Files.delete(bin.resolve("mkfs.btrfs"));
        Files.delete(bin.resolve("filefrag"));
        Files.delete(bin.resolve("bindfs"));

        assertThat(machine().failingDisk())
                .containsExactly("mkfs.btrfs (Debian package btrfs-progs)", "filefrag (Debian package e2fsprogs)");
        assertThat(machine().truncatedDisk()).containsExactly("filefrag (Debian package e2fsprogs)");
        assertThat(machine().hungDisk()).containsExactly("bindfs (Debian package bindfs)");
    }

    @Test
    void aFileThatIsNotExecutableIsNoTool() throws IOException {
        Files.setPosixFilePermissions(bin.resolve("bindfs"), PosixFilePermissions.fromString("rw-r--r--"));

        assertThat(machine().hungDisk()).containsExactly("bindfs (Debian package bindfs)");
    }

    @Test
    void missingDevicesAreNamed() throws IOException {
        Files.delete(dev.resolve("loop-control"));
        Files.delete(dev.resolve("fuse"));

        assertThat(machine().failingDisk()).containsExactly(dev + "/loop-control (loop devices; modprobe loop)");
        assertThat(machine().hungDisk()).containsExactly(dev + "/fuse (FUSE; modprobe fuse)");
    }

    @Test
    void aFileSystemThatTheKernelDoesNotKnowIsNamed() throws IOException {
        Files.writeString(proc.resolve("filesystems"), "nodev\tproc\n\text4\n");

        assertThat(machine().failingDisk()).containsExactly("btrfs in the kernel (modprobe btrfs)");
        assertThat(machine().truncatedDisk()).isEmpty();
    }

    @Test
    void aFileSystemWhoseModuleIsNotLoadedYetIsNotMissing() throws IOException {
        Files.writeString(proc.resolve("filesystems"), "nodev\tproc\n");
        Path modprobe = Files.writeString(bin.resolve("modprobe"), "#!/bin/sh\n[ \"$*\" = '-n -q btrfs' ]\n");
        Files.setPosixFilePermissions(modprobe, PosixFilePermissions.fromString("rwxr-xr-x"));

        assertThat(machine().failingDisk()).isEmpty();
        assertThat(machine().truncatedDisk()).containsExactly("ext4 in the kernel (modprobe ext4)");
    }

    @Test
    void whoeverIsNotRootLacksRoot() throws IOException {
        identity(1000, "0000000000000000");

        assertThat(machine().failingDisk()).containsExactly("root");
        assertThat(machine().hungDisk()).containsExactly("root");
    }

    @Test
    void theRootOfAContainerLacksTheRightToMount() throws IOException {
        identity(0, CAPABILITIES_OF_A_CONTAINER);

        assertThat(machine().failingDisk()).singleElement().asString().startsWith("CAP_SYS_ADMIN");
    }

    @Test
    void anotherSystemLacksLinux() throws IOException {
        Files.delete(proc.resolve("mounts"));

        assertThat(machine().failingDisk()).contains("Linux");
    }
}
