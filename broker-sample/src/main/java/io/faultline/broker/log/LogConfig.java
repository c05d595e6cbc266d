package io.faultline.broker.log;

import org.apache.kafka.common.record.TimestampType;

/**
 * How logs are kept.
 *
 * @param segmentBytes the size in bytes at which a segment is rolled
 * @param indexIntervalBytes how many bytes of a segment share one entry of its offset index
 * @param flushIntervalMessages after how many messages a log is flushed to the medium
 * @param flushIntervalMs after how long a log is flushed to the medium, in milliseconds
 * @param maxMessageBytes the largest batch that is accepted, in bytes
 * @param deleteDelayMs how long a deleted file stays on disk, in milliseconds, for the responses that still carry it
 * @param producerIdExpirationMs after how long without an append an idempotent producer is forgotten, in milliseconds
 * @param retentionMs how long records are kept, in milliseconds; negative for ever
 * @param retentionBytes how much of a log is kept, in bytes; negative for all
 * @param segmentMs the age in milliseconds at which a segment is rolled
 * @param indexMaxBytes the size in bytes of an index at which its segment is rolled
 * @param cleanup what becomes of old records
 * @param timestampType whether records have the time of the client that made them, or of their append
 * @param compression how batches are compressed
 */
public record LogConfig(
        int segmentBytes,
        int indexIntervalBytes,
        long flushIntervalMessages,
        long flushIntervalMs,
        int maxMessageBytes,
        long deleteDelayMs,
        long producerIdExpirationMs,
        long retentionMs,
        long retentionBytes,
        long segmentMs,
        int indexMaxBytes,
        CleanupConfig cleanup,
        TimestampType timestampType,
        TopicCompression compression) {

    /** The age in milliseconds at which a segment is rolled in force: the active segment is never compacted. */
    long rollMs() {
        return cleanup.compact() ? Math.min(segmentMs, cleanup.maxLagMs()) : segmentMs;
    }
}
