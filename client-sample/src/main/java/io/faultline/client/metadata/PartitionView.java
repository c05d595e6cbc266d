package io.faultline.client.metadata;

/**
 * A partition as it was last heard of.
 *
 * @param index its index
 * @param leader the id of the leading broker, {@link #NO_LEADER} if there is none
 * @param leaderEpoch the epoch of that leadership, -1 if the broker is too old to say
 */
public record PartitionView(int index, int leader, int leaderEpoch) {

    /** There is no leader at the moment. */
    public static final int NO_LEADER = -1;

    /**
     * Says whether there is a leader.
     *
     * @return false while the partition cannot be used
     */
    public boolean hasLeader() {
        return leader != NO_LEADER;
    }
}
