package io.faultline.disk;

import java.io.IOException;
import java.math.BigInteger;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;

/** What a machine must have for disks that fail, and what of it is missing here. */
public final class DiskTools {

    private static final String CAN_MOUNT = "CAP_SYS_ADMIN (the right to mount; a container needs --privileged)";
    private static final int CAP_SYS_ADMIN = 21;

    /** The system's own folders come last: the path of a user often leaves out the sbin ones. */
    private static final List<Path> PATH = Stream.concat(
                    Stream.ofNullable(System.getenv("PATH")).flatMap(path -> Stream.of(path.split(":"))),
                    Stream.of("/usr/local/sbin", "/usr/sbin", "/usr/bin", "/sbin", "/bin"))
            .map(Path::of)
            .toList();

    private final List<Path> path;
    private final Path proc;
    private final Path dev;

    /** A machine with these folders in place of those of the system. */
    DiskTools(List<Path> path, Path proc, Path dev) {
        this.path = path;
        this.proc = proc;
        this.dev = dev;
    }

    private static DiskTools here() {
        return new DiskTools(PATH, Path.of("/proc"), Path.of("/dev"));
    }

    static Optional<Path> find(String tool) {
        return here().locate(tool);
    }

    /**
     * What {@link FailingDisk} lacks on this machine.
     *
     * @return the names of the missing pieces, with the Debian package that brings them; empty where nothing is missing
     */
    public static List<String> missingForFailingDisk() {
        return here().failingDisk();
    }

    /**
     * What {@link TruncatedDisk} lacks on this machine.
     *
     * @return the names of the missing pieces, with the Debian package that brings them; empty where nothing is missing
     */
    public static List<String> missingForTruncatedDisk() {
        return here().truncatedDisk();
    }

    /**
     * What {@link PoweredDisk} lacks on this machine.
     *
     * @return the names of the missing pieces, with the Debian package that brings them; empty where nothing is missing
     */
    public static List<String> missingForPoweredDisk() {
        return here().poweredDisk();
    }

    /**
     * What {@link HungDisk} lacks on this machine.
     *
     * @return the names of the missing pieces, with the Debian package that brings them; empty where nothing is missing
     */
    public static List<String> missingForHungDisk() {
        return here().hungDisk();
    }

    List<String> failingDisk() {
        return Stream.of(
                        mounting(),
                        loopDevices(),
                        fileSystem("btrfs"),
                        tools("btrfs-progs", "mkfs.btrfs", "btrfs"),
                        tools("e2fsprogs", "filefrag"))
                .flatMap(List::stream)
                .toList();
    }

    List<String> truncatedDisk() {
        return Stream.of(
                        mounting(),
                        loopDevices(),
                        fileSystem("ext4"),
                        tools("e2fsprogs", "mkfs.ext4", "filefrag"),
                        tools("util-linux", "fsfreeze"))
                .flatMap(List::stream)
                .toList();
    }

    List<String> poweredDisk() {
        return Stream.of(
                        mounting(),
                        loopDevices(),
                        fileSystem("ext4"),
                        tools("e2fsprogs", "mkfs.ext4"),
                        tools("coreutils", "cp"))
                .flatMap(List::stream)
                .toList();
    }

    List<String> hungDisk() {
        return Stream.of(
                        mounting(),
                        device("fuse", "FUSE; modprobe fuse"),
                        tools("bindfs", "bindfs"),
                        tools("util-linux", "unshare"))
                .flatMap(List::stream)
                .toList();
    }

    private List<String> mounting() {
        if (!Files.exists(proc.resolve("mounts"))) {
            return List.of("Linux");
        }
        List<String> missing = new ArrayList<>();
        if (status("Uid", fields -> fields.split("\\s+")[1].equals("0"))) {
            if (!status("CapEff", field -> new BigInteger(field, 16).testBit(CAP_SYS_ADMIN))) {
                missing.add(CAN_MOUNT);
            }
        } else {
            missing.add("root");
        }
        missing.addAll(tools("mount", "mount", "umount"));
        missing.addAll(tools("coreutils", "dd", "sync"));
        return missing;
    }

    private List<String> loopDevices() {
        return Stream.of(
                        device("loop-control", "loop devices; modprobe loop"),
                        tools("mount", "losetup"),
                        tools("coreutils", "truncate"))
                .flatMap(List::stream)
                .toList();
    }

    private List<String> device(String name, String purpose) {
        return Files.exists(dev.resolve(name)) ? List.of() : List.of(dev.resolve(name) + " (" + purpose + ")");
    }

    private List<String> fileSystem(String type) {
        // A kernel module that is not loaded yet is loaded by the first mount, as far as modprobe knows of it.
        return isKnownToKernel(type) || isModule(type)
                ? List.of()
                : List.of(type + " in the kernel (modprobe " + type + ")");
    }

    private boolean isKnownToKernel(String type) {
        try (Stream<String> types = Files.lines(proc.resolve("filesystems"))) {
            return types.anyMatch(line -> line.strip().endsWith(type));
        } catch (IOException e) {
            return false;
        }
    }

    private boolean isModule(String type) {
        if (locate("modprobe").isEmpty()) {
            return false;
        }
        try {
            Command.run(locate("modprobe").get().toString(), "-n", "-q", type);
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    private List<String> tools(String debianPackage, String... names) {
        return Stream.of(names)
                .filter(name -> locate(name).isEmpty())
                .map(name -> name + " (Debian package " + debianPackage + ")")
                .toList();
    }

    private Optional<Path> locate(String tool) {
        return path.stream()
                .map(folder -> folder.resolve(tool))
                .filter(file -> Files.isRegularFile(file) && Files.isExecutable(file))
                .findFirst();
    }

    private boolean status(String field, Function<String, Boolean> check) {
        try (Stream<String> lines = Files.lines(proc.resolve("self/status"))) {
            return lines.filter(line -> line.startsWith(field + ":"))
                    .map(line -> check.apply(line.substring(field.length() + 1).strip()))
                    .findFirst()
                    .orElse(false);
        } catch (IOException e) {
            return false;
        }
    }
}
