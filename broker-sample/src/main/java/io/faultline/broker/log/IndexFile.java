package io.faultline.broker.log;

import java.io.Closeable;
import java.io.File;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.function.ToLongFunction;

/**
 * A file of entries of one size, in ascending order, one behind the other.
 *
 * <p>It is read and written plainly, never mapped: a mapped page of a disk that fails ends in an {@link InternalError} at best, and a
 * full disk in a signal. The log's writer appends and cuts; any thread reads.
 */
final class IndexFile implements Closeable {

    private final FileChannel channel;
    private final int entryBytes;
    private volatile File file;
    private volatile int entries;
    private volatile boolean dirty = true;

    private IndexFile(File file, FileChannel channel, int entryBytes, int entries) {
        this.file = file;
        this.channel = channel;
        this.entryBytes = entryBytes;
        this.entries = entries;
    }

    /** Makes an empty file; one of that name is replaced. */
    static IndexFile create(File file, int entryBytes) throws IOException {
        Files.deleteIfExists(file.toPath());
        FileChannel channel = FileChannel.open(
                file.toPath(), StandardOpenOption.CREATE_NEW, StandardOpenOption.READ, StandardOpenOption.WRITE);
        return new IndexFile(file, channel, entryBytes, 0);
    }

    /**
     * Opens a file.
     *
     * @throws CorruptIndexException if it is missing, or ends within an entry
     */
    static IndexFile open(File file, int entryBytes) throws IOException, CorruptIndexException {
        if (!file.exists()) {
            throw new CorruptIndexException(file.getName() + " is missing");
        }
        FileChannel channel = FileChannel.open(file.toPath(), StandardOpenOption.READ, StandardOpenOption.WRITE);
        long size = channel.size();
        if (size % entryBytes != 0 || size > Integer.MAX_VALUE) {
            channel.close();
            throw new CorruptIndexException(
                    file.getName() + " has " + size + " bytes, which are no entries of " + entryBytes + " bytes");
        }
        return new IndexFile(file, channel, entryBytes, (int) (size / entryBytes));
    }

    File file() {
        return file;
    }

    int entries() {
        return entries;
    }

    long sizeInBytes() {
        return (long) entries * entryBytes;
    }

    /** The room that one more entry needs. */
    boolean isFull(int maxBytes) {
        return (entries + 1L) * entryBytes > maxBytes;
    }

    /** Reads an entry. */
    ByteBuffer entry(int index) throws IOException {
        ByteBuffer entry = ByteBuffer.allocate(entryBytes);
        while (entry.hasRemaining()) {
            if (channel.read(entry, (long) index * entryBytes + entry.position()) < 0) {
                throw new IOException(file + " ends within entry " + index);
            }
        }
        return entry.flip();
    }

    /** The last entry whose key is at most the one that is looked for; -1 if there is none. Reads a few entries. */
    int floor(long wanted, ToLongFunction<ByteBuffer> key) throws IOException {
        int low = 0;
        int high = entries - 1;
        while (low <= high) {
            int middle = (low + high) >>> 1;
            if (key.applyAsLong(entry(middle)) <= wanted) {
                low = middle + 1;
            } else {
                high = middle - 1;
            }
        }
        return high;
    }

    /** Writes an entry behind all others. If that fails, no half of it is left. */
    void append(ByteBuffer entry) throws IOException {
        dirty = true;
        long position = (long) entries * entryBytes;
        try {
            while (entry.hasRemaining()) {
                position += channel.write(entry, position);
            }
        } catch (IOException failure) {
            cutTo(entries);
            throw failure;
        }
        entries++;
    }

    /** Keeps so many entries and forgets the rest. */
    void cutTo(int kept) throws IOException {
        dirty = true;
        entries = kept;
        channel.truncate((long) kept * entryBytes);
    }

    /** Writes what was appended to the medium; does nothing if there is nothing new. */
    void flush() throws IOException {
        if (dirty) {
            dirty = false;
            try {
                channel.force(true);
            } catch (IOException failure) {
                dirty = true;
                throw failure;
            }
        }
    }

    /** Renames the file by putting something behind its name. */
    void rename(String suffix) throws IOException {
        renameTo(new File(file.getPath() + suffix));
    }

    /** Renames the file; one of that name is replaced. */
    void renameTo(File renamed) throws IOException {
        Files.move(file.toPath(), renamed.toPath(), StandardCopyOption.ATOMIC_MOVE);
        file = renamed;
    }

    /** Follows the rename of the folder above. */
    void updateParentFolder(File folder) {
        file = new File(folder, file.getName());
    }

    /** Deletes the file by name; it stays open. */
    void deleteName() throws IOException {
        Files.deleteIfExists(file.toPath());
    }

    /** Closes and deletes the file. */
    void delete() throws IOException {
        channel.close();
        deleteName();
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }

    @Override
    public String toString() {
        return file.toString();
    }
}
