package io.faultline.agent.verify;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.zip.CRC32C;

/**
 * The record batches of a segment with bad regions, as far as they can be told. Where the header of a batch cannot be read the next batch is found behind the bad region: by the offset index,
 * whose entries are positions of batches, else by looking for a batch whose checksum is right.
 *
 * @see <a href="https://kafka.apache.org/documentation/#recordbatch">Record Batch</a>, and before version 2 the
 *     <a href="https://kafka.apache.org/documentation/#messageset">Message Set</a>
 */
final class SegmentBatches {

    private static final Pattern SEGMENT = Pattern.compile("(\\d{20})\\.log");
    private static final Pattern PARTITION = Pattern.compile(".+-\\d+");

    private static final int LENGTH_AT = 8;
    private static final int OVERHEAD = 12;
    private static final int MAGIC_AT = 16;
    private static final int CRC_AT = 17;
    private static final int CHECKED_FROM = 21;
    private static final int LAST_DELTA_AT = 23;
    private static final int HEADER = 61;
    private static final int SMALLEST_OLD_MESSAGE = 14;
    private static final int INDEX_ENTRY = 8;
    private static final int KEPT_BLOCKS = 64;
    private static final int LARGEST_TO_CHECK = 16 << 20;

    private final ReadableFile file;
    private final Path path;
    private final List<BadRegion> bad;
    private final long baseOffset;
    private final List<Batch> batches = new ArrayList<>();

