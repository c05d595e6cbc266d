package io.faultline.broker.network;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ScatteringByteChannel;
import org.apache.kafka.common.network.InvalidReceiveException;
import org.apache.kafka.common.network.NetworkReceive;

/**
 * A request as it comes in. Its memory grows with what has come, never with what its size claims: whoever claims 100 MiB and
 * sends nothing gets 4 KiB.
 */
final class GrowingReceive extends NetworkReceive {

    /** Given to every connection without asking; most requests are smaller. */
    static final int FIRST_BYTES = 4_096;

    private final int maxSize;
    private final RequestMemory memory;
    private final long beganNanos = System.nanoTime();
    private final ByteBuffer size = ByteBuffer.allocate(Integer.BYTES);
    private int claimed = -1;
    private ByteBuffer payload;
    private long taken;
    private boolean starved;

    GrowingReceive(int maxSize, String source, RequestMemory memory) {
        super(maxSize, source);
        this.maxSize = maxSize;
        this.memory = memory;
    }

    @Override
    public long readFrom(ScatteringByteChannel channel) throws IOException {
        long read = 0;
        if (size.hasRemaining()) {
            read += readInto(size, channel);
            if (size.hasRemaining()) {
                return read;
            }
            claimed = size.getInt(0);
            if (claimed < 0 || claimed > maxSize) {
                throw new InvalidReceiveException(
                        "Invalid receive (size = " + claimed + "; accepted are 0 to " + maxSize + " bytes)");
            }
            payload = ByteBuffer.allocate(Math.min(claimed, FIRST_BYTES));
        }
        while (!complete()) {
            if (!payload.hasRemaining() && !grow()) {
                return read;
            }
            int more = readInto(payload, channel);
            read += more;
            if (more == 0) {
                return read;
            }
        }
        return read;
    }

    private static int readInto(ByteBuffer buffer, ScatteringByteChannel channel) throws IOException {
        int read = channel.read(buffer);
        if (read < 0) {
            throw new EOFException();
        }
        return read;
    }

    private boolean grow() {
        int capacity = (int) Math.min(claimed, 2L * payload.capacity());
        long more = capacity - payload.capacity();
        starved = !memory.take(more);
        if (!starved) {
            taken += more;
            payload = ByteBuffer.allocate(capacity).put(payload.flip());
        }
        return !starved;
    }

    /** Says whether it could go on if there were memory. */
    boolean isStarved() {
        return starved;
    }

    /** How much memory it took, but for the first bytes. */
    long taken() {
        return taken;
    }

    /** When its first byte came, in nanoseconds of {@link System#nanoTime}. */
    long beganNanos() {
        return beganNanos;
    }

    @Override
    public boolean complete() {
        return claimed == 0 || payload != null && payload.position() == claimed;
    }

    @Override
    public boolean requiredMemoryAmountKnown() {
        return claimed >= 0;
    }

    @Override
    public boolean memoryAllocated() {
        return payload != null;
    }

    @Override
    public ByteBuffer payload() {
        return payload;
    }

    @Override
    public int bytesRead() {
        return size.position() + (payload == null ? 0 : payload.position());
    }

    @Override
    public int size() {
        return Integer.BYTES + Math.max(0, claimed);
    }

    /** Gives back the memory of a request that did not come in as a whole. */
    @Override
    public void close() {
        memory.giveBack(taken);
        taken = 0;
        payload = null;
    }
}
