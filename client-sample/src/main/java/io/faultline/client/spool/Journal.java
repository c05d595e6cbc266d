package io.faultline.client.spool;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.List;

/**
 * What happened to the batches of a spool, in order. On the spool's thread.
 *
 * <p>Records lie as {@link Framing} has them; zeros are the end. Room is made ahead, so that what is in the spool can still be sent
 * and settled when the disk is full: a batch is only taken when there is room for all that will have to be written about it.
 *
 * <p>Bytes that are no record are the torn end of the journal, which nobody was told of, or damage: a record that is well follows, or
 * they were written to their end. Damage is told, as a gap. Where pages of one long append reached the medium in another order than
 * that in which they were written, as in a power cut, that may be taken for damage, too; never the other way round.
 */
final class Journal {

    private static final byte[] MAGIC = "FLSPOOL1".getBytes(StandardCharsets.US_ASCII);
    private static final int AHEAD = 64 << 10;
    private static final String NAME = "journal";

    private final Path file;
    private FileChannel channel;
    private long end;
    private long room;

    private Journal(Path directory) {
        file = directory.resolve(NAME);
    }

    /**
     * Opens the journal of a directory, or begins one.
     *
     * @param reader hears what is there
     * @throws ForeignSpoolException if the file is none of ours
     */
    static Journal open(Path directory, JournalReader reader) throws IOException {
        Journal journal = new Journal(directory);
        if (Files.exists(journal.file)) {
            journal.read(reader);
        }
        return journal;
    }

    /** Says whether a directory has a journal. */
    static boolean exists(Path directory) {
        return Files.exists(directory.resolve(NAME));
    }

    private void read(JournalReader reader) throws IOException {
        ByteBuffer all = ByteBuffer.wrap(Files.readAllBytes(file));
        byte[] magic = new byte[Math.min(MAGIC.length, all.remaining())];
        all.get(0, magic);
        if (magic.length == 0) {
            reader.gap(0, 0); // one that was written is never empty
        } else if (!Arrays.equals(magic, MAGIC)) {
            throw new ForeignSpoolException(file + " was not written by a spool of this version");
        }
        int position = magic.length;
        while (position < all.limit()) {
            byte[] record = Framing.at(all, position);
            if (record != null) {
                reader.record(JournalRecord.decode(record));
                position += Framing.framedSize(record.length);
            } else {
                int next = Framing.next(all, position + 1);
                if (next < all.limit() || Framing.isWhole(all, position)) {
                    reader.gap(position, next);
                }
                position = next;
            }
        }
    }

    /** Replaces all that was written by these records. What was there stays in force if it fails. */
    void rewrite(List<JournalRecord> records, long roomFor) throws IOException {
        Path fresh = file.resolveSibling(NAME + ".new");
        FileChannel before = channel;
        long endBefore = end;
        long roomBefore = room;
        FileChannel opened = FileChannel.open(
                fresh,
                StandardOpenOption.CREATE,
                StandardOpenOption.TRUNCATE_EXISTING,
                StandardOpenOption.READ,
                StandardOpenOption.WRITE);
        try {
            channel = opened;
            end = 0;
            room = 0;
            writeFully(ByteBuffer.wrap(MAGIC), 0);
            end = MAGIC.length;
            append(records, roomFor);
            opened.force(true);
            Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException failure) {
            channel = before;
            end = endBefore;
            room = roomBefore;
            opened.close();
            throw failure;
        }
        if (before != null) {
            before.close();
        }
    }

    /** As {@link #append(List, long, boolean)}, into the page cache. */
    void append(List<JournalRecord> records, long roomFor) throws IOException {
        append(records, roomFor, false);
    }

    /**
     * Writes records behind the others, all or none: what cannot be forced to the medium is taken back, too, since nobody is told
     * that it is there.
     *
     * @param roomFor how much room must be left behind them
     * @param force whether they are to be on the medium when this returns
     */
    void append(List<JournalRecord> records, long roomFor, boolean force) throws IOException {
        List<byte[]> encoded = records.stream().map(JournalRecord::encode).toList();
        for (byte[] each : encoded) {
            if (each.length > Framing.LARGEST_RECORD) {
                throw new IOException("a record of " + each.length + " bytes");
            }
        }
        int size = encoded.stream()
                .mapToInt(each -> Framing.framedSize(each.length))
                .sum();
        ByteBuffer bytes = ByteBuffer.allocate(size);
        encoded.forEach(each -> Framing.put(bytes, each));
        makeRoom(end + size + roomFor);
        try {
            writeFully(bytes.flip(), end);
            if (force) {
                channel.force(false);
            }
        } catch (IOException failure) {
            forget(end, size);
            throw failure;
        }
        end += size;
    }

    /** Takes the last records back, as far as the disk lets us. */
    private void forget(long from, int size) {
        try {
            writeFully(ByteBuffer.allocate(size), from);
        } catch (IOException stillFailing) {
            // Then the next start takes it for one that was written, or that is damaged: nothing is lost by that.
        }
    }

    private void makeRoom(long needed) throws IOException {
        while (room < needed) {
            long from = Math.max(room, end);
            writeFully(ByteBuffer.allocate(AHEAD), from);
            room = from + AHEAD;
        }
    }

    private void writeFully(ByteBuffer bytes, long position) throws IOException {
        long at = position;
        while (bytes.hasRemaining()) {
            at += channel.write(bytes, at);
        }
    }

    long end() {
        return end;
    }

    void close() throws IOException {
        if (channel != null) {
            channel.close();
        }
    }
}
