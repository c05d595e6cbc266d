package io.faultline.broker.log;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.errors.KafkaStorageException;

/**
 * The broker's log directories.
 *
 * <p>{@link #claim} and {@link #release} are for the thread that starts and stops the broker, all else for any thread.
 */
public final class LogDirectories {

    private final LogDirFailureChannel failures;
    private final List<LogDirectory> all;

    /**
     * Makes the directories; touches no disk.
     *
     * @param paths the configured {@code log.dirs}, at least one
     */
    public LogDirectories(List<String> paths) {
        failures = new LogDirFailureChannel(paths.size());
        all = paths.stream().map(path -> new LogDirectory(path, failures)).toList();
    }

    /**
     * Claims every directory for a node. One that fails goes offline.
     *
     * @param nodeId the node
     * @return the id of the cluster that the directories belong to; a new one where all are new
     * @throws IllegalStateException if a directory is in use or belongs to another node or cluster
     */
    public String claim(int nodeId) {
        String clusterId = null;
        List<LogDirectory> fresh = new ArrayList<>();
        for (LogDirectory directory : all) {
            try {
                lock(directory);
                Optional<DirectoryProperties> known = directory.io(
                        "reading meta.properties of " + directory, () -> DirectoryProperties.read(directory));
                if (known.isEmpty()) {
                    fresh.add(directory);
                } else {
                    clusterId = checked(directory, known.get(), nodeId, clusterId);
                }
            } catch (KafkaStorageException offline) {
                // It goes through the failure channel like any other.
                continue;
            }
        }
        DirectoryProperties ours =
                new DirectoryProperties(clusterId == null ? Uuid.randomUuid().toString() : clusterId, nodeId);
        for (LogDirectory directory : fresh) {
            try {
                directory.run("writing meta.properties of " + directory, () -> ours.write(directory));
            } catch (KafkaStorageException offline) {
                continue;
            }
        }
        return ours.clusterId();
    }

    private static void lock(LogDirectory directory) {
        directory.run("locking " + directory, () -> {
            try {
                directory.lock();
            } catch (DirectoryInUseException inUse) {
                throw new IllegalStateException(inUse.getMessage(), inUse);
            }
        });
    }

    private static String checked(LogDirectory directory, DirectoryProperties known, int nodeId, String clusterId) {
        if (known.nodeId() != nodeId) {
            throw new IllegalStateException(
                    "log directory " + directory + " belongs to node.id " + known.nodeId() + ", not " + nodeId);
        }
        if (clusterId != null && !clusterId.equals(known.clusterId())) {
            throw new IllegalStateException(
                    "log directory " + directory + " belongs to cluster " + known.clusterId() + ", not " + clusterId);
        }
        return known.clusterId();
    }

    /** Gives every directory up. */
    public void release() {
        all.forEach(LogDirectory::unlock);
    }

    /**
     * All directories.
     *
     * @return the directories in the configured order, offline ones too
     */
    public List<LogDirectory> all() {
        return all;
    }

    /**
     * Where failures of the directories go.
     *
     * @return the channel, never null
     */
    public LogDirFailureChannel failures() {
        return failures;
    }

    /**
     * A directory by its path.
     *
     * @param path the path, as configured or absolute
     * @return the directory, empty if it is none of the broker's
     */
    public Optional<LogDirectory> find(String path) {
        return all.stream().filter(directory -> directory.isNamed(path)).findFirst();
    }
}
