package io.faultline.broker.log;

import java.io.File;
import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import org.apache.kafka.common.errors.InvalidConfigurationException;
import org.apache.kafka.common.record.TimestampType;

/**
 * What was set for a topic. It lies in a file of every partition of the topic; the latest version of them holds.
 *
 * @param version counts the changes
 * @param settings names and values, checked
 */
public record TopicConfig(long version, Map<String, String> settings) {

    /** That nothing was set. */
    public static final TopicConfig NONE = new TopicConfig(0, Map.of());

    private static final String FILE = "topic.properties";
    private static final String VERSION = "version";

    /**
     * Copies the settings.
     */
    public TopicConfig {
        settings = Map.copyOf(settings);
    }

    /**
     * Sets something anew.
     *
     * @param next all settings there are then
     * @return the next version
     * @throws InvalidConfigurationException if a name or value is wrong
     */
    public TopicConfig change(Map<String, String> next) {
        for (Map.Entry<String, String> entry : next.entrySet()) {
            TopicSetting setting = TopicSetting.of(entry.getKey())
                    .orElseThrow(
                            () -> new InvalidConfigurationException("Unknown topic config name: " + entry.getKey()));
            if (entry.getValue() == null) {
                throw new InvalidConfigurationException("Null value not supported for topic config: " + entry.getKey());
            }
            setting.parse(entry.getValue());
        }
        return new TopicConfig(version + 1, next);
    }

    /**
     * Says how a log of the topic is kept.
     *
     * @param defaults how it would be if nothing was set
     * @return how it is
     */
    public LogConfig applyTo(LogConfig defaults) {
        return new LogConfig(
                (Integer) value(TopicSetting.SEGMENT_BYTES, defaults),
                (Integer) value(TopicSetting.INDEX_INTERVAL_BYTES, defaults),
                (Long) value(TopicSetting.FLUSH_MESSAGES, defaults),
                (Long) value(TopicSetting.FLUSH_MS, defaults),
                (Integer) value(TopicSetting.MAX_MESSAGE_BYTES, defaults),
                (Long) value(TopicSetting.FILE_DELETE_DELAY_MS, defaults),
                defaults.producerIdExpirationMs(),
                (Long) value(TopicSetting.RETENTION_MS, defaults),
                (Long) value(TopicSetting.RETENTION_BYTES, defaults),
                (Long) value(TopicSetting.SEGMENT_MS, defaults),
                (Integer) value(TopicSetting.SEGMENT_INDEX_BYTES, defaults),
                cleanup(defaults),
                TimestampType.forName((String) value(TopicSetting.MESSAGE_TIMESTAMP_TYPE, defaults)),
                TopicCompression.of((String) value(TopicSetting.COMPRESSION_TYPE, defaults)));
    }

    private CleanupConfig cleanup(LogConfig defaults) {
        List<?> policy = (List<?>) value(TopicSetting.CLEANUP_POLICY, defaults);
        return new CleanupConfig(
                policy.contains(CleanupConfig.DELETE),
                policy.contains(CleanupConfig.COMPACT),
                (Double) value(TopicSetting.MIN_CLEANABLE_DIRTY_RATIO, defaults),
                (Long) value(TopicSetting.DELETE_RETENTION_MS, defaults),
                (Long) value(TopicSetting.MIN_COMPACTION_LAG_MS, defaults),
                (Long) value(TopicSetting.MAX_COMPACTION_LAG_MS, defaults));
    }

    private Object value(TopicSetting setting, LogConfig defaults) {
        return setting.parse(settings.getOrDefault(setting.key(), setting.valueIn(defaults)));
    }

    /** Keeps the settings in the folder of a partition. */
    void write(File folder) throws IOException {
        if (version > 0) {
            StringBuilder content = new StringBuilder(VERSION + "=" + version + "\n");
            new TreeMap<>(settings)
                    .forEach((key, value) ->
                            content.append(key).append('=').append(value).append('\n'));
            Durability.replace(folder.toPath().resolve(FILE), content.toString());
        }
    }

    /** Reads what is kept in the folder of a partition. */
    static TopicConfig read(File folder) throws IOException {
        Path file = folder.toPath().resolve(FILE);
        Properties properties = new Properties();
        try (Reader reader = Files.newBufferedReader(file)) {
            properties.load(reader);
            long version = Long.parseLong(String.valueOf(properties.remove(VERSION)));
            Map<String, String> settings = new TreeMap<>();
            properties.forEach((key, value) -> settings.put(key.toString(), value.toString()));
            return new TopicConfig(version - 1, Map.of()).change(settings);
        } catch (NoSuchFileException none) {
            return NONE;
        } catch (IllegalArgumentException | InvalidConfigurationException damaged) {
            throw new IOException(file + " is damaged: " + damaged.getMessage(), damaged);
        }
    }
}
