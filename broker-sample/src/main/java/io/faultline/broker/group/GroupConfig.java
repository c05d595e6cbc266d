package io.faultline.broker.group;

/**
 * How groups are coordinated.
 *
 * @param initialRebalanceDelayMs how long the first member of a group waits for others, in milliseconds
 * @param minSessionTimeoutMs the shortest session time-out that a member may ask for
 * @param maxSessionTimeoutMs the longest session time-out that a member may ask for
 * @param maxSize how many members a group may have
 * @param maxOffsetMetadataBytes the longest text that may be committed with an offset
 */
public record GroupConfig(
        int initialRebalanceDelayMs,
        int minSessionTimeoutMs,
        int maxSessionTimeoutMs,
        int maxSize,
        int maxOffsetMetadataBytes) {}
