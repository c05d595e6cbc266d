package io.faultline.broker.log;

import java.io.File;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.zip.CRC32C;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The {@code .snapshot} files of a log, in Kafka's format: what was known of idempotent producers at some offset, so that only what
 * lies behind must be read. Kafka keeps one batch of a producer; here one has an entry for each of its last batches, the oldest
 * first, of which Kafka takes the last.
 *
 * <p>Nothing is flushed: a snapshot has a checksum, and one that a power cut tore is not taken. Guarded by the log's lock.
 */
final class ProducerSnapshots {

    private static final Logger LOG = LoggerFactory.getLogger(ProducerSnapshots.class);
    private static final String SUFFIX = ".snapshot";
    private static final short VERSION = 1;
    private static final int CHECKED_FROM = Short.BYTES + Integer.BYTES;
    private static final int HEADER_BYTES = CHECKED_FROM + Integer.BYTES;
    private static final int ENTRY_BYTES = 3 * Long.BYTES + Short.BYTES + 3 * Integer.BYTES + Long.BYTES;
    /** Who coordinates a transaction, and where it begins: there are none. */
    private static final int NO_COORDINATOR = -1;

    private static final long NO_TRANSACTION = -1;

    private ProducerSnapshots() {}

    /** Writes what is known at an offset. */
    static void write(File folder, long offset, List<ProducedBatch> batches) throws IOException {
        ByteBuffer content = ByteBuffer.allocate(HEADER_BYTES + batches.size() * ENTRY_BYTES);
        content.putShort(VERSION).position(CHECKED_FROM);
        content.putInt(batches.size());
        for (ProducedBatch batch : batches) {
            content.putLong(batch.producerId())
                    .putShort(batch.epoch())
                    .putInt(batch.lastSequence())
                    .putLong(batch.lastOffset())
                    .putInt(batch.offsetDelta())
                    .putLong(batch.timestamp())
                    .putInt(NO_COORDINATOR)
                    .putLong(NO_TRANSACTION);
        }
        content.putInt(Short.BYTES, checksum(content)).flip();
        File file = file(folder, offset);
        try (FileChannel channel = FileChannel.open(
                file.toPath(),
                StandardOpenOption.CREATE,
                StandardOpenOption.TRUNCATE_EXISTING,
                StandardOpenOption.WRITE)) {
            while (content.hasRemaining()) {
                channel.write(content);
            }
        } catch (IOException failure) {
            Files.deleteIfExists(file.toPath());
            throw failure;
        }
    }

    private static int checksum(ByteBuffer content) {
        CRC32C crc = new CRC32C();
        crc.update(content.duplicate().clear().position(CHECKED_FROM));
        return (int) crc.getValue();
    }

    /**
     * Reads the latest snapshot that is whole. Those that are not are deleted, and so are those behind the end of the log, which are
     * of records that a crash took away.
     *
     * @param endOffset the end of the log
     * @return the batches, with the offset up to which they are
     */
    static Snapshot latest(File folder, long endOffset) throws IOException {
        NavigableMap<Long, File> files = list(folder);
        Snapshot latest = new Snapshot(0, List.of());
        boolean deleted = false;
        while (!files.isEmpty() && latest.offset() == 0) {
            long offset = files.lastKey();
            File file = files.remove(offset);
            List<ProducedBatch> batches = offset <= endOffset ? read(file) : null;
            if (batches == null) {
                Files.delete(file.toPath());
                deleted = true;
            } else {
                latest = new Snapshot(offset, batches);
            }
        }
        if (deleted) {
            Durability.flushFolder(folder.toPath());
        }
        return latest;
    }

    private static List<ProducedBatch> read(File file) throws IOException {
        ByteBuffer content = ByteBuffer.wrap(Files.readAllBytes(file.toPath()));
        if (content.remaining() < HEADER_BYTES
                || content.getShort() != VERSION
                || content.getInt() != checksum(content)
                || content.getInt() * (long) ENTRY_BYTES != content.remaining()) {
            LOG.warn("{} is torn or foreign, and is not used", file);
            return null;
        }
        List<ProducedBatch> batches = new ArrayList<>();
        while (content.hasRemaining()) {
            batches.add(new ProducedBatch(
                    content.getLong(),
                    content.getShort(),
                    content.getInt(),
                    content.getLong(),
                    content.getInt(),
                    content.getLong()));
            content.position(content.position() + Integer.BYTES + Long.BYTES);
        }
        return batches;
    }

    /** Deletes those that no restart needs: all before an offset but the latest. */
    static void deleteBefore(File folder, long offset) throws IOException {
        NavigableMap<Long, File> files = list(folder);
        for (File file : files.headMap(offset).values()) {
            if (!file.equals(files.lastEntry().getValue())) {
                Files.deleteIfExists(file.toPath());
            }
        }
    }

    private static NavigableMap<Long, File> list(File folder) throws IOException {
        String[] names = folder.list((parent, name) -> name.matches("\\d{20}\\" + SUFFIX));
        if (names == null) {
            throw new IOException("cannot list " + folder);
        }
        NavigableMap<Long, File> files = new TreeMap<>();
        for (String name : names) {
            File file = new File(folder, name);
            files.put(LogSegment.baseOffset(file), file);
        }
        return files;
    }

    private static File file(File folder, long offset) {
        return LogSegment.file(folder, offset, SUFFIX);
    }

    /**
     * What a snapshot says.
     *
     * @param offset the records before it are in it
     * @param batches the last batches of all producers, the oldest of each first
     */
    record Snapshot(long offset, List<ProducedBatch> batches) {}
}
