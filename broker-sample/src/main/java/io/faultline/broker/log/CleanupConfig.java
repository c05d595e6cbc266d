package io.faultline.broker.log;

/**
 * What becomes of old records.
 *
 * @param delete whether they are deleted by age and size
 * @param compact whether the newest record of each key is kept, and older ones are not
 * @param minDirtyRatio how much of a log must not have been compacted yet before it is compacted again, from 0 to 1
 * @param deleteRetentionMs how long a record without a value is kept after it deleted the others of its key, in milliseconds
 * @param minLagMs how long a record is kept in any case, in milliseconds
 * @param maxLagMs after how long a log is compacted in any case, in milliseconds
 */
public record CleanupConfig(
        boolean delete, boolean compact, double minDirtyRatio, long deleteRetentionMs, long minLagMs, long maxLagMs) {

    /** Deletes by age and size. */
    public static final String DELETE = "delete";

    /** Keeps the newest record of each key. */
    public static final String COMPACT = "compact";

    /**
     * Names the policy.
     *
     * @return the value of Kafka's {@code cleanup.policy}; empty if everything is kept
     */
    public String policy() {
        if (delete) {
            return compact ? DELETE + "," + COMPACT : DELETE;
        }
        return compact ? COMPACT : "";
    }
}
