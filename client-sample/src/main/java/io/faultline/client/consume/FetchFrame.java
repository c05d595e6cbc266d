package io.faultline.client.consume;

import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The bytes of one response to a fetch. They are given back when all who read them have let go: the loop, and the caller for each
 * partition. Where somebody never does, as with a partition that was taken away, the collector has them.
 */
final class FetchFrame {

    private final FetchBuffers buffers;
    private final AtomicInteger readers = new AtomicInteger(1); // the loop
    private ByteBuffer bytes; // null until the response begins to come

    FetchFrame(FetchBuffers buffers) {
        this.buffers = buffers;
    }

    /** Room for the response. On the loop. */
    ByteBuffer room(int size) {
        bytes = buffers.take(size);
        return bytes;
    }

    /** One more reads it. On the loop. */
    void share() {
        readers.incrementAndGet();
    }

    /** One who read it lets go. On any thread, once for each reader. */
    void release() {
        if (readers.decrementAndGet() == 0 && bytes != null) {
            buffers.give(bytes);
        }
    }
}
