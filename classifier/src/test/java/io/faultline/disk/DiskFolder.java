package io.faultline.disk;

import java.io.IOException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The folder of one disk, with all that belongs to it: the image, the mount point, the record of its file system process.
 *
 * <p>The folders of all disks lie in one registry folder and carry their owner's pid and start time in their name. So whatever
 * a killed JVM left behind is found, and removed, when the next disk is made; and nothing is touched that was not made here.
 */
final class DiskFolder {

    private static final Path TEMPORARY = Path.of(System.getProperty("java.io.tmpdir"));
    private static final String REGISTRY = "faultline-disks";
    private static final Pattern NAME = Pattern.compile("[a-z0-9]+-(\\d+)-(\\d+)-\\d+");
    private static final Duration PATIENCE = Duration.ofSeconds(5);
    private static final AtomicLong NUMBERS = new AtomicLong();
    private static final Set<DiskFolder> OPEN = ConcurrentHashMap.newKeySet();

    static {
        Runtime.getRuntime().addShutdownHook(new Thread(DiskFolder::closeAll, "faultline-disks"));
    }

    /** The kind of the disks that a process of ours serves. */
    static final String HUNG = "hung";

    private final Path path;

    private DiskFolder(Path path) {
        this.path = path;
    }

    /** Makes the folder of a new disk, after removing what dead processes left behind. */
    static DiskFolder create(String kind) throws IOException {
        reap();
        Proc.Identity owner = Proc.Identity.self();
        String name = kind + "-" + owner.pid() + "-" + owner.startTicks() + "-" + NUMBERS.incrementAndGet();
        DiskFolder folder = null;
        while (folder == null) {
            Path path = registry().resolve(name);
            try {
                Files.createDirectory(path);
                folder = new DiskFolder(path);
            } catch (NoSuchFileException expected) {
                // Another process has just removed the registry, empty in its eyes.
                continue;
            }
        }
        OPEN.add(folder);
        Files.createDirectory(folder.mountPoint());
        return folder;
    }

