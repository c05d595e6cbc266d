package io.faultline.broker.log;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

/**
 * The {@code leader-epoch-checkpoint} of a partition, in Kafka's format: at which offset each leader epoch began. A log that is
 * opened again begins a new one with its next record, so that a consumer that has read records which a crash took away is
 * told so.
 *
 * <p>The log's writer changes it, under the log's lock; any thread looks up.
 */
final class LeaderEpochCheckpoint {

    private static final String FILE = "leader-epoch-checkpoint";
    private static final String VERSION = "0";

    private final NavigableMap<Integer, Long> startOffsets = new TreeMap<>();
    private volatile int current;

    /** Reads the file of a log that ends at an offset; a log without one was written in the first epoch. */
    void load(File folder, long startOffset, long endOffset) throws IOException {
        synchronized (startOffsets) {
            startOffsets.clear();
            startOffsets.putAll(read(folder.toPath().resolve(FILE)));
            if (startOffsets.isEmpty() && endOffset > startOffset) {
                startOffsets.put(0, startOffset);
            }
            // Even an epoch of which nothing is left had records, which somebody may have read.
            current = startOffsets.isEmpty() ? 0 : startOffsets.lastKey() + 1;
            startOffsets.values().removeIf(start -> start > endOffset);
        }
    }

    private static Map<Integer, Long> read(Path file) throws IOException {
        Map<Integer, Long> read = new TreeMap<>();
        try {
            List<String> lines = Files.readAllLines(file);
            for (String line : lines.subList(Math.min(2, lines.size()), lines.size())) {
                String[] entry = line.split(" ");
                read.put(Integer.parseInt(entry[0]), Long.parseLong(entry[1]));
            }
        } catch (NoSuchFileException none) {
            return Map.of();
        } catch (IllegalArgumentException | IndexOutOfBoundsException damaged) {
            throw new IOException(file + " is damaged: " + damaged.getMessage(), damaged);
        }
        return read;
    }

    /** Takes over what another log of the same records has. */
    void copy(LeaderEpochCheckpoint other, File folder) throws IOException {
        synchronized (startOffsets) {
            NavigableMap<Integer, Long> next;
            synchronized (other.startOffsets) {
                next = new TreeMap<>(other.startOffsets);
            }
            replace(folder, next);
            current = other.current;
        }
    }

    /** Notes that the current epoch has a record, the first time that it has. */
    void appending(File folder, long offset) throws IOException {
        synchronized (startOffsets) {
            if (!startOffsets.containsKey(current)) {
                NavigableMap<Integer, Long> next = new TreeMap<>(startOffsets);
                next.put(current, offset);
                replace(folder, next);
            }
        }
    }

    /** Notes that the records from an offset on are gone. The current epoch is not given up: clients know of it. */
    void truncateTo(File folder, long offset) throws IOException {
        synchronized (startOffsets) {
            NavigableMap<Integer, Long> next = new TreeMap<>(startOffsets);
            if (next.values().removeIf(start -> start > offset)) {
                next.putIfAbsent(current, offset);
                replace(folder, next);
            }
        }
    }

    /** The epochs change in memory once they have on the disk: a write that fails changes nothing. */
    private void replace(File folder, NavigableMap<Integer, Long> next) throws IOException {
        StringBuilder content = new StringBuilder(VERSION + "\n" + next.size() + "\n");
        next.forEach((epoch, start) ->
                content.append(epoch).append(' ').append(start).append('\n'));
        Durability.replace(folder.toPath().resolve(FILE), content.toString());
        startOffsets.clear();
        startOffsets.putAll(next);
    }

    int current() {
        return current;
    }

    /** Where an epoch ended: the offset at which the next one began, and the last epoch up to the one in question. */
    EpochEnd endOf(int epoch, long endOffset) {
        synchronized (startOffsets) {
            if (epoch == current) {
                return new EpochEnd(epoch, endOffset);
            }
            if (epoch < 0 || epoch > current) {
                return EpochEnd.UNKNOWN;
            }
            Map.Entry<Integer, Long> next = startOffsets.higherEntry(epoch);
            Map.Entry<Integer, Long> known = startOffsets.floorEntry(epoch);
            return new EpochEnd(known == null ? epoch : known.getKey(), next == null ? endOffset : next.getValue());
        }
    }
}
