package io.faultline.agent.verify;

import com.sun.nio.file.ExtendedOpenOption;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * A file that is read from its disk, not from the page cache where that can be helped: what the cache holds can be read though its disk cannot.
 */
final class ReadableFile implements AutoCloseable {

    /** What one read asks for at most. */
    static final int SLICE = 1 << 20;

    /** The smallest part of a disk that fails. */
    static final int BLOCK = 4 << 10;

    private final FileChannel channel;
    private final ByteBuffer buffer;
    private final boolean direct;
    private final long size;

    private ReadableFile(FileChannel channel, ByteBuffer buffer, boolean direct) throws IOException {
        this.channel = channel;
        this.buffer = buffer;
        this.direct = direct;
        this.size = channel.size();
    }

    /**
     * Opens a file, past the page cache where the file system allows it.
     *
     * @param mediaError the text of EIO, by which a bad first block is told from a file system that does not read directly
     */
    static ReadableFile open(Path file, String mediaError) throws IOException {
        ByteBuffer buffer = ByteBuffer.allocateDirect(SLICE + BLOCK)
                .alignedSlice(BLOCK)
                .limit(SLICE)
                .slice();
        if (Files.getFileStore(file).getBlockSize() <= BLOCK) {
            FileChannel direct = openDirectly(file);
            if (direct != null && readsDirectly(direct, buffer, mediaError)) {
                return new ReadableFile(direct, buffer, true);
            }
        }
        return new ReadableFile(FileChannel.open(file, StandardOpenOption.READ), buffer, false);
    }

    private static FileChannel openDirectly(Path file) {
        try {
            return FileChannel.open(file, StandardOpenOption.READ, ExtendedOpenOption.DIRECT);
        } catch (IOException
                | UnsupportedOperationException notHere) { // a plain open says what is wrong, if anything is
            return null;
        }
    }

    private static boolean readsDirectly(FileChannel direct, ByteBuffer buffer, String mediaError) throws IOException {
        try {
            direct.read(buffer.clear().limit(BLOCK), 0);
            return true;
        } catch (IOException failure) {
            boolean bad = mediaError != null && mediaError.equals(failure.getMessage());
            if (!bad) {
                direct.close();
            }
            return bad;
        }
    }

    boolean isDirect() {
        return direct;
    }

    long size() {
        return size;
    }

    /**
     * Reads from a position that is a multiple of {@link #BLOCK}.
     *
     * @param count a multiple of it too, at most {@link #SLICE}
     * @return what was read, less than asked at the end of the file; good until the next read
     * @throws IOException if any of it cannot be read
     */
    ByteBuffer read(long position, int count) throws IOException {
        buffer.clear().limit(count);
        while (buffer.hasRemaining()) {
            int read = channel.read(buffer, position + buffer.position());
            if (read < 0 || direct && buffer.position() % BLOCK != 0) { // the end
                break;
            }
        }
        return buffer.flip();
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
