package io.faultline.broker.group;

import io.faultline.broker.log.LogDirectory;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import java.util.zip.CRC32C;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The file {@code committed-offsets} of one log directory: changes one behind the other, each with its length and checksum in
 * front, and written anew when most of them are outdated.
 *
 * <p>A change is in the hands of the operating system when it is acknowledged, as records are: a killed process loses none. It is
 * on the medium after the next {@link #flush}. Guarded by its {@link CommittedOffsets}, except for that.
 */
final class OffsetJournal {

    static final long USUAL_SIZE = 1 << 20;

    private static final Logger LOG = LoggerFactory.getLogger(OffsetJournal.class);
    private static final String FILE = "committed-offsets";
    private static final int HEADER_BYTES = 2 * Integer.BYTES;
    private static final int GROWTH = 4;

    private final LogDirectory directory;
    private final Path file;
    private final long smallBytes;
    private volatile FileChannel channel;
    private volatile boolean appended;
    private boolean behind = true;
    private long compactBytes;

    OffsetJournal(LogDirectory directory, long smallBytes) {
        this.directory = directory;
        this.file = directory.file().toPath().resolve(FILE);
        this.smallBytes = smallBytes;
    }

    /** Reads all whole changes; what lies behind the first torn one is not read. */
    List<OffsetChange> read() {
        return directory.io("reading " + file, () -> {
            List<OffsetChange> changes = new ArrayList<>();
            ByteBuffer bytes = content();
            while (bytes.hasRemaining()) {
                byte[] whole = next(bytes);
                if (whole == null) {
                    LOG.warn("{} is cut at byte {} of {}", file, bytes.position(), bytes.limit());
                    break;
                }
                changes.add(OffsetChange.of(whole));
            }
            return changes;
        });
    }

    private ByteBuffer content() throws IOException {
        try {
            return ByteBuffer.wrap(Files.readAllBytes(file));
        } catch (NoSuchFileException none) {
            return ByteBuffer.allocate(0);
        }
    }

    private static byte[] next(ByteBuffer bytes) {
        if (bytes.remaining() < HEADER_BYTES) {
            return null;
        }
        int length = bytes.getInt(bytes.position());
        int checksum = bytes.getInt(bytes.position() + Integer.BYTES);
        if (length <= 0 || length > bytes.remaining() - HEADER_BYTES) {
            return null;
        }
        byte[] whole = new byte[length];
        bytes.get(bytes.position() + HEADER_BYTES, whole);
        if (checksum(whole) != checksum) {
            return null;
        }
        bytes.position(bytes.position() + HEADER_BYTES + length);
        return whole;
    }

    private static int checksum(byte[] bytes) {
        CRC32C crc = new CRC32C();
        crc.update(bytes);
        return (int) crc.getValue();
    }

    /** Replaces the file, as a whole or not at all. */
    void rewrite(List<OffsetChange> changes) {
        long bytes = changes.stream()
                .mapToLong(change -> HEADER_BYTES + change.bytes().length)
                .sum();
        directory.write("writing " + file, bytes, () -> {
            Path whole = file.resolveSibling(FILE + ".tmp");
            FileChannel next = FileChannel.open(
                    whole, StandardOpenOption.CREATE, StandardOpenOption.TRUNCATE_EXISTING, StandardOpenOption.WRITE);
            try {
                for (OffsetChange change : changes) {
                    write(next, change);
                }
                next.force(true);
                Files.move(whole, file, StandardCopyOption.ATOMIC_MOVE);
            } catch (IOException failure) {
                next.close();
                Files.deleteIfExists(whole);
                throw failure;
            }
            closeChannel();
            channel = next;
            compactBytes = next.position();
            behind = false;
            flushParent();
            return null;
        });
    }

    private void flushParent() throws IOException {
        try (FileChannel parent = FileChannel.open(file.getParent(), StandardOpenOption.READ)) {
            parent.force(true);
        }
    }

    /**
     * Keeps a change. A journal that missed one, because there was no room for it, must not take the next before it is written anew: it
     * would pass for complete.
     *
     * @param change the change
     * @param upToDate all that is to be kept, the change included
     */
    void keep(OffsetChange change, Supplier<List<OffsetChange>> upToDate) {
        if (behind) {
            rewrite(upToDate.get());
        } else {
            append(change);
        }
    }

    private void append(OffsetChange change) {
        behind = true;
        directory.write("appending to " + file, change.bytes().length, () -> {
            if (channel == null) {
                throw new ClosedChannelException();
            }
            long before = channel.position();
            try {
                write(channel, change);
            } catch (IOException failure) {
                directory.run("cutting what was half appended to " + file, () -> channel.truncate(before));
                throw failure;
            }
            appended = true;
            return null;
        });
        behind = false;
    }

    private static void write(FileChannel channel, OffsetChange change) throws IOException {
        byte[] bytes = change.bytes();
        ByteBuffer frame = ByteBuffer.allocate(HEADER_BYTES + bytes.length);
        frame.putInt(bytes.length).putInt(checksum(bytes)).put(bytes).flip();
        while (frame.hasRemaining()) {
            channel.write(frame);
        }
    }

    /** Writes what was appended to the medium, while more may be appended or all be written anew, which flushes too. For any thread. */
    void flush() {
        FileChannel written = channel;
        if (appended && written != null) {
            // Before the flush: what is appended meanwhile is for the next one.
            appended = false;
            directory.run("flushing " + file, () -> written.force(false));
        }
    }

    /** Says whether it is worth writing anew. */
    boolean isMostlyOld() {
        if (channel == null || directory.isOffline()) {
            return false;
        }
        return directory.io("sizing " + file, () -> channel.position()) > Math.max(smallBytes, GROWTH * compactBytes);
    }

    void close() throws IOException {
        if (channel != null && !directory.isOffline()) {
            directory.run("flushing " + file, () -> channel.force(true));
        }
        closeChannel();
    }

    /** Closes the file as it is. */
    void discard() throws IOException {
        closeChannel();
    }

    private void closeChannel() throws IOException {
        if (channel != null) {
            channel.close();
            channel = null;
        }
    }

    @Override
    public String toString() {
        return file.toString();
    }
}
