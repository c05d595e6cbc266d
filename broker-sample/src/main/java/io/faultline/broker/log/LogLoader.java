package io.faultline.broker.log;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Loads the log in a folder. After an orderly stop a few headers of each segment are read. After a crash, what lies before the
 * recovery point is on the medium and is loaded in the same way; of the segments from there on every batch is checked, and the log
 * ends with the last whole one.
 */
final class LogLoader {

    private static final Logger LOG = LoggerFactory.getLogger(LogLoader.class);

    private final File folder;
    private final LogConfig config;
    private final long recoveryPoint;

    /**
     * Makes a loader.
     *
     * @param folder the partition's folder
     * @param config how the log is kept
     * @param recoveryPoint what lies before is on the medium; {@link Long#MAX_VALUE} after an orderly stop
     */
    LogLoader(File folder, LogConfig config, long recoveryPoint) {
        this.folder = folder;
        this.config = config;
        this.recoveryPoint = recoveryPoint;
    }

    /** Loads the segments, at least one. Those that were loaded until a failure are there, to be closed. */
    void loadSegments(LogSegments segments) throws IOException {
        List<File> files = segmentFiles();
        long doubtfulFrom = files.stream()
                .mapToLong(LogSegment::baseOffset)
                .filter(base -> base <= recoveryPoint)
                .max()
                .orElse(0);
        boolean whole = true;
        for (File file : files) {
            long base = LogSegment.baseOffset(file);
            if (recoveryPoint == Long.MAX_VALUE || base < doubtfulFrom) {
                segments.add(trusted(file));
            } else if (!whole || !segments.isEmpty() && base < segments.active().nextOffset()) {
                LOG.warn(
                        "{} is deleted: the log ends before it, at {}",
                        file,
                        segments.active().nextOffset());
                delete(base);
            } else {
                long size = file.length();
                LogSegment segment = LogSegment.recover(file, config.indexIntervalBytes(), true);
                segments.add(segment);
                whole = segment.size() == size;
            }
        }
        if (segments.isEmpty()) {
            segments.add(LogSegment.create(folder, 0, config.indexIntervalBytes()));
        }
    }

    private LogSegment trusted(File file) throws IOException {
        try {
            return LogSegment.open(file, config.indexIntervalBytes());
        } catch (CorruptIndexException corrupt) {
            LOG.warn("{}: its indexes are built anew: {}", file, corrupt.getMessage());
            return LogSegment.recover(file, config.indexIntervalBytes(), false);
        }
    }

    /** The files of the segments, the oldest first. What belongs to no segment is deleted. */
    private List<File> segmentFiles() throws IOException {
        String[] names = folder.list();
        if (names == null) {
            throw new IOException("cannot list " + folder);
        }
        Arrays.sort(names);
        List<File> files = new ArrayList<>();
        Set<Long> bases = new HashSet<>();
        for (String name : names) {
            if (name.matches("\\d{20}\\.log")) {
                File file = new File(folder, name);
                files.add(file);
                bases.add(LogSegment.baseOffset(file));
            }
        }
        for (String name : names) {
            boolean index = name.matches("\\d{20}\\.(time)?index");
            boolean left = name.endsWith(LogSegment.DELETED) || name.endsWith(LogSegment.CLEANED);
            if (left || index && !bases.contains(LogSegment.baseOffset(new File(name)))) {
                Files.deleteIfExists(folder.toPath().resolve(name));
            }
        }
        return files;
    }

    private void delete(long base) throws IOException {
        for (String suffix : List.of(LogSegment.SUFFIX, OffsetIndex.SUFFIX, TimeIndex.SUFFIX)) {
            Files.deleteIfExists(LogSegment.file(folder, base, suffix).toPath());
        }
    }

    /** Loads what is known of idempotent producers: from the latest snapshot, and from the batches behind it. */
    static void loadProducers(File folder, LogSegments segments, ProducerStates producers) throws IOException {
        ProducerSnapshots.Snapshot snapshot =
                ProducerSnapshots.latest(folder, segments.active().nextOffset());
        for (ProducedBatch batch : snapshot.batches()) {
            LogSegment segment = segments.from(batch.lastOffset()).iterator().next();
            producers.appended(batch, segment.lastWrittenMs());
        }
        for (LogSegment segment : segments.from(snapshot.offset())) {
            segment.replay(snapshot.offset(), producers);
        }
    }
}
