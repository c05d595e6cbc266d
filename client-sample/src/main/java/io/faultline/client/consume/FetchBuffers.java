package io.faultline.client.consume;

import java.lang.ref.SoftReference;
import java.nio.ByteBuffer;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Room for the responses to fetches, used again and again. A fresh array of some mebibytes costs more than its zeroing: G1 lays it out
 * by itself, and where the heap is half full begins a collection for each. What is kept is given up when the heap gets short. Safe for
 * use from several threads.
 */
final class FetchBuffers {

    /** Smaller ones are as cheap as any other array. */
    static final int SMALLEST_KEPT = 64 << 10;

    /** By this part they are larger than asked for, so that a response that is somewhat larger fits as well. */
    private static final int SPARE = 8;

    private final int most;
    private final Queue<SoftReference<ByteBuffer>> kept = new ConcurrentLinkedQueue<>();
    private final AtomicInteger count = new AtomicInteger();

    /**
     * Begins with none.
     *
     * @param most how many are kept
     */
    FetchBuffers(int most) {
        this.most = most;
    }

    /** A buffer for that many bytes, with whatever bytes in it. */
    ByteBuffer take(int bytes) {
        if (bytes < SMALLEST_KEPT) {
            return ByteBuffer.allocate(bytes);
        }
        for (SoftReference<ByteBuffer> next = kept.poll(); next != null; next = kept.poll()) {
            count.decrementAndGet();
            ByteBuffer again = next.get();
            if (again != null && again.capacity() >= bytes) {
                return again.clear().limit(bytes);
            }
        }
        int spare = Math.min(bytes / SPARE, Integer.MAX_VALUE - bytes);
        return ByteBuffer.allocate(bytes + spare).limit(bytes);
    }

    /** Takes one back that nobody reads or writes any more. */
    void give(ByteBuffer done) {
        if (done.capacity() >= SMALLEST_KEPT) {
            if (count.incrementAndGet() <= most) {
                kept.add(new SoftReference<>(done));
            } else {
                count.decrementAndGet();
            }
        }
    }
}
