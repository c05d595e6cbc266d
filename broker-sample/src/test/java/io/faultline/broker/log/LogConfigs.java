package io.faultline.broker.log;

import org.apache.kafka.common.record.TimestampType;

/** Configurations for small logs. */
final class LogConfigs {

    private static final long A_DAY_MS = 86_400_000;

    private LogConfigs() {}

    static LogConfig small(int segmentBytes, long deleteDelayMs) {
        return with(segmentBytes, deleteDelayMs, new CleanupConfig(true, false, 0.5, A_DAY_MS, 0, Long.MAX_VALUE));
    }

    /** Compacted whenever it is looked at. */
    static LogConfig compacted(int segmentBytes, long deleteRetentionMs) {
        return with(segmentBytes, 0, new CleanupConfig(false, true, 0, deleteRetentionMs, 0, Long.MAX_VALUE));
    }

    private static LogConfig with(int segmentBytes, long deleteDelayMs, CleanupConfig cleanup) {
        return new LogConfig(
                segmentBytes,
                512,
                Long.MAX_VALUE,
                Long.MAX_VALUE,
                1 << 20,
                deleteDelayMs,
                A_DAY_MS,
                -1,
                -1,
                A_DAY_MS,
                1 << 20,
                cleanup,
                TimestampType.CREATE_TIME,
                TopicCompression.PRODUCER);
    }
}
