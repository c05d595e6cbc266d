package io.faultline.agent.verify;

/**
 * Which records of a partition a bad region touches. Whole batches: a batch of which a part cannot be read is lost to consumers.
 *
 * @param partition the partition, such as {@code orders-3}
 * @param first the first offset
 * @param last the last offset, or -1 where the region reaches to the end of the segment and what was there is not known
 */
public record LostRecords(String partition, long first, long last) {

    /** As a person reads it. */
    @Override
    public String toString() {
        return partition + ", offsets " + first + (last < 0 ? " to the end of the segment" : " to " + last);
    }
}