    private static Path registry() throws IOException {
        Path registry = TEMPORARY.toRealPath().resolve(REGISTRY);
        try {
            Files.createDirectory(
                    registry, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        } catch (FileAlreadyExistsException expected) {
            // Whoever owns this folder decides what we unmount and delete.
            Object owner = Files.getAttribute(registry, "unix:uid", LinkOption.NOFOLLOW_LINKS);
            Object self = Files.getAttribute(Path.of("/proc/self"), "unix:uid");
            if (!Files.isDirectory(registry, LinkOption.NOFOLLOW_LINKS) || !owner.equals(self)) {
                throw new IOException(registry + " is not a folder of this user", expected);
            }
        }
        return registry;
    }

    Path image() {
        return path.resolve("image");
    }

    Path mountPoint() {
        return path.resolve("mount");
    }

    /** A folder for files of the disk that lie on the machine's own file system. */
    Path origin() {
        return path.resolve("origin");
    }

    /** Where the file system process writes its complaints. */
    Path log() {
        return path.resolve("log");
    }

    private Path processRecord() {
        return path.resolve("process");
    }

    /** Records the process that serves the mount, so that it is ended with the disk. */
    void recordProcess(long pid) throws IOException {
        Proc.Identity process =
                Proc.Identity.of(pid).orElseThrow(() -> new IOException("Process " + pid + " has already ended"));
        Files.writeString(processRecord(), process.pid() + " " + process.startTicks());
    }

    /** Unmounts and detaches, ends the process, deletes the folder. May be repeated. */
    void close() throws IOException {
        // Cleaning up must not fail because the test's thread was interrupted.
        boolean interrupted = Thread.interrupted();
        try {
            unmount();
            endProcess();
            detach();
            delete();
            OPEN.remove(this);
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private void unmount() throws IOException {
        List<IOException> failures = new ArrayList<>();
        // Busy may mean no more than a process that is just ending.
        boolean unmounted = await(() -> {
            try {
                if (Proc.mountedAt(mountPoint()).isPresent()) {
                    Command.run(PATIENCE, "umount", mountPoint());
                }
                return Proc.mountedAt(mountPoint()).isEmpty();
            } catch (IOException e) {
                failures.add(e);
                return false;
            }
        });
        if (!unmounted) {
            // Somebody still has a file open: the file system ends with the last of them.
            endProcess();
            Command.run(PATIENCE, "umount", "-l", mountPoint());
        }
    }

    private void endProcess() throws IOException {
        if (!Files.exists(processRecord())) {
            return;
        }
        String[] record = Files.readString(processRecord()).split(" ");
        Proc.Identity process = new Proc.Identity(Long.parseLong(record[0]), Long.parseLong(record[1]));
        boolean ended = await(() -> {
            if (process.isAlive()
                    && Proc.commandLine(process.pid()).contains(mountPoint().toString())) {
                ProcessHandle.of(process.pid()).ifPresent(ProcessHandle::destroyForcibly);
            }
            return !process.isAlive();
        });
        if (!ended) {
            throw new IOException("Process " + process.pid() + " does not end");
        }
    }

    private void detach() throws IOException {
        // Mounted with -o loop, the device is detached by the kernel once nobody uses the file system.
        if (!await(() -> loopDevices().isEmpty())) {
            for (Path device : loopDevices()) {
                Command.run("losetup", "-d", device);
            }
        }
    }

    private List<Path> loopDevices() {
        try {
            return Proc.loopDevices(image());
        } catch (IOException e) {
            return List.of();
        }
    }

    private void delete() throws IOException {
        // Not recursive: whatever still is below the mount point is not ours to delete.
        Files.deleteIfExists(mountPoint());
        if (Files.isDirectory(path)) {
            deleteTree(path);
        }
        try {
            Files.deleteIfExists(path.getParent());
        } catch (DirectoryNotEmptyException expected) {
            // other disks
        }
    }

    private static void deleteTree(Path root) throws IOException {
        Files.walkFileTree(root, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                Files.deleteIfExists(file);
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFileFailed(Path file, IOException failure) throws IOException {
                if (failure instanceof NoSuchFileException) {
                    return FileVisitResult.CONTINUE;
                }
                throw failure;
            }

            @Override
            public FileVisitResult postVisitDirectory(Path directory, IOException failure) throws IOException {
                Files.deleteIfExists(directory);
                return FileVisitResult.CONTINUE;
            }
        });
    }

    private static void reap() throws IOException {
        List<Path> leftBehind = new ArrayList<>();
        try (Stream<Path> folders = Files.list(registry())) {
            folders.filter(DiskFolder::isOwnerDead).forEach(leftBehind::add);
        } catch (NoSuchFileException expected) {
            // Another process has just removed the registry: nothing is left behind.
            return;
        }
        // A disk of the last kind may lie over a directory of another disk, and keeps that one busy.
        leftBehind.sort(
                Comparator.comparing(folder -> !folder.getFileName().toString().startsWith(HUNG)));
        for (Path folder : leftBehind) {
            new DiskFolder(folder).close();
        }
    }

    private static boolean isOwnerDead(Path folder) {
        Matcher name = NAME.matcher(folder.getFileName().toString());
        return name.matches()
                && !new Proc.Identity(Long.parseLong(name.group(1)), Long.parseLong(name.group(2))).isAlive();
    }

    private static void closeAll() {
        for (DiskFolder folder : OPEN) {
            try {
                folder.close();
            } catch (IOException e) {
                System.err.println("A disk is left behind in " + folder.path + ": " + e);
            }
        }
    }

    /** Waits for a state of the kernel that comes with no event. */
    static boolean await(BooleanSupplier condition) {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - deadline > 0) {
                return false;
            }
            LockSupport.parkNanos(Duration.ofMillis(5).toNanos());
        }
        return true;
    }
}
