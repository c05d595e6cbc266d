package io.faultline.client.produce;

import java.util.concurrent.atomic.LongAdder;

/** How many records were produced, acked and failed. Read when nothing goes on, produced = acked + failed + pending. */
public final class DeliveryCounts {

    private final LongAdder produced = new LongAdder();
    private final LongAdder acked = new LongAdder();
    private final LongAdder failed = new LongAdder();

    /** Begins at 0. */
    public DeliveryCounts() {}

    void produced() {
        produced.increment();
    }

    void acked() {
        acked.increment();
    }

    void failed() {
        failed.increment();
    }

    /**
     * The counts now.
     *
     * @return a copy
     */
    public Snapshot now() {
        // In this order, so that a record on its way is counted as pending rather than as less than nothing.
        long failedNow = failed.sum();
        long ackedNow = acked.sum();
        return new Snapshot(produced.sum(), ackedNow, failedNow);
    }

    /**
     * The counts at one time.
     *
     * @param produced records that {@code send} returned a delivery for
     * @param acked records that the broker has
     * @param failed records that are given up
     */
    public record Snapshot(long produced, long acked, long failed) {

        /**
         * Records whose delivery is not settled.
         *
         * @return the rest
         */
        public long pending() {
            return produced - acked - failed;
        }
    }
}
