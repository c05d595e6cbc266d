package io.faultline.broker.log;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.StandardOpenOption;
import java.util.Map;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.ApiException;
import org.apache.kafka.common.errors.KafkaStorageException;
import org.apache.kafka.common.errors.NotLeaderOrFollowerException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One of the broker's {@code log.dirs}. Its identity is the object: two directories are equal only if they are the same.
 *
 * <p>Safe for use by any thread, except {@link #lock} and {@link #unlock}, which the broker calls when it starts and stops.
 */
public final class LogDirectory {

    private static final Logger LOG = LoggerFactory.getLogger(LogDirectory.class);
    /** What a file system may need beside the bytes that are written, for names, extents and whole blocks. */
    private static final long UNSEEN_BYTES = 64 << 10;

    private final String path;
    private final File file;
    private final LogDirFailureChannel failures;
    private final OffsetCheckpoint startOffsets;
    private final OffsetCheckpoint recoveryPoints;
    private volatile boolean cleanlyShutDown;
    private volatile boolean full;
    private FileChannel lockFile;

    /**
     * Makes a directory; touches no disk.
     *
     * @param path the directory as it was configured
     * @param failures where its I/O failures go
     */
    public LogDirectory(String path, LogDirFailureChannel failures) {
        this.path = path;
        // Kafka's rule: absolute, but never canonical. Resolving links is I/O, and would change the name under an
        // operator.
        this.file = new File(path).getAbsoluteFile();
        this.failures = failures;
        this.startOffsets = new OffsetCheckpoint(file.toPath(), OffsetCheckpoint.START_OFFSETS);
        this.recoveryPoints = new OffsetCheckpoint(file.toPath(), OffsetCheckpoint.RECOVERY_POINTS);
    }

    /**
     * The directory as it was configured.
     *
     * @return the path, never null
     */
    public String path() {
        return path;
    }

    /**
     * The directory as an absolute file; no link is followed.
     *
     * @return the file, never null
     */
    public File file() {
        return file;
    }

    /** Where logs start within their first segment. */
    OffsetCheckpoint startOffsets() {
        return startOffsets;
    }

    /** Up to where logs are on the medium. */
    OffsetCheckpoint recoveryPoints() {
        return recoveryPoints;
    }

    /** Up to where a log need not be doubted when it is loaded; {@link Long#MAX_VALUE} after an orderly stop. */
    long recoveryPoint(String log) {
        return cleanlyShutDown ? Long.MAX_VALUE : recoveryPoints.get(log).orElse(0);
    }

    /** Forgets what is known of a log: it is gone, or another one of that name is to come. */
    void forget(String log) throws IOException {
        startOffsets.remove(log);
        recoveryPoints.remove(log);
    }

    /** Reads what is known of the logs, before they are loaded. What cannot be known again by reading them must not be damaged. */
    void load() throws IOException {
        startOffsets.load();
        cleanlyShutDown = CleanShutdown.take(file.toPath());
        try {
            recoveryPoints.load();
        } catch (DamagedCheckpointException damaged) {
            LOG.warn("{}: what it says is known again by reading the logs", damaged.getMessage());
        }
    }

    /** Notes that all logs were flushed and closed, so that the next start need not read them. */
    void markCleanShutdown(Map<String, Long> ends) throws IOException {
        recoveryPoints.replaceAll(() -> ends);
        CleanShutdown.mark(file.toPath());
    }

    /**
     * Says whether a path names this directory.
     *
     * @param other a path, as configured or absolute
     * @return true if it does
     */
    public boolean isNamed(String other) {
        return path.equals(other) || file.equals(new File(other).getAbsoluteFile());
    }

    /**
     * Says whether the directory failed.
     *
     * @return true from its first failure on
     */
    public boolean isOffline() {
        return failures.isOffline(this);
    }

    /**
     * Does I/O in the directory. Whatever {@link IOException} comes of it takes the directory offline, bare or as the cause
     * of one of kafka-clients' exceptions; a {@link ClosedChannelException} does not: the file was closed, not read.
     *
     * @param doing what is being done, for the log
     * @param call the I/O
     * @param <T> what it returns
     * @return what the call returned
     * @throws KafkaStorageException if the directory is offline, or is now
     * @throws NotLeaderOrFollowerException if the file was closed meanwhile
     */
    public <T> T io(String doing, IoCall<T> call) {
        if (isOffline()) {
            throw offline(null);
        }
        try {
            return call.call();
        } catch (IOException failure) {
            throw failed(doing, failure);
        } catch (UncheckedIOException failure) {
            throw failed(doing, failure.getCause());
        } catch (ApiException answer) {
            throw answer;
        } catch (KafkaException wrapper) {
            if (wrapper.getCause() instanceof IOException failure) {
                throw failed(doing, failure);
            }
            throw wrapper;
        }
    }

    /**
     * Does I/O that returns nothing, like {@link #io}.
     *
     * @param doing what is being done, for the log
     * @param action the I/O
     */
    public void run(String doing, IoAction action) {
        io(doing, () -> {
            action.run();
            return null;
        });
    }

    /**
     * Writes in the directory, like {@link #io}; but a write that fails while the disk is full takes nothing offline. What decides is
     * the room that is free after the failure, whatever the exception says. The call has to undo what it did in part, and to do what
     * needs no room, such as a flush, by {@link #run}.
     *
     * @param doing what is being done, for the log
     * @param bytes how much is being written, beside some names and marks
     * @param call the I/O
     * @param <T> what it returns
     * @return what the call returned
     * @throws NoRoomException if the disk is full
     * @throws KafkaStorageException if the directory is offline, or is now
     * @throws NotLeaderOrFollowerException if the file was closed meanwhile
     */
    public <T> T write(String doing, long bytes, IoCall<T> call) {
        T result = io(doing, () -> {
            try {
                return call.call();
            } catch (ClosedChannelException closed) {
                throw closed;
            } catch (IOException failure) {
                if (isFull(bytes, failure)) {
                    throw noRoom(doing, bytes, failure);
                }
                throw failure;
            }
        });
        if (full) {
            full = false;
            LOG.info("Log directory {} has room again", path);
        }
        return result;
    }

    /** Where not even that can be told, the disk is not full but gone. */
    private boolean isFull(long bytes, IOException failure) {
        try {
            return Files.getFileStore(file.toPath()).getUsableSpace() < bytes + UNSEEN_BYTES;
        } catch (IOException gone) {
            failure.addSuppressed(gone);
            return false;
        }
    }

    private NoRoomException noRoom(String doing, long bytes, IOException failure) {
        String message = "Log directory " + path + " has no room for the " + bytes + " bytes and the names of " + doing;
        if (!full) {
            full = true;
            LOG.warn("{}; it stays online, and takes writes when there is room", message);
        }
        return new NoRoomException(message, failure);
    }

    private ApiException failed(String doing, IOException failure) {
        if (failure instanceof ClosedChannelException) {
            return isOffline() ? offline(failure) : new NotLeaderOrFollowerException("closed while " + doing, failure);
        }
        failures.feed(this, doing, failure);
        return offline(failure);
    }

    private KafkaStorageException offline(IOException cause) {
        return new KafkaStorageException("Log directory " + path + " is offline", cause);
    }

    /**
     * Makes the directory where it is missing and claims it for this process.
     *
     * @throws IOException if that fails, or another broker claims it
     */
    void lock() throws IOException {
        Files.createDirectories(file.toPath());
        FileChannel channel =
                FileChannel.open(new File(file, ".lock").toPath(), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        FileLock lock = null;
        try {
            lock = channel.tryLock();
        } catch (OverlappingFileLockException ignored) {
            // Another broker in this JVM has it: the same answer as for one in another process.
        } finally {
            if (lock == null) {
                channel.close();
            }
        }
        if (lock == null) {
            throw new DirectoryInUseException(path);
        }
        lockFile = channel;
    }

    /** Gives the directory up. Does nothing where it is not claimed. */
    void unlock() {
        if (lockFile != null) {
            try {
                lockFile.close();
            } catch (IOException ignored) {
                // The lock goes with the process at the latest; there is nobody left to tell.
            }
        }
    }

    @Override
    public String toString() {
        return path;
    }

    /**
     * I/O that returns something.
     *
     * @param <T> what it returns
     */
    @FunctionalInterface
    public interface IoCall<T> {

        /**
         * Does it.
         *
         * @return the result
         * @throws IOException if the disk fails
         */
        T call() throws IOException;
    }

    /** I/O that returns nothing. */
    @FunctionalInterface
    public interface IoAction {

        /**
         * Does it.
         *
         * @throws IOException if the disk fails
         */
        void run() throws IOException;
    }
}
