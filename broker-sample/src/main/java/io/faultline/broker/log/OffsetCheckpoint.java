package io.faultline.broker.log;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * A file of a log directory with an offset for each of some logs, in Kafka's format. It is replaced as a whole or not at all. Safe
 * for use by any thread.
 */
final class OffsetCheckpoint {

    /** Where logs start whose first segment holds records that a client has deleted. */
    static final String START_OFFSETS = "log-start-offset-checkpoint";

    /** Up to where logs are on the medium; what lies behind is doubtful after a crash. */
    static final String RECOVERY_POINTS = "recovery-point-offset-checkpoint";

    private static final String VERSION = "0";
    private static final int HEADER_LINES = 2;

    private final Path file;
    private Map<String, Long> offsets = new TreeMap<>();

    /**
     * Makes a checkpoint that is not loaded yet; touches no disk.
     *
     * @param directory the log directory
     * @param name the name of the file
     */
    OffsetCheckpoint(Path directory, String name) {
        file = directory.resolve(name);
    }

    /**
     * Reads the file; where it is missing, no log has an offset.
     *
     * @throws DamagedCheckpointException if it is damaged; no log has an offset then
     * @throws IOException if it cannot be read
     */
    synchronized void load() throws IOException {
        offsets.clear();
        try {
            List<String> lines = Files.readAllLines(file);
            for (String line : lines.subList(Math.min(HEADER_LINES, lines.size()), lines.size())) {
                String[] entry = line.split(" ");
                offsets.put(entry[0] + "-" + Integer.parseInt(entry[1]), Long.parseLong(entry[2]));
            }
        } catch (NoSuchFileException none) {
            return;
        } catch (IllegalArgumentException | IndexOutOfBoundsException damaged) {
            offsets.clear();
            throw new DamagedCheckpointException(file + " is damaged: " + damaged.getMessage(), damaged);
        }
    }

    /** The offset of a log; empty if it has none. */
    synchronized OptionalLong get(String log) {
        Long offset = offsets.get(log);
        return offset == null ? OptionalLong.empty() : OptionalLong.of(offset);
    }

    /** Keeps the offset of a log, durably. */
    void put(String log, long offset) throws IOException {
        put(log, () -> offset);
    }

    /** Keeps the offset of a log, durably, which is asked for while no other change comes between. */
    synchronized void put(String log, LongSupplier offset) throws IOException {
        Map<String, Long> next = new TreeMap<>(offsets);
        next.put(log, offset.getAsLong());
        replace(next);
    }

    /** Forgets the offset of a log, durably. */
    synchronized void remove(String log) throws IOException {
        Map<String, Long> next = new TreeMap<>(offsets);
        if (next.remove(log) != null) {
            replace(next);
        }
    }

    /** Replaces all offsets, durably, by what is asked for while no other change comes between. */
    synchronized void replaceAll(Supplier<Map<String, Long>> all) throws IOException {
        Map<String, Long> next = new TreeMap<>(all.get());
        if (!next.equals(offsets)) {
            replace(next);
        }
    }

    /** The offsets change in memory once they have on the disk: a write that fails changes nothing. */
    private void replace(Map<String, Long> next) throws IOException {
        StringBuilder content = new StringBuilder(VERSION + "\n" + next.size() + "\n");
        next.forEach((log, offset) -> {
            int dash = log.lastIndexOf('-');
            content.append(log, 0, dash)
                    .append(' ')
                    .append(log.substring(dash + 1))
                    .append(' ')
                    .append(offset)
                    .append('\n');
        });
        Durability.replace(file, content.toString());
        offsets = next;
    }

    @Override
    public String toString() {
        return file.toString();
    }
}
