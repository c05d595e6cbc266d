package io.faultline.broker.log;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeMap;

/**
 * The {@code log-start-offset-checkpoint} of a log directory, in Kafka's format: where logs start whose first segment holds
 * records that a client has deleted. Safe for use by any thread.
 */
final class StartOffsetCheckpoint {

    private static final String FILE = "log-start-offset-checkpoint";
    private static final String VERSION = "0";

    private final Path file;
    private final Map<String, Long> offsets = new TreeMap<>();

    StartOffsetCheckpoint(Path directory) {
        file = directory.resolve(FILE);
    }

    /** Reads the file; where it is missing, no log starts within a segment. */
    synchronized void load() throws IOException {
        offsets.clear();
        try {
            List<String> lines = Files.readAllLines(file);
            for (String line : lines.subList(Math.min(2, lines.size()), lines.size())) {
                String[] entry = line.split(" ");
                offsets.put(entry[0] + "-" + Integer.parseInt(entry[1]), Long.parseLong(entry[2]));
            }
        } catch (NoSuchFileException none) {
            return;
        } catch (IllegalArgumentException | IndexOutOfBoundsException damaged) {
            throw new IOException(file + " is damaged: " + damaged.getMessage(), damaged);
        }
    }

    /** Where a log starts; empty if that is at its first segment. */
    synchronized OptionalLong get(String log) {
        Long offset = offsets.get(log);
        return offset == null ? OptionalLong.empty() : OptionalLong.of(offset);
    }

    /** Keeps where a log starts, durably. */
    synchronized void put(String log, long offset) throws IOException {
        offsets.put(log, offset);
        write();
    }

    /** Forgets a log, or that it starts within a segment. */
    synchronized void remove(String log) throws IOException {
        if (offsets.remove(log) != null) {
            write();
        }
    }

    private void write() throws IOException {
        StringBuilder content = new StringBuilder(VERSION + "\n" + offsets.size() + "\n");
        offsets.forEach((log, offset) -> {
            int dash = log.lastIndexOf('-');
            content.append(log, 0, dash)
                    .append(' ')
                    .append(log.substring(dash + 1))
                    .append(' ')
                    .append(offset)
                    .append('\n');
        });
        PartitionFolder.replace(file, content.toString());
    }
}
