package io.faultline.client.spool;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** A file of the spool with batches one behind the other. On the spool's thread, but for its name and channel. */
final class Segment {

    static final String SUFFIX = ".segment";
    private static final String SET_ASIDE = ".unreadable";

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

    /** Writes a batch behind the others; counts when {@link #advance} is called. */
    void write(ByteBuffer batch, long position) throws IOException {
        ByteBuffer rest = batch.duplicate();
        long at = position;
        while (rest.hasRemaining()) {
            at += channel.write(rest, at);
        }
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
