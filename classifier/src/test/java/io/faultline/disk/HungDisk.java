package io.faultline.disk;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

/**
 * A disk that hangs, goes on, or vanishes: a directory that is mounted again through a bindfs process of our own. While
 * that is stopped, every call that needs the disk hangs in the kernel; {@link #resume()} lets it go on. Once it is
 * killed, every such call fails with ENOTCONN ("Transport endpoint is not connected"). What is cached of an open file
 * is served all the same, so {@link #dropCache} comes first.
 *
 * <p>{@link DiskTools#missingForHungDisk()} names what a machine lacks for it. The methods may be called from several
 * threads; none of them, {@link #close()} included, waits for a hung disk.
 */
public final class HungDisk implements AutoCloseable {

    private static final String KIND = "hung";
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    private final DiskFolder folder;
    private final Process process;
    private boolean hung;

    private HungDisk(DiskFolder folder, Process process) {
        this.folder = folder;
        this.process = process;
    }

    /**
     * Makes a disk whose files lie on the machine's own file system.
     *
     * @return a mounted, empty disk
     * @throws IOException if it cannot be made; the message holds the complaint of bindfs
     */
    public static HungDisk bindfs() throws IOException {
        DiskFolder folder = DiskRegistry.newFolder(KIND);
        return mount(folder, folder.origin());
    }

    /**
     * Makes a disk of a directory that is already there, such as that of another disk. It stays when the disk is
     * closed.
     *
     * @param origin the directory whose files are those of the disk
     * @return a mounted disk
     * @throws IOException if it cannot be made; the message holds the complaint of bindfs
     */
    public static HungDisk bindfs(Path origin) throws IOException {
        Path directory = origin.toRealPath();
        return mount(DiskRegistry.newFolder(KIND), directory);
    }

    private static HungDisk mount(DiskFolder folder, Path origin) throws IOException {
        try {
            Files.createDirectories(origin);
            // In the foreground, so that the process is our child and its pid is known.
            Process process = new ProcessBuilder(
                            DiskTools.find("bindfs").map(Path::toString).orElse("bindfs"),
                            "-f",
                            origin.toString(),
                            folder.mountPoint().toString())
                    .redirectErrorStream(true)
                    .redirectOutput(folder.log().toFile())
                    .start();
            folder.recordProcess(process.pid());
            boolean answered = Proc.await(PATIENCE, () -> !process.isAlive() || folder.isMounted());
            if (!answered || !process.isAlive()) {
                throw new IOException("bindfs does not mount " + origin + ": "
                        + Files.readString(folder.log()).strip());
            }
            return new HungDisk(folder, process);
        } catch (IOException | RuntimeException e) {
            folder.closeAfter(e);
            throw e;
        }
    }

    /**
     * Returns where the disk is mounted.
     *
     * @return the root directory of the disk
     */
    public Path directory() {
        return folder.mountPoint();
    }

    /**
     * Drops what is cached of a file, so that the next read goes to the disk.
     *
     * @param file a file on this disk
     * @throws IllegalStateException if the disk hangs or has vanished
     * @throws IOException if the file cannot be opened
     */
    public synchronized void dropCache(Path file) throws IOException {
        requireAnswering();
        PageCache.drop(file);
    }

    /**
     * Lets every call that needs the disk hang, from now on. On return the disk has stopped answering.
     *
     * @throws IllegalStateException if the disk hangs already or has vanished
     * @throws IOException if the process of the disk cannot be stopped
     */
    public synchronized void hang() throws IOException {
        requireAnswering();
        hung = true;
        signal("STOP");
        // One thread may still be answering after another has stopped.
        if (!Proc.await(PATIENCE, () -> threadsAre(true))) {
            throw new IOException("Does not stop: process " + process.pid());
        }
    }

    /**
     * Lets the disk answer again, and the calls that hang go on. A disk that does not hang is left as it is.
     *
     * @throws IllegalStateException if the disk has vanished
     * @throws IOException if the process of the disk cannot be continued
     */
    public synchronized void resume() throws IOException {
        if (!process.isAlive()) {
            throw new IllegalStateException("The disk has vanished");
        }
        signal("CONT");
        if (!Proc.await(PATIENCE, () -> threadsAre(false))) {
            throw new IOException("Does not go on: process " + process.pid());
        }
        hung = false;
    }

    /**
     * Lets every call that needs the disk fail, from now on and for good, and those that hang as well.
     *
     * @throws IOException if the process of the disk cannot be ended
     */
    public synchronized void vanish() throws IOException {
        folder.endProcess();
        // The kernel knows before our own runtime does.
        Proc.await(PATIENCE, () -> !process.isAlive());
    }

    /**
     * Counts the calls that wait for an answer of the disk, reading ahead included. So a test sees that a call has come
     * to hang.
     *
     * @return how many there are; 0 when the disk has vanished
     * @throws IOException if the kernel does not tell
     */
    public int waitingCalls() throws IOException {
        if (!process.isAlive()) {
            return 0;
        }
        // The kernel tells it in a file system of its own, which we mount for this one look where nobody else has.
        String connections = "/sys/fs/fuse/connections";
        String waiting = connections + "/" + folder.mount().deviceMinor() + "/waiting";
        String script = "[ -e " + waiting + " ] || mount -t fusectl fusectl " + connections + "; cat " + waiting;
        return Integer.parseInt(Command.run("unshare", "-m", "sh", "-c", script).strip());
    }

    /**
     * Unmounts the disk and deletes its own files. A disk that hangs is resumed before. Where a file is still open, the
     * disk vanishes for whoever has it open. A disk that was not closed goes with its JVM; after a killed JVM, the next
     * disk that is made on the machine clears it away. May be repeated.
     *
     * @throws IOException if something stays behind
     */
    @Override
    public synchronized void close() throws IOException {
        DiskFolder.uninterrupted(() -> {
            if (hung) {
                try {
                    resume();
                } catch (IOException | IllegalStateException e) {
                    folder.endProcess();
                }
            }
            folder.close();
        });
    }

    private void requireAnswering() {
        if (hung || !process.isAlive()) {
            throw new IllegalStateException(process.isAlive() ? "The disk hangs" : "The disk has vanished");
        }
    }

    private void signal(String name) throws IOException {
        // The shell's own kill: the tool of that name comes with a package that may be missing.
        Command.run("sh", "-c", "kill -" + name + " " + process.pid());
    }

    private boolean threadsAre(boolean stopped) {
        try {
            return Proc.threadStates(process.pid()).stream().allMatch(state -> (state == 'T') == stopped);
        } catch (IOException e) {
            return false;
        }
    }
}
