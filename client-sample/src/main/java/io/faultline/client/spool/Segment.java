package io.faultline.client.spool;

import io.faultline.client.spool.JournalRecord.Stored;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A file of the spool with batches one behind the other, each behind a copy of its index entry: by that it is found where the
 * journal is damaged. On the spool's thread, but for its name and channel.
 */
final class Segment {

    static final String SUFFIX = ".segment";
    static final String SET_ASIDE = ".unreadable";

    /** More than an index entry ever takes: names of topics are not longer than 249 characters. */
    static final int ENTRY_BOUND = 512;

    private static final Logger LOG = LoggerFactory.getLogger(Segment.class);

    /** What is skipped together where the file cannot be read. */
    private static final int BLOCK = 4 << 10;

    private final long number;
    private final Path file;
    private final FileChannel channel;
    private long end;
    private int live;

    private Segment(long number, Path file, FileChannel channel, long end) {
        this.number = number;
        this.file = file;
        this.channel = channel;
        this.end = end;
    }

    static Segment create(Path directory, long number) throws IOException {
        Path file = file(directory, number);
        FileChannel channel = FileChannel.open(
                file,
                StandardOpenOption.CREATE,
                StandardOpenOption.TRUNCATE_EXISTING,
                StandardOpenOption.READ,
                StandardOpenOption.WRITE);
        return new Segment(number, file, channel, 0);
    }

    static Segment open(Path directory, long number) throws IOException {
        Path file = file(directory, number);
        FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE);
        return new Segment(number, file, channel, channel.size());
    }

    static Path file(Path directory, long number) {
        return directory.resolve(String.format("%020d%s", number, SUFFIX));
    }

    long number() {
        return number;
    }

    String name() {
        return file.toString();
    }

    FileChannel channel() {
        return channel;
    }

    long end() {
        return end;
    }

    boolean isDead() {
        return live == 0;
    }

    void addLive() {
        live++;
    }

    void removeLive() {
        live--;
    }

    /** Writes a batch where its entry says, and the entry in front of it; counts when {@link #advance} is called. */
    void write(Stored entry, ByteBuffer batch) throws IOException {
        byte[] record = entry.encode();
        ByteBuffer head = ByteBuffer.allocate(Framing.framedSize(record.length));
        Framing.put(head, record);
        write(head.flip(), entry.position() - head.remaining());
        write(batch.duplicate(), entry.position());
    }

    private void write(ByteBuffer bytes, long position) throws IOException {
        long at = position;
        while (bytes.hasRemaining()) {
            at += channel.write(bytes, at);
        }
    }

    /** The index entries in the file, as far as it can be read and is well. */
    List<Stored> entries() throws IOException {
        ByteBuffer all = readable();
        List<Stored> entries = new ArrayList<>();
        int position = 0;
        while (position < all.limit()) {
            byte[] record = Framing.at(all, position);
            if (record == null) {
                position = Framing.next(all, position + 1);
            } else if (JournalRecord.decode(record) instanceof Stored entry && isAt(entry, position, record.length)) {
                entries.add(entry);
                position = (int) Math.min(all.limit(), entry.position() + Math.max(0, entry.size()));
            } else {
                position += Framing.framedSize(record.length);
            }
        }
        return entries;
    }

    private boolean isAt(Stored entry, int position, int recordSize) {
        return entry.segment() == number && entry.position() == position + Framing.framedSize(recordSize);
    }

    /** The whole file, with zeros where it cannot be read. */
    private ByteBuffer readable() throws IOException {
        ByteBuffer all = ByteBuffer.allocate((int) channel.size());
        for (int from = 0; from < all.capacity(); from += BLOCK) {
            int size = Math.min(BLOCK, all.capacity() - from);
            try {
                all.put(from, read(from, size), 0, size);
            } catch (IOException unreadable) {
                LOG.warn("{} bytes at {} of {} cannot be searched for batches", size, from, name(), unreadable);
            }
        }
        return all;
    }

    void advance(long newEnd) {
        end = newEnd;
    }

    void cut() throws IOException {
        channel.truncate(end);
    }

    void force() throws IOException {
        channel.force(false);
    }

    ByteBuffer read(long position, int size) throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate(size);
        while (bytes.hasRemaining()) {
            if (channel.read(bytes, position + bytes.position()) < 0) {
                throw new IOException(name() + " ends before " + (position + size));
            }
        }
        return bytes.flip();
    }

    /** Keeps the file under a name that is not read any more. */
    void setAside() throws IOException {
        Files.move(file, file.resolveSibling(file.getFileName() + SET_ASIDE));
    }

    void delete() throws IOException {
        channel.close();
        Files.deleteIfExists(file);
    }

    void close() throws IOException {
        channel.close();
    }
}