    /** What was read last: a scan looks at each block thousands of times. */
    private final Map<Long, byte[]> blocks = new LinkedHashMap<>() {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Long, byte[]> eldest) {
            return size() > KEPT_BLOCKS;
        }
    };

    /** Where a batch lies, and its offsets. */
    private record Batch(long position, long end, long first, long last) {}

    SegmentBatches(ReadableFile file, Path path, List<BadRegion> bad) {
        this.file = file;
        this.path = path;
        this.bad = bad;
        String name = path.getFileName().toString();
        this.baseOffset = Long.parseLong(name.substring(0, name.indexOf('.')));
        walk();
    }

    /** Says by its name whether a file is a segment in the directory of a partition. */
    static boolean isSegment(Path file) {
        Path directory = file.getParent();
        return SEGMENT.matcher(file.getFileName().toString()).matches()
                && directory != null
                && directory.getFileName() != null
                && PARTITION.matcher(directory.getFileName().toString()).matches();
    }

    /** Which records a bad region touches. */
    LostRecords lostIn(BadRegion region) {
        long first = -1;
        long last = -1;
        long behind = baseOffset;
        boolean anyBehind = false;
        for (Batch batch : batches) {
            if (batch.end <= region.position()) {
                behind = batch.last + 1;
            } else if (batch.position < region.end()) {
                first = first < 0 ? Math.min(batch.first, Math.max(behind, baseOffset)) : first;
                last = batch.last;
            }
            if (batch.position >= region.end()) {
                anyBehind = true;
                // What lies between the last batch that is known and this one lies in the region.
                last = Math.max(last, batch.first - 1);
                break;
            }
        }
        first = first < 0 ? behind : first;
        boolean reachesIntoKnown =
                batches.stream().anyMatch(batch -> batch.position < region.end() && batch.end >= region.end());
        if (!anyBehind && !reachesIntoKnown) {
            last = nextSegment() - 1;
        }
        return new LostRecords(path.getParent().getFileName().toString(), first, last < first ? -1 : last);
    }

    private void walk() {
        long position = 0;
        while (position >= 0 && position + HEADER <= file.size()) {
            Batch batch = batchAt(position);
            if (batch != null) {
                batches.add(batch);
                position = batch.end;
            } else {
                position = nextBehind(position);
            }
        }
    }

    /** The batch that begins at a position, or null where its header cannot be read or is none. */
    private Batch batchAt(long position) {
        ByteBuffer header = bytes(position, HEADER);
        if (header == null) {
            return null;
        }
        long first = header.getLong(0);
        long end = position + OVERHEAD + header.getInt(LENGTH_AT);
        int magic = header.get(MAGIC_AT);
        long last = magic == 2 ? first + header.getInt(LAST_DELTA_AT) : first;
        boolean plausible = magic >= 0
                && magic <= 2
                && header.getInt(LENGTH_AT) >= (magic == 2 ? HEADER - OVERHEAD : SMALLEST_OLD_MESSAGE)
                && end <= file.size()
                && first >= baseOffset
                && last >= first
                && last - baseOffset <= Integer.MAX_VALUE;
        return plausible ? new Batch(position, end, first, last) : null;
    }

    /** Where the first batch begins that can be told behind a position that holds none, or -1. */
    private long nextBehind(long position) {
        long from = bad.stream()
                .filter(region -> region.end() > position)
                .mapToLong(BadRegion::end)
                .findFirst()
                .orElse(-1);
        if (from < 0) { // no bad block explains it: the segment's end is not written yet, or the file is no segment
            return -1;
        }
        long indexed = indexed(from);
        return indexed >= 0 ? indexed : scanned(from);
    }

    private long indexed(long from) {
        String name = path.getFileName().toString();
        Path index = path.resolveSibling(name.substring(0, name.indexOf('.')) + ".index");
        try {
            ByteBuffer entries = ByteBuffer.wrap(Files.readAllBytes(index));
            while (entries.remaining() >= INDEX_ENTRY) {
                long relativeOffset = entries.getInt();
                long position = entries.getInt();
                boolean unused = relativeOffset == 0 && position == 0; // an index is allocated before it is filled
                if (!unused && position >= from && isSound(position)) {
                    return position;
                }
            }
        } catch (IOException unreadable) { // it lies on the same disk
            return -1;
        }
        return -1;
    }

    private long scanned(long from) {
        for (long position = from; position + HEADER <= file.size(); position++) {
            if (isSound(position)) {
                return position;
            }
        }
        return -1;
    }

    /** Says whether a batch of version 2 with the right checksum begins at a position. */
    private boolean isSound(long position) {
        Batch batch = batchAt(position);
        if (batch == null || batch.end - position > LARGEST_TO_CHECK) {
            return false;
        }
        ByteBuffer whole = bytes(position, (int) (batch.end - position));
        if (whole == null || whole.get(MAGIC_AT) != 2) {
            return false;
        }
        CRC32C crc = new CRC32C();
        crc.update(whole.slice(CHECKED_FROM, whole.limit() - CHECKED_FROM));
        return (int) crc.getValue() == whole.getInt(CRC_AT);
    }

    /** Bytes of the file, or null where some cannot be read. */
    private ByteBuffer bytes(long position, int count) {
        ByteBuffer bytes = ByteBuffer.allocate(count);
        while (bytes.hasRemaining()) {
            long at = position + bytes.position();
            int skip = (int) (at % ReadableFile.BLOCK);
            byte[] block = blocks.computeIfAbsent(at - skip, this::block);
            if (block.length <= skip) {
                return null;
            }
            bytes.put(block, skip, Math.min(block.length - skip, bytes.remaining()));
        }
        return bytes.flip();
    }

    /** A block, of no length where it cannot be read. */
    private byte[] block(long position) {
        try {
            ByteBuffer read = file.read(position, ReadableFile.BLOCK);
            byte[] block = new byte[read.remaining()];
            read.get(block);
            return block;
        } catch (IOException unreadable) {
            return new byte[0];
        }
    }

    /** The first offset of the segment that follows, or 0 where there is none. */
    private long nextSegment() {
        try (Stream<Path> siblings = Files.list(path.getParent())) {
            return siblings.map(sibling -> sibling.getFileName().toString())
                    .filter(name -> SEGMENT.matcher(name).matches())
                    .mapToLong(name -> Long.parseLong(name.substring(0, name.indexOf('.'))))
                    .filter(base -> base > baseOffset)
                    .min()
                    .orElse(0);
        } catch (IOException unlistable) {
            return 0;
        }
    }
}
