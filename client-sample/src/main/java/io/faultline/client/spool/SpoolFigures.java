package io.faultline.client.spool;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.LongSupplier;

/** How the spool stands. Written by the loop, read by any thread. */
public final class SpoolFigures {

    private final LongSupplier bytes;
    private final Map<SpoolEntry, Boolean> waiting = new LinkedHashMap<>(); // of the loop; the oldest in front
    private volatile long oldest = Long.MAX_VALUE;
    private volatile long batches;
    private volatile long undecided;

    /**
     * Begins with what an earlier producer left.
     *
     * @param spool whose figures; open
     */
    public SpoolFigures(Spool spool) {
        bytes = spool::bytes;
        for (Recovered each : spool.recovered()) {
            if (each.undecided() == null) {
                added(each.entry());
            }
        }
    }

    /**
     * A batch waits in the spool to be delivered.
     *
     * @param entry the batch
     */
    public void added(SpoolEntry entry) {
        waiting.put(entry, true);
        changed();
    }

    /**
     * A batch does not wait any more.
     *
     * @param entry the batch
     */
    public void removed(SpoolEntry entry) {
        waiting.remove(entry);
        changed();
    }

    private void changed() {
        batches = waiting.size();
        oldest = waiting.isEmpty()
                ? Long.MAX_VALUE
                : waiting.keySet().iterator().next().acceptedAt();
    }

    /**
     * Records turned out to be undecided.
     *
     * @param records how many
     */
    public void undecided(int records) {
        undecided = undecided + records; // one writer
    }

    /**
     * How many bytes the spool has on the disk.
     *
     * @return bytes, those of settled batches that share a segment with others included
     */
    public long bytes() {
        return bytes.getAsLong();
    }

    /**
     * How many batches wait to be delivered.
     *
     * @return the count
     */
    public long batches() {
        return batches;
    }

    /**
     * For how long the oldest batch has waited.
     *
     * @return seconds, 0 if there is none
     */
    public double oldestAgeSeconds() {
        long since = oldest;
        return since == Long.MAX_VALUE ? 0 : Math.max(0, System.currentTimeMillis() - since) / 1_000.0;
    }

    /**
     * How many records are undecided.
     *
     * @return the count
     */
    public long undecided() {
        return undecided;
    }
}
