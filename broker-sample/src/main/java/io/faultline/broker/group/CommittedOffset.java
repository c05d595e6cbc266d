package io.faultline.broker.group;

/**
 * How far a group has read a partition.
 *
 * @param offset the next offset to read
 * @param leaderEpoch the leader epoch of the last record read, or -1
 * @param metadata what the group keeps with it, never null
 * @param committedMs when it was committed
 */
public record CommittedOffset(long offset, int leaderEpoch, String metadata, long committedMs) {}
