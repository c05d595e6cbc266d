package io.faultline.client.produce;

import java.nio.ByteBuffer;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The buffers of batches, used again and again: a fresh one costs the zeroing of its bytes, and as long as it lives each collection of the young generation copies them. Safe for use from several threads.
 */
final class BatchBuffers {

    private final int size;
    private final int most;
    private final Queue<ByteBuffer> kept = new ConcurrentLinkedQueue<>();
    private final AtomicInteger count = new AtomicInteger();

    /**
     * Begins with none.
     *
     * @param size of those that are kept, in bytes: {@code batch.size}
     * @param most how many are kept; 0 where a buffer may still be read when its batch is done
     */
    BatchBuffers(int size, int most) {
        this.size = size;
        this.most = most;
    }

    /** An empty buffer of that many bytes. */
    ByteBuffer take(int bytes) {
        ByteBuffer again = bytes == size ? kept.poll() : null;
        if (again == null) {
            return ByteBuffer.allocate(bytes);
        }
        count.decrementAndGet();
        return again.clear();
    }

    /** Takes one back that nobody reads or writes any more. */
    void give(ByteBuffer done) {
        if (done.capacity() == size) {
            if (count.incrementAndGet() <= most) {
                kept.add(done);
            } else {
                count.decrementAndGet();
            }
        }
    }
}
