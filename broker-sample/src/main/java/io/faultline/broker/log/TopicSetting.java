package io.faultline.broker.log;

import java.util.Arrays;
import java.util.Optional;
import java.util.function.Function;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigDef.Range;
import org.apache.kafka.common.config.ConfigDef.Type;
import org.apache.kafka.common.config.ConfigDef.ValidList;
import org.apache.kafka.common.config.ConfigDef.ValidString;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.common.errors.InvalidConfigurationException;
import org.apache.kafka.common.record.TimestampType;

/** What can be set for a topic, by Kafka's names, where the broker's own setting is not to apply. */
public enum TopicSetting {
    /** How long records are kept. */
    RETENTION_MS("retention.ms", "log.retention.ms", Type.LONG, Range.atLeast(-1), LogConfig::retentionMs),
    /** How much of a partition is kept. */
    RETENTION_BYTES("retention.bytes", "log.retention.bytes", Type.LONG, Range.atLeast(-1), LogConfig::retentionBytes),
    /** The size at which a segment is rolled. */
    SEGMENT_BYTES("segment.bytes", "log.segment.bytes", Type.INT, Range.atLeast(1024), LogConfig::segmentBytes),
    /** The age at which a segment is rolled. */
    SEGMENT_MS("segment.ms", "log.roll.ms", Type.LONG, Range.atLeast(1), LogConfig::segmentMs),
    /** The largest batch. */
    MAX_MESSAGE_BYTES("max.message.bytes", "message.max.bytes", Type.INT, Range.atLeast(1), LogConfig::maxMessageBytes),
    /** The messages between flushes. */
    FLUSH_MESSAGES(
            "flush.messages",
            "log.flush.interval.messages",
            Type.LONG,
            Range.atLeast(1),
            LogConfig::flushIntervalMessages),
    /** The time between flushes. */
    FLUSH_MS("flush.ms", "log.flush.interval.ms", Type.LONG, Range.atLeast(0), LogConfig::flushIntervalMs),
    /** The size of an index at which its segment is rolled. */
    SEGMENT_INDEX_BYTES(
            "segment.index.bytes", "log.index.size.max.bytes", Type.INT, Range.atLeast(4), LogConfig::indexMaxBytes),
    /** The bytes per index entry. */
    INDEX_INTERVAL_BYTES(
            "index.interval.bytes",
            "log.index.interval.bytes",
            Type.INT,
            Range.atLeast(0),
            LogConfig::indexIntervalBytes),
    /** The delay of deletions. */
    FILE_DELETE_DELAY_MS(
            "file.delete.delay.ms",
            "log.segment.delete.delay.ms",
            Type.LONG,
            Range.atLeast(0),
            LogConfig::deleteDelayMs),
    /** What becomes of old records. */
    CLEANUP_POLICY(
            "cleanup.policy",
            "log.cleanup.policy",
            Type.LIST,
            ValidList.in(false, CleanupConfig.DELETE, CleanupConfig.COMPACT),
            config -> config.cleanup().policy()),
    /** How much of a log is not compacted yet before it is again. */
    MIN_CLEANABLE_DIRTY_RATIO(
            "min.cleanable.dirty.ratio",
            "log.cleaner.min.cleanable.ratio",
            Type.DOUBLE,
            Range.between(0, 1),
            config -> config.cleanup().minDirtyRatio()),
    /** How long a record without a value is kept. */
    DELETE_RETENTION_MS(
            "delete.retention.ms",
            "log.cleaner.delete.retention.ms",
            Type.LONG,
            Range.atLeast(0),
            config -> config.cleanup().deleteRetentionMs()),
    /** How long a record is not compacted. */
    MIN_COMPACTION_LAG_MS(
            "min.compaction.lag.ms",
            "log.cleaner.min.compaction.lag.ms",
            Type.LONG,
            Range.atLeast(0),
            config -> config.cleanup().minLagMs()),
    /** After how long a record is compacted. */
    MAX_COMPACTION_LAG_MS(
            "max.compaction.lag.ms",
            "log.cleaner.max.compaction.lag.ms",
            Type.LONG,
            Range.atLeast(1),
            config -> config.cleanup().maxLagMs()),
    /** Whose time records have. */
    MESSAGE_TIMESTAMP_TYPE(
            "message.timestamp.type",
            "log.message.timestamp.type",
            Type.STRING,
            ValidString.in(TimestampType.CREATE_TIME.name, TimestampType.LOG_APPEND_TIME.name),
            config -> config.timestampType().name),
    /** How batches are compressed. */
    COMPRESSION_TYPE(
            "compression.type",
            "compression.type",
            Type.STRING,
            ValidString.in(TopicCompression.keys()),
            config -> config.compression().key());

    private final String key;
    private final String brokerKey;
    private final Type type;
    private final ConfigDef.Validator validator;
    private final Function<LogConfig, Object> value;

    TopicSetting(
            String key, String brokerKey, Type type, ConfigDef.Validator validator, Function<LogConfig, Object> value) {
        this.key = key;
        this.brokerKey = brokerKey;
        this.type = type;
        this.validator = validator;
        this.value = value;
    }

    /**
     * A setting by its name.
     *
     * @param key the name
     * @return the setting, empty if there is none
     */
    public static Optional<TopicSetting> of(String key) {
        return Arrays.stream(values())
                .filter(setting -> setting.key.equals(key))
                .findFirst();
    }

    /**
     * The name of the setting.
     *
     * @return Kafka's name
     */
    public String key() {
        return key;
    }

    /**
     * The name of the broker's setting that applies where the topic has none.
     *
     * @return Kafka's name
     */
    public String brokerKey() {
        return brokerKey;
    }

    /**
     * The type of its value.
     *
     * @return the type
     */
    public Type type() {
        return type;
    }

    /**
     * The value that is in force.
     *
     * @param config how a log is kept
     * @return the value, as text
     */
    public String valueIn(LogConfig config) {
        return value.apply(config).toString();
    }

    /** Reads a value. */
    Object parse(String text) {
        try {
            Object parsed = ConfigDef.parseType(key, text, type);
            validator.ensureValid(key, parsed);
            return parsed;
        } catch (ConfigException wrong) {
            throw new InvalidConfigurationException(wrong.getMessage());
        }
    }
}
