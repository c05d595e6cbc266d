package io.faultline.bench.reread;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;

/** How a file is usually read: in a loop, into one buffer on the heap. */
final class HeapLoop {

    private static final int BUFFER = 32 << 10;

    private final ByteBuffer buffer = ByteBuffer.allocate(BUFFER);

    void read(FileChannel file, long position, long count) throws IOException {
        long end = position + count;
        for (long at = position; at < end; ) {
            int read = file.read(buffer.clear().limit((int) Math.min(BUFFER, end - at)), at);
            if (read < 0) {
                throw new EOFException();
            }
            at += read;
        }
    }
}
