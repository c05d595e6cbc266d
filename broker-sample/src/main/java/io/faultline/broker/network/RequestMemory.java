package io.faultline.broker.network;

import java.util.concurrent.atomic.AtomicLong;

/**
 * How much memory requests may take, of all connections together, while they come in and until they are answered. Safe for
 * use by any thread.
 */
final class RequestMemory {

    private final long limit;
    private final AtomicLong incoming = new AtomicLong();
    private final AtomicLong whole = new AtomicLong();
    private final AtomicLong refusals = new AtomicLong();

    /**
     * Makes a memory of which nothing is taken.
     *
     * @param limit the most that is given, in bytes
     */
    RequestMemory(long limit) {
        this.limit = limit;
    }

    /** Takes memory for a request that comes in, unless too much is taken. The only request may always have it. */
    boolean take(long bytes) {
        long taken = incoming.addAndGet(bytes) + whole.get();
        if (taken > limit && taken > bytes) {
            incoming.addAndGet(-bytes);
            refusals.incrementAndGet();
            return false;
        }
        return true;
    }

    /** How often it was refused so far: as long as that stays, there is nobody new to look for. */
    long refusals() {
        return refusals.get();
    }

    /** Gives back what a request took that does not come in any more. */
    void giveBack(long bytes) {
        incoming.addAndGet(-bytes);
    }

    /** A request has come in as a whole; it keeps its memory until it is answered. */
    void complete(long bytes) {
        whole.addAndGet(bytes);
        incoming.addAndGet(-bytes);
    }

    /** Gives back what a request took that is answered. */
    void answered(long bytes) {
        whole.addAndGet(-bytes);
    }

    /** Says whether it is requests that wait for their answers that take the memory: they give it back by themselves. */
    boolean isTakenByWhole() {
        return whole.get() > limit / 2;
    }
}
