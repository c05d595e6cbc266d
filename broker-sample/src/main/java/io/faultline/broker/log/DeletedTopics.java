package io.faultline.broker.log;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Collection;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.errors.KafkaStorageException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The topics that were deleted while a directory was offline, which may bring them back: a list of their ids in the file
 * {@code deleted-topics} of every directory that is online, until all directories have been seen. Guarded by its {@link Topics}.
 */
final class DeletedTopics {

    private static final Logger LOG = LoggerFactory.getLogger(DeletedTopics.class);
    private static final String FILE = "deleted-topics";

    private final Collection<LogDirectory> directories;
    private final Set<Uuid> ids = new TreeSet<>();

    /**
     * Makes an empty list.
     *
     * @param directories all log directories
     */
    DeletedTopics(Collection<LogDirectory> directories) {
        this.directories = directories;
    }

    /** Reads the lists of all directories, before a folder is looked at. */
    void load() {
        ids.clear();
        for (LogDirectory directory : directories) {
            tell(directory, "reading", () -> read(file(directory)));
        }
    }

    private void read(Path file) throws IOException {
        try {
            for (String line : Files.readAllLines(file)) {
                ids.add(Uuid.fromString(line));
            }
        } catch (NoSuchFileException none) {
            return;
        } catch (IllegalArgumentException damaged) {
            throw new IOException(file + " is damaged: " + damaged.getMessage(), damaged);
        }
    }

    boolean contains(Uuid id) {
        return ids.contains(id);
    }

    /** Keeps the id of a topic that is being deleted, if a directory is offline. */
    void addIfAnyIsOffline(Uuid id) {
        if (isAnyOffline()) {
            add(id);
        }
    }

    /** Keeps the id of a topic of which something could not be deleted. */
    void add(Uuid id) {
        if (ids.add(id)) {
            write();
        }
    }

    /** Forgets all, when no directory can bring one of them back. */
    void forgetIfAllAreOnline() {
        if (!isAnyOffline() && !ids.isEmpty()) {
            ids.clear();
            write();
        }
    }

    private boolean isAnyOffline() {
        return directories.stream().anyMatch(LogDirectory::isOffline);
    }

    private void write() {
        String content = ids.stream().map(id -> id + "\n").collect(Collectors.joining());
        for (LogDirectory directory : directories) {
            tell(directory, "writing", () -> {
                if (ids.isEmpty()) {
                    Files.deleteIfExists(file(directory));
                } else {
                    Durability.replace(file(directory), content);
                }
            });
        }
    }

    private static void tell(LogDirectory directory, String doing, LogDirectory.IoAction action) {
        if (!directory.isOffline()) {
            try {
                directory.write(doing + " " + FILE + " of " + directory, 0, () -> {
                    action.run();
                    return null;
                });
            } catch (KafkaStorageException failed) {
                LOG.warn("{}", failed.getMessage());
            }
        }
    }

    private static Path file(LogDirectory directory) {
        return directory.file().toPath().resolve(FILE);
    }
}
