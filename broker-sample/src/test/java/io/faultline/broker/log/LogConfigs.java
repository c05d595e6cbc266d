package io.faultline.broker.log;

/** Configurations for small logs. */
final class LogConfigs {

    private static final long A_DAY_MS = 86_400_000;

    private LogConfigs() {}

    static LogConfig small(int segmentBytes, long deleteDelayMs) {
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
                1 << 20);
    }
}
