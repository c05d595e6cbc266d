package io.faultline.disk;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The folder of one disk, with all that belongs to it: the image, the mount point, the record of the process that
 * serves it.
 */
final class DiskFolder {

    private static final Duration PATIENCE = Duration.ofSeconds(5);
    private static final Duration PATIENCE_WITH_OPEN_FILES = Duration.ofSeconds(2);
    private static final Pattern PROCESS = Pattern.compile("(\\d+) (\\d+)\n");

    private final Path path;

    DiskFolder(Path path) {
        this.path = path;
    }

    Path image() {
        return path.resolve("image");
    }

    /** What a disk keeps of its image for later. */
    Path tail() {
        return path.resolve("tail");
    }

    Path mountPoint() {
        return path.resolve("mount");
    }

    /** A folder for files of the disk that lie on the machine's own file system. */
    Path origin() {
        return path.resolve("origin");
    }

    /** Where the process that serves the disk writes its complaints. */
    Path log() {
        return path.resolve("log");
    }

    private Path processRecord() {
        return path.resolve("process");
    }

    boolean isMounted() {
        return Proc.mount(mountPoint()).isPresent();
    }

    /** What is mounted. */
    Proc.Mount mount() throws IOException {
        return Proc.mount(mountPoint()).orElseThrow(() -> new IOException("Nothing is mounted at " + mountPoint()));
    }

    /** Records the process that serves the disk, so that it is ended with the disk. */
    void recordProcess(long pid) throws IOException {
        Optional<Proc.Identity> process = Proc.Identity.of(pid);
        if (process.isPresent()) {
            Files.writeString(processRecord(), pid + " " + process.get().startTicks() + "\n");
        }
    }

    /** Ends the recorded process, if there is one; also when it is stopped. */
    void endProcess() throws IOException {
        // A JVM that was killed may leave half a record. Its process ends by itself when the disk is unmounted.
        Matcher record = PROCESS.matcher(Files.exists(processRecord()) ? Files.readString(processRecord()) : "");
        if (!record.matches()) {
            return;
        }
        Proc.Identity process = new Proc.Identity(Long.parseLong(record.group(1)), Long.parseLong(record.group(2)));
        boolean ended = Proc.await(PATIENCE, () -> {
            if (process.isAlive()
                    && Proc.commandLine(process.pid()).contains(mountPoint().toString())) {
                ProcessHandle.of(process.pid()).ifPresent(ProcessHandle::destroyForcibly);
            }
            return !process.isAlive();
        });
        if (!ended) {
            throw new IOException("Does not end: process " + process.pid());
        }
    }

    /** Unmounts and detaches, ends the process, deletes the folder. May be repeated. */
    void close() throws IOException {
        uninterrupted(() -> {
            boolean inUse = !unmount();
            endProcess();
            if (!inUse) {
                detach();
            }
            delete();
            DiskRegistry.remove(this);
        });
    }

    /** Closes after a failure, which is the one to be thrown. */
    void closeAfter(Exception failure) {
        try {
            close();
        } catch (IOException e) {
            failure.addSuppressed(e);
        }
    }

    /** Closes where nobody is left to resume a disk that hangs. */
    void abandon() throws IOException {
        endProcess();
        close();
    }

    /** A step of cleaning up. */
    interface Cleanup {
        void run() throws IOException;
    }

    /** Cleans up although the thread, that of a test which took too long perhaps, was interrupted. */
    static void uninterrupted(Cleanup cleanup) throws IOException {
        boolean interrupted = Thread.interrupted();
        try {
            cleanup.run();
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Returns false if the file system, and its device, live on until the last file that is open on it is closed. */
    private boolean unmount() throws IOException {
        // Busy may mean no more than a process that is just ending.
        boolean unmounted = Proc.await(PATIENCE_WITH_OPEN_FILES, this::tryToUnmount);
        if (!unmounted) {
            endProcess();
            Command.run("umount", "-l", mountPoint());
        }
        return unmounted;
    }

    private boolean tryToUnmount() {
        try {
            if (isMounted()) {
                Command.run(PATIENCE, "umount", mountPoint());
            }
            return !isMounted();
        } catch (IOException e) {
            return false;
        }
    }

    private void detach() throws IOException {
        // Mounted with -o loop, the device is detached by the kernel, soon after the file system has ended.
        if (!Proc.await(PATIENCE, () -> Proc.loopDevices(image()).isEmpty())) {
            for (Path device : Proc.loopDevices(image())) {
                Command.run("losetup", "-d", device);
            }
        }
    }

    private void delete() throws IOException {
        // Not recursive: what should still be mounted there is not ours to delete.
        Files.deleteIfExists(mountPoint());
        Files.walkFileTree(path, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                Files.deleteIfExists(file);
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFileFailed(Path file, IOException failure) throws IOException {
                // Another process may be clearing away the same disk.
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
}
