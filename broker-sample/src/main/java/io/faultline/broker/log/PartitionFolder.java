package io.faultline.broker.log;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.kafka.common.Uuid;

/**
 * A partition's folder in a log directory, {@code <topic>-<partition>}, and the topic id that is kept in it, both as Kafka
 * does it.
 *
 * @param topic the name of the topic
 * @param partition the index of the partition
 */
record PartitionFolder(String topic, int partition) {

    private static final Pattern NAME = Pattern.compile("(?<topic>.+)-(?<partition>\\d{1,9})");
    private static final String DELETED = "-delete";
    private static final String STRAY = "-stray";
    private static final String FUTURE = "-future";
    private static final String MOVES = "moves";
    private static final String METADATA = "partition.metadata";
    private static final int LONGEST_NAME = 255;

    /** The partition whose folder has this name; empty if it is not the folder of a partition. */
    static Optional<PartitionFolder> parse(String name) {
        Matcher matcher = NAME.matcher(name);
        return matcher.matches()
                ? Optional.of(new PartitionFolder(matcher.group("topic"), Integer.parseInt(matcher.group("partition"))))
                : Optional.empty();
    }

    File in(LogDirectory directory) {
        return new File(directory.file(), topic + "-" + partition);
    }

    /**
     * Makes the folder. One of that name which the broker does not know is moved aside: its records are not this partition's.
     * The log directory itself is never made here: where it is missing, the disk is. Durable on return.
     */
    File create(LogDirectory directory) throws IOException {
        File folder = in(directory);
        if (folder.exists()) {
            Files.move(folder.toPath(), aside(folder, STRAY).toPath(), StandardCopyOption.ATOMIC_MOVE);
        }
        Files.createDirectory(folder.toPath());
        Durability.flushFolder(folder.getParentFile().toPath());
        return folder;
    }

    /** Renames a folder to one that waits for its deletion, durably; returns that. */
    static File moveToDeleted(File folder) throws IOException {
        File aside = aside(folder, DELETED);
        Files.move(folder.toPath(), aside.toPath(), StandardCopyOption.ATOMIC_MOVE);
        Durability.flushFolder(folder.getParentFile().toPath());
        return aside;
    }

    /** Fills a new folder, and takes it away again if that fails, for want of room perhaps. */
    static Log filled(File folder, LogDirectory.IoCall<Log> filling) throws IOException {
        try {
            return filling.call();
        } catch (IOException | RuntimeException failure) {
            try {
                deleteTree(folder.toPath());
            } catch (IOException left) {
                failure.addSuppressed(left);
            }
            throw failure;
        }
    }

    /** Makes a folder for the copy of a partition that is to be moved here. */
    static File createFuture(LogDirectory directory, String name) throws IOException {
        File future = aside(new File(directory.file(), name), FUTURE);
        return Files.createDirectory(future.toPath()).toFile();
    }

    /** Gives a copy's folder the name of the partition, durably. One of that name, which nobody knows, is moved aside. */
    static File moveToCurrent(File future, String name) throws IOException {
        File current = new File(future.getParentFile(), name);
        if (current.exists()) {
            Files.move(current.toPath(), aside(current, STRAY).toPath(), StandardCopyOption.ATOMIC_MOVE);
        }
        Files.move(future.toPath(), current.toPath(), StandardCopyOption.ATOMIC_MOVE);
        Durability.flushFolder(future.getParentFile().toPath());
        return current;
    }

    /** Keeps how often a partition was moved: of two folders of one partition, a crash left the one with fewer moves. */
    static void writeMoves(File folder, int moves) throws IOException {
        Durability.replace(folder.toPath().resolve(MOVES), moves + "\n");
    }

    /** How often a partition was moved. */
    static int readMoves(File folder) throws IOException {
        try {
            return Integer.parseInt(
                    Files.readString(folder.toPath().resolve(MOVES)).trim());
        } catch (NoSuchFileException | NumberFormatException none) {
            return 0;
        }
    }

    private static File aside(File folder, String kind) {
        String suffix = "." + UUID.randomUUID().toString().replace("-", "") + kind;
        String name = folder.getName();
        return new File(
                folder.getParentFile(),
                name.substring(0, Math.min(name.length(), LONGEST_NAME - suffix.length())) + suffix);
    }

    /** Says whether a folder is one that waits for its deletion, or a copy that was never finished. */
    static boolean isDeleted(String name) {
        return name.endsWith(DELETED) || name.endsWith(FUTURE);
    }

    static void deleteTree(Path root) throws IOException {
        List<Path> all;
        try (Stream<Path> walk = Files.walk(root)) {
            all = walk.sorted(Comparator.reverseOrder()).toList();
        } catch (NoSuchFileException gone) {
            all = List.of();
        }
        for (Path path : all) {
            Files.deleteIfExists(path);
        }
    }

    /** Keeps the topic id in a folder, durably and as a whole or not at all. */
    static void writeTopicId(File folder, Uuid topicId) throws IOException {
        Durability.replace(folder.toPath().resolve(METADATA), "version: 0\ntopic_id: " + topicId + "\n");
    }

    /** The topic id that is kept in a folder; empty if there is none. */
    static Optional<Uuid> readTopicId(File folder) throws IOException {
        try {
            for (String line : Files.readAllLines(folder.toPath().resolve(METADATA))) {
                if (line.startsWith("topic_id: ")) {
                    return Optional.of(Uuid.fromString(
                            line.substring("topic_id: ".length()).trim()));
                }
            }
        } catch (NoSuchFileException | IllegalArgumentException none) {
            return Optional.empty();
        }
        return Optional.empty();
    }
}
