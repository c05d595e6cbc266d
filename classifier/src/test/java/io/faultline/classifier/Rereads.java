package io.faultline.classifier;

import java.nio.channels.FileChannel;

/** Reads regions as checks do, for whoever measures them: without a budget that would hold them up. For one thread at a time. */
public final class Rereads {

    private final RegionReader reader = new RegionReader();
    private final ReadBudget budget = new ReadBudget(() -> Long.MAX_VALUE);

    /** Makes one with a buffer of its own, which is kept. */
    public Rereads() {}

    /**
     * Reads a whole region.
     *
     * @param file the file
     * @param position where the region begins
     * @param count how many bytes it has
     * @throws IllegalStateException if it cannot be read to its end
     */
    public void read(FileChannel file, long position, long count) {
        ReadOutcome outcome = reader.read(file, new Region(position, count), budget, bytes -> {}, () -> false);
        if (outcome.end() != ReadOutcome.End.READABLE) {
            throw new IllegalStateException(outcome.toString());
        }
    }
}
