package io.faultline.client.spool;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.function.Consumer;
import java.util.zip.CRC32C;

/**
 * What happened to the batches of a spool, in order. On the spool's thread.
 *
 * <p>A record is its length, its CRC-32C and its bytes; a length of 0 is the end. Room is made ahead, so that what is in the
 * spool can still be sent and settled when the disk is full: a batch is only taken when there is room for all that will have to
 * be written about it.
 */
final class Journal {

    private static final byte[] MAGIC = "FLSPOOL1".getBytes(StandardCharsets.US_ASCII);
    private static final int FRAME = 2 * Integer.BYTES;
    private static final int AHEAD = 64 << 10;
    private static final int LARGEST_RECORD = 1 << 20;
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
     * @param reader takes each record that is there
     * @throws ForeignSpoolException if the file is none of ours
     */
    static Journal open(Path directory, Consumer<JournalRecord> reader) throws IOException {
        Journal journal = new Journal(directory);
        if (Files.exists(journal.file)) {
            journal.read(reader);
        }
        return journal;
    }

    private void read(Consumer<JournalRecord> reader) throws IOException {
        ByteBuffer all = ByteBuffer.wrap(Files.readAllBytes(file));
        byte[] magic = new byte[Math.min(MAGIC.length, all.remaining())];
        all.get(magic);
        if (magic.length > 0 && !java.util.Arrays.equals(magic, MAGIC)) {
            throw new ForeignSpoolException(file + " was not written by a spool of this version");
        }
        while (all.remaining() >= FRAME) {
            int length = all.getInt();
            int checksum = all.getInt();
            if (length <= 0 || length > all.remaining()) {
                return;
            }
            byte[] bytes = new byte[length];
            all.get(bytes);
            if (checksum(bytes) != checksum) {
                return; // torn: the process or the machine ended while it was written
            }
            reader.accept(JournalRecord.decode(bytes));
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
        int size = 0;
        List<byte[]> encoded = records.stream().map(JournalRecord::encode).toList();
        for (byte[] each : encoded) {
            size += FRAME + each.length;
            if (each.length > LARGEST_RECORD) {
                throw new IOException("a record of " + each.length + " bytes");
            }
        }
        ByteBuffer bytes = ByteBuffer.allocate(size);
        for (byte[] each : encoded) {
            bytes.putInt(each.length).putInt(checksum(each)).put(each);
        }
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
            // Then a torn record may be read at the next start, which ends the journal there, too.
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

    private static int checksum(byte[] bytes) {
        CRC32C checksum = new CRC32C();
        checksum.update(bytes);
        return (int) checksum.getValue();
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
