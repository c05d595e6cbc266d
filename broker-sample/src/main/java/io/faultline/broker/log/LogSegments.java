package io.faultline.broker.log;

import java.io.File;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentNavigableMap;
import java.util.concurrent.ConcurrentSkipListMap;

/** The segments of a log, by their base offsets; no I/O. The log's writer changes them, any thread looks. */
final class LogSegments {

    private final ConcurrentNavigableMap<Long, LogSegment> byBaseOffset = new ConcurrentSkipListMap<>();

    void add(LogSegment segment) {
        byBaseOffset.put(segment.baseOffset(), segment);
    }

    void remove(LogSegment segment) {
        byBaseOffset.remove(segment.baseOffset());
    }

    boolean isEmpty() {
        return byBaseOffset.isEmpty();
    }

    /** The one that is appended to. */
    LogSegment active() {
        return byBaseOffset.lastEntry().getValue();
    }

    long firstOffset() {
        return byBaseOffset.firstKey();
    }

    /** The one of a base offset, or null. */
    LogSegment get(long baseOffset) {
        return byBaseOffset.get(baseOffset);
    }

    /** The one that holds an offset; the first one, where the offset lies in a gap before it. */
    LogSegment holding(long offset) {
        Map.Entry<Long, LogSegment> entry = byBaseOffset.floorEntry(offset);
        return (entry == null ? byBaseOffset.firstEntry() : entry).getValue();
    }

    /** The next one, or null behind the last. */
    LogSegment next(LogSegment segment) {
        Map.Entry<Long, LogSegment> entry = byBaseOffset.higherEntry(segment.baseOffset());
        return entry == null ? null : entry.getValue();
    }

    /** Where the next one begins; behind the last, the end of the log. What compaction took from the end of one belongs to it. */
    long endOf(LogSegment segment) {
        LogSegment next = next(segment);
        return next == null ? segment.nextOffset() : next.baseOffset();
    }

    /** All, the oldest first. */
    Collection<LogSegment> all() {
        return byBaseOffset.values();
    }

    /** Those that lie before an offset as a whole. */
    List<LogSegment> before(long baseOffset) {
        return List.copyOf(byBaseOffset.headMap(baseOffset).values());
    }

    /** Those that begin behind an offset. */
    List<LogSegment> behind(long offset) {
        return List.copyOf(byBaseOffset.tailMap(offset, false).values());
    }

    /** The one that holds an offset, and those behind it. */
    Collection<LogSegment> from(long offset) {
        Long first = byBaseOffset.floorKey(offset);
        return (first == null ? byBaseOffset : byBaseOffset.tailMap(first)).values();
    }

    long sizeInBytes() {
        long sum = 0;
        for (LogSegment segment : all()) {
            sum += segment.size();
        }
        return sum;
    }

    List<File> filesIn(File folder) {
        List<File> files = new ArrayList<>();
        byBaseOffset.keySet().forEach(base -> files.add(LogSegment.file(folder, base, LogSegment.SUFFIX)));
        return files;
    }
}
