package io.faultline.broker;

import io.faultline.broker.group.GroupConfig;
import io.faultline.broker.log.CleanupConfig;
import io.faultline.broker.log.LogConfig;
import io.faultline.broker.log.TopicCompression;
import io.faultline.broker.network.Listener;
import io.faultline.broker.network.NetworkConfig;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigDef.ConfigKey;
import org.apache.kafka.common.config.ConfigDef.Importance;
import org.apache.kafka.common.config.ConfigDef.Type;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.common.config.SslConfigs;
import org.apache.kafka.common.config.internals.BrokerSecurityConfigs;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.common.security.auth.SecurityProtocol;

/**
 * The configuration of a broker, by Kafka's names. Immutable.
 *
 * @param nodeId {@code node.id}
 * @param listeners {@code listeners}, each protocol once
 * @param advertisedListeners {@code advertised.listeners}, empty for the listeners themselves
 * @param logDirs {@code log.dirs} as they were given, at least one
 * @param autoCreateTopics {@code auto.create.topics.enable}
 * @param defaultPartitions {@code num.partitions}
 * @param requestThreads {@code num.io.threads}
 * @param queuedRequests {@code queued.max.requests}
 * @param fetchMaxBytes {@code fetch.max.bytes}
 * @param fetchSessionSlots {@code max.incremental.fetch.session.cache.slots}
 * @param retentionCheckIntervalMs {@code log.retention.check.interval.ms}
 * @param flushCheckIntervalMs {@code log.flush.scheduler.interval.ms}
 * @param recoveryPointIntervalMs {@code log.flush.offset.checkpoint.interval.ms}
 * @param cleanerBackoffMs {@code log.cleaner.backoff.ms}
 * @param log how logs are kept
 * @param groups how consumer groups are coordinated
 * @param network how connections are served
 * @param values names and values of all keys but those of TLS, for descriptions
 * @param given the keys that are no defaults
 * @param ignored keys of Kafka's that were given and mean nothing here
 */
public record BrokerConfig(
        int nodeId,
        List<Listener> listeners,
        List<Listener> advertisedListeners,
        List<String> logDirs,
        boolean autoCreateTopics,
        int defaultPartitions,
        int requestThreads,
        int queuedRequests,
        int fetchMaxBytes,
        int fetchSessionSlots,
        long retentionCheckIntervalMs,
        long flushCheckIntervalMs,
        long recoveryPointIntervalMs,
        long cleanerBackoffMs,
        LogConfig log,
        GroupConfig groups,
        NetworkConfig network,
        Map<String, String> values,
        Set<String> given,
        Set<String> ignored) {

    private static final String LISTENERS = "listeners";
    private static final String ADVERTISED_LISTENERS = "advertised.listeners";
    private static final String LOG_DIRS = "log.dirs";
    private static final String NODE_ID = "node.id";
    private static final String AUTO_CREATE_TOPICS = "auto.create.topics.enable";
    private static final String NUM_PARTITIONS = "num.partitions";
    private static final String NUM_IO_THREADS = "num.io.threads";
    private static final String NUM_NETWORK_THREADS = "num.network.threads";
    private static final String FETCH_MAX_BYTES = "fetch.max.bytes";
    private static final String FETCH_SESSION_SLOTS = "max.incremental.fetch.session.cache.slots";
    private static final String SEGMENT_BYTES = "log.segment.bytes";
    private static final String INDEX_INTERVAL_BYTES = "log.index.interval.bytes";
    private static final String FLUSH_INTERVAL_MESSAGES = "log.flush.interval.messages";
    private static final String FLUSH_INTERVAL_MS = "log.flush.interval.ms";
    private static final String FLUSH_CHECK_INTERVAL_MS = "log.flush.scheduler.interval.ms";
    private static final String RECOVERY_POINT_INTERVAL_MS = "log.flush.offset.checkpoint.interval.ms";
    private static final String INDEX_MAX_BYTES = "log.index.size.max.bytes";
    private static final String MESSAGE_MAX_BYTES = "message.max.bytes";
    private static final String DELETE_DELAY_MS = "log.segment.delete.delay.ms";
    private static final String PRODUCER_ID_EXPIRATION_MS = "producer.id.expiration.ms";
    private static final String RETENTION_MS = "log.retention.ms";
    private static final String RETENTION_BYTES = "log.retention.bytes";
    private static final String RETENTION_CHECK_INTERVAL_MS = "log.retention.check.interval.ms";
    private static final String ROLL_MS = "log.roll.ms";
    private static final String CLEANUP_POLICY = "log.cleanup.policy";
    private static final String MIN_CLEANABLE_RATIO = "log.cleaner.min.cleanable.ratio";
    private static final String DELETE_RETENTION_MS = "log.cleaner.delete.retention.ms";
    private static final String MIN_COMPACTION_LAG_MS = "log.cleaner.min.compaction.lag.ms";
    private static final String MAX_COMPACTION_LAG_MS = "log.cleaner.max.compaction.lag.ms";
    private static final String CLEANER_BACKOFF_MS = "log.cleaner.backoff.ms";
    private static final String TIMESTAMP_TYPE = "log.message.timestamp.type";
    private static final String COMPRESSION_TYPE = "compression.type";
    private static final String INITIAL_REBALANCE_DELAY_MS = "group.initial.rebalance.delay.ms";
    private static final String MIN_SESSION_TIMEOUT_MS = "group.min.session.timeout.ms";
    private static final String MAX_SESSION_TIMEOUT_MS = "group.max.session.timeout.ms";
    private static final String GROUP_MAX_SIZE = "group.max.size";
    private static final String OFFSET_METADATA_MAX_BYTES = "offset.metadata.max.bytes";
    private static final String REQUEST_MAX_BYTES = "socket.request.max.bytes";
    private static final String SEND_BUFFER_BYTES = "socket.send.buffer.bytes";
    private static final String RECEIVE_BUFFER_BYTES = "socket.receive.buffer.bytes";
    private static final String MAX_IDLE_MS = "connections.max.idle.ms";
    private static final String MAX_QUEUED_REQUESTS = "queued.max.requests";
    private static final String MAX_QUEUED_BYTES = "queued.max.request.bytes";
    private static final String MAX_CONNECTIONS = "max.connections";
    private static final String MAX_CONNECTIONS_PER_IP = "max.connections.per.ip";
    private static final String MAX_CONNECTION_RATE = "max.connection.creation.rate";
    private static final String BACKLOG = "socket.listen.backlog.size";

    /** The keys that every broker has, with defaults, limits and a line each for {@code --help}. */
    private static ConfigDef brokerKeys() {
        ConfigDef keys = new ConfigDef();
        define(keys, LISTENERS, Type.LIST, "PLAINTEXT://127.0.0.1:9092", null, "Where to listen, PLAINTEXT and SSL.");
        define(keys, ADVERTISED_LISTENERS, Type.LIST, "", null, "What clients are told; the listeners by default.");
        define(keys, LOG_DIRS, Type.LIST, ConfigDef.NO_DEFAULT_VALUE, null, "The log directories, by commas.");
        define(keys, NODE_ID, Type.INT, 1, ConfigDef.Range.atLeast(0), "The id of the node.");
        define(keys, AUTO_CREATE_TOPICS, Type.BOOLEAN, true, null, "Make topics that clients ask about.");
        define(keys, NUM_PARTITIONS, Type.INT, 1, between(1, 10_000), "Partitions where nothing else is said.");
        define(keys, NUM_NETWORK_THREADS, Type.INT, 3, between(1, 64), "Network threads per listener.");
        define(keys, NUM_IO_THREADS, Type.INT, 8, between(1, 256), "Request threads.");
        define(keys, SEGMENT_BYTES, Type.INT, 1 << 30, ConfigDef.Range.atLeast(1024), "Size of a segment.");
        define(keys, ROLL_MS, Type.LONG, 604_800_000, ConfigDef.Range.atLeast(1), "Age of a segment.");
        define(keys, RETENTION_MS, Type.LONG, 604_800_000, ConfigDef.Range.atLeast(-1), "How long records are kept.");
        define(keys, RETENTION_BYTES, Type.LONG, -1, ConfigDef.Range.atLeast(-1), "How much of a partition is kept.");
        define(
                keys,
                RETENTION_CHECK_INTERVAL_MS,
                Type.LONG,
                300_000,
                ConfigDef.Range.atLeast(1),
                "Time between looks at that.");
        defineRecords(keys);
        define(keys, INDEX_INTERVAL_BYTES, Type.INT, 4096, ConfigDef.Range.atLeast(0), "Bytes per index entry.");
        define(
                keys,
                FLUSH_INTERVAL_MESSAGES,
                Type.LONG,
                Long.MAX_VALUE,
                ConfigDef.Range.atLeast(1),
                "Messages between flushes of a log.");
        define(
                keys,
                FLUSH_INTERVAL_MS,
                Type.LONG,
                Long.MAX_VALUE,
                ConfigDef.Range.atLeast(0),
                "Time between flushes of a log.");
        define(
                keys,
                FLUSH_CHECK_INTERVAL_MS,
                Type.LONG,
                1_000,
                ConfigDef.Range.atLeast(1),
                "Time between looks at that.");
        define(
                keys,
                RECOVERY_POINT_INTERVAL_MS,
                Type.LONG,
                60_000,
                ConfigDef.Range.atLeast(1),
                "Time between notes of what is flushed.");
        define(keys, INDEX_MAX_BYTES, Type.INT, 10 << 20, ConfigDef.Range.atLeast(4), "Size of an index at most.");
        define(keys, DELETE_DELAY_MS, Type.LONG, 60_000, ConfigDef.Range.atLeast(0), "Delay of deletions.");
        define(
                keys,
                PRODUCER_ID_EXPIRATION_MS,
                Type.LONG,
                86_400_000,
                ConfigDef.Range.atLeast(1),
                "Idle idempotent producers are forgotten.");
        define(
                keys,
                INITIAL_REBALANCE_DELAY_MS,
                Type.INT,
                3_000,
                ConfigDef.Range.atLeast(0),
                "Wait of a group's first member.");
        define(keys, MIN_SESSION_TIMEOUT_MS, Type.INT, 6_000, ConfigDef.Range.atLeast(1), "Of a group's members.");
        define(keys, MAX_SESSION_TIMEOUT_MS, Type.INT, 1_800_000, ConfigDef.Range.atLeast(1), "Likewise.");
        define(keys, GROUP_MAX_SIZE, Type.INT, Integer.MAX_VALUE, ConfigDef.Range.atLeast(1), "Members per group.");
        define(keys, OFFSET_METADATA_MAX_BYTES, Type.INT, 4_096, between(0, 16_384), "Text with an offset.");
        define(keys, MESSAGE_MAX_BYTES, Type.INT, 1_048_588, ConfigDef.Range.atLeast(1), "Largest batch.");
        define(keys, FETCH_MAX_BYTES, Type.INT, 55 << 20, ConfigDef.Range.atLeast(1024), "Largest response.");
        define(keys, FETCH_SESSION_SLOTS, Type.INT, 1_000, ConfigDef.Range.atLeast(0), "Fetch sessions at most.");
        define(keys, REQUEST_MAX_BYTES, Type.INT, 100 << 20, ConfigDef.Range.atLeast(1024), "Largest request.");
        define(keys, SEND_BUFFER_BYTES, Type.INT, 100 << 10, ConfigDef.Range.atLeast(-1), "-1: the system's.");
        define(keys, RECEIVE_BUFFER_BYTES, Type.INT, 100 << 10, ConfigDef.Range.atLeast(-1), "-1: the system's.");
        define(keys, MAX_IDLE_MS, Type.LONG, 600_000, ConfigDef.Range.atLeast(1), "Idle connections are closed.");
        define(
                keys,
                MAX_QUEUED_REQUESTS,
                Type.INT,
                500,
                ConfigDef.Range.atLeast(1),
                "Requests that wait for a thread.");
        define(
                keys,
                MAX_QUEUED_BYTES,
                Type.LONG,
                -1,
                ConfigDef.Range.atLeast(-1),
                "Memory of requests; -1: a quarter of the heap.");
        define(
                keys,
                MAX_CONNECTIONS,
                Type.INT,
                Integer.MAX_VALUE,
                ConfigDef.Range.atLeast(1),
                "Connections; more of them wait.");
        define(
                keys,
                MAX_CONNECTIONS_PER_IP,
                Type.INT,
                Integer.MAX_VALUE,
                ConfigDef.Range.atLeast(1),
                "Connections from one address; more of them are closed.");
        define(
                keys,
                MAX_CONNECTION_RATE,
                Type.INT,
                Integer.MAX_VALUE,
                ConfigDef.Range.atLeast(1),
                "Connections that come in a second; more of them wait.");
        define(keys, BACKLOG, Type.INT, 50, ConfigDef.Range.atLeast(1), "Connections that may wait.");
        return keys;
    }

    private static void defineRecords(ConfigDef keys) {
        define(
                keys,
                CLEANUP_POLICY,
                Type.LIST,
                CleanupConfig.DELETE,
                ConfigDef.ValidList.in(false, CleanupConfig.DELETE, CleanupConfig.COMPACT),
                "What becomes of old records: delete, compact.");
        define(keys, MIN_CLEANABLE_RATIO, Type.DOUBLE, 0.5, ConfigDef.Range.between(0, 1), "New part before that.");
        define(
                keys,
                DELETE_RETENTION_MS,
                Type.LONG,
                86_400_000,
                ConfigDef.Range.atLeast(0),
                "How long compaction keeps deletions.");
        define(keys, MIN_COMPACTION_LAG_MS, Type.LONG, 0, ConfigDef.Range.atLeast(0), "Not compacted before.");
        define(
                keys,
                MAX_COMPACTION_LAG_MS,
                Type.LONG,
                Long.MAX_VALUE,
                ConfigDef.Range.atLeast(1),
                "Compacted at the latest.");
        define(keys, CLEANER_BACKOFF_MS, Type.LONG, 15_000, ConfigDef.Range.atLeast(1), "Time between compactions.");
        define(
                keys,
                TIMESTAMP_TYPE,
                Type.STRING,
                TimestampType.CREATE_TIME.name,
                ConfigDef.ValidString.in(TimestampType.CREATE_TIME.name, TimestampType.LOG_APPEND_TIME.name),
                "Whose time records have.");
        define(
                keys,
                COMPRESSION_TYPE,
                Type.STRING,
                TopicCompression.PRODUCER.key(),
                ConfigDef.ValidString.in(TopicCompression.keys()),
                "How batches are compressed.");
    }

    private static ConfigDef allKeys() {
        ConfigDef keys = brokerKeys();
        SslConfigs.addClientSslSupport(keys);
        define(
                keys,
                BrokerSecurityConfigs.SSL_CLIENT_AUTH_CONFIG,
                Type.STRING,
                "none",
                ConfigDef.ValidString.in("none", "requested", "required"),
                "Whether clients must show a certificate.");
        return keys;
    }

    private static ConfigDef.Range between(int least, int most) {
        return ConfigDef.Range.between(least, most);
    }

    private static void define(
            ConfigDef keys, String name, Type type, Object fallback, ConfigDef.Validator validator, String doc) {
        keys.define(name, type, fallback, validator, Importance.MEDIUM, doc);
    }

    /**
     * Reads a configuration. Kafka's second names and units are taken too, such as {@code log.retention.hours}; a key of Kafka's that means nothing to a broker of one node
     * is among the {@link #ignored}, unless its value asks for what this broker does not do and its owner would miss, such as an authorizer.
     *
     * @param properties Kafka's names and values
     * @return the configuration
     * @throws ConfigException if a key or value is wrong; the message has a line for each that is, which names key, value and what is accepted
     */
    public static BrokerConfig of(Map<String, String> properties) {
        Problems problems = new Problems();
        ConfigDef keys = allKeys();
        ServerProperties read = ServerProperties.of(properties, keys.names(), problems);
        Map<String, Object> values = new HashMap<>();
        keys.validateAll(read.effective()).forEach((key, value) -> {
            values.put(key, value.value());
            // Of a value that cannot be read, a second one says that there is none.
            value.errorMessages().stream().findFirst().ifPresent(problems::add);
        });
        problems.check(() -> checkLogDirs(values));
        problems.check(() -> checkListeners(values));
        problems.refuse();
        List<String> logDirs = strings(values, LOG_DIRS);
        List<Listener> listeners = listeners(values, LISTENERS);
        List<Listener> advertised = listeners(values, ADVERTISED_LISTENERS);
        return new BrokerConfig(
                (Integer) values.get(NODE_ID),
                listeners,
                advertised,
                logDirs,
                (Boolean) values.get(AUTO_CREATE_TOPICS),
                (Integer) values.get(NUM_PARTITIONS),
                (Integer) values.get(NUM_IO_THREADS),
                (Integer) values.get(MAX_QUEUED_REQUESTS),
                (Integer) values.get(FETCH_MAX_BYTES),
                (Integer) values.get(FETCH_SESSION_SLOTS),
                (Long) values.get(RETENTION_CHECK_INTERVAL_MS),
                (Long) values.get(FLUSH_CHECK_INTERVAL_MS),
                (Long) values.get(RECOVERY_POINT_INTERVAL_MS),
                (Long) values.get(CLEANER_BACKOFF_MS),
                new LogConfig(
                        (Integer) values.get(SEGMENT_BYTES),
                        (Integer) values.get(INDEX_INTERVAL_BYTES),
                        (Long) values.get(FLUSH_INTERVAL_MESSAGES),
                        (Long) values.get(FLUSH_INTERVAL_MS),
                        (Integer) values.get(MESSAGE_MAX_BYTES),
                        (Long) values.get(DELETE_DELAY_MS),
                        (Long) values.get(PRODUCER_ID_EXPIRATION_MS),
                        (Long) values.get(RETENTION_MS),
                        (Long) values.get(RETENTION_BYTES),
                        (Long) values.get(ROLL_MS),
                        (Integer) values.get(INDEX_MAX_BYTES),
                        cleanup(values),
                        TimestampType.forName((String) values.get(TIMESTAMP_TYPE)),
                        TopicCompression.of((String) values.get(COMPRESSION_TYPE))),
                new GroupConfig(
                        (Integer) values.get(INITIAL_REBALANCE_DELAY_MS),
                        (Integer) values.get(MIN_SESSION_TIMEOUT_MS),
                        (Integer) values.get(MAX_SESSION_TIMEOUT_MS),
                        (Integer) values.get(GROUP_MAX_SIZE),
                        (Integer) values.get(OFFSET_METADATA_MAX_BYTES)),
                new NetworkConfig(
                        (Integer) values.get(NUM_NETWORK_THREADS),
                        (Integer) values.get(REQUEST_MAX_BYTES),
                        queuedBytes(values),
                        (Long) values.get(MAX_IDLE_MS),
                        (Integer) values.get(MAX_CONNECTIONS),
                        (Integer) values.get(MAX_CONNECTIONS_PER_IP),
                        (Integer) values.get(MAX_CONNECTION_RATE),
                        (Integer) values.get(SEND_BUFFER_BYTES),
                        (Integer) values.get(RECEIVE_BUFFER_BYTES),
                        (Integer) values.get(BACKLOG),
                        channelConfigs(values)),
                described(values),
                Set.copyOf(read.effective().keySet()),
                read.ignored());
    }

    private static void checkLogDirs(Map<String, Object> values) {
        if (values.get(LOG_DIRS) == null) {
            return;
        }
        List<String> logDirs = strings(values, LOG_DIRS);
        Set<String> distinct = new HashSet<>(logDirs);
        if (logDirs.isEmpty() || distinct.contains("") || distinct.size() < logDirs.size()) {
            throw new ConfigException(LOG_DIRS, logDirs, "accepted are one or more different directories, by commas");
        }
    }

    private static void checkListeners(Map<String, Object> values) {
        List<Listener> listeners = listeners(values, LISTENERS);
        if (listeners.isEmpty()) {
            throw new ConfigException(LISTENERS, listeners, "accepted is at least one listener");
        }
        checkAdvertised(listeners, listeners(values, ADVERTISED_LISTENERS));
        checkKeystore(listeners, values);
    }

    /** Kafka has no limit unless it is given one; a broker in somebody's tests or in 64 MiB must. */
    private static long queuedBytes(Map<String, Object> values) {
        long given = (Long) values.get(MAX_QUEUED_BYTES);
        return given < 0 ? Runtime.getRuntime().maxMemory() / 4 : given;
    }

    private static CleanupConfig cleanup(Map<String, Object> values) {
        List<String> policy = strings(values, CLEANUP_POLICY);
        return new CleanupConfig(
                policy.contains(CleanupConfig.DELETE),
                policy.contains(CleanupConfig.COMPACT),
                (Double) values.get(MIN_CLEANABLE_RATIO),
                (Long) values.get(DELETE_RETENTION_MS),
                (Long) values.get(MIN_COMPACTION_LAG_MS),
                (Long) values.get(MAX_COMPACTION_LAG_MS));
    }

    private static Map<String, String> described(Map<String, Object> values) {
        Map<String, String> described = new HashMap<>();
        for (ConfigKey key : brokerKeys().configKeys().values()) {
            described.put(key.name, ConfigDef.convertToString(values.get(key.name), key.type));
        }
        return Map.copyOf(described);
    }

    private static List<String> strings(Map<String, Object> values, String key) {
        List<String> strings = new ArrayList<>();
        ((List<?>) values.get(key)).forEach(value -> strings.add(value.toString()));
        return List.copyOf(strings);
    }

    private static List<Listener> listeners(Map<String, Object> values, String key) {
        List<Listener> listeners = new ArrayList<>();
        Set<SecurityProtocol> protocols = new HashSet<>();
        for (String text : strings(values, key)) {
            try {
                Listener listener = Listener.parse(text);
                if (!protocols.add(listener.protocol())) {
                    throw new IllegalArgumentException(
                            listener.protocol() + " occurs twice: accepted is one listener per protocol");
                }
                listeners.add(listener);
            } catch (IllegalArgumentException refused) {
                throw new ConfigException(key, values.get(key), refused.getMessage());
            }
        }
        return List.copyOf(listeners);
    }

    private static void checkAdvertised(List<Listener> listeners, List<Listener> advertised) {
        for (Listener listener : advertised) {
            if (listeners.stream().noneMatch(own -> own.protocol() == listener.protocol())) {
                throw new ConfigException(
                        ADVERTISED_LISTENERS, listener, "accepted are the protocols of the listeners: " + listeners);
            }
        }
        for (Listener listener : advertised.isEmpty() ? listeners : advertised) {
            if (listener.host().equals("0.0.0.0") || listener.host().equals("::")) {
                throw new ConfigException(
                        ADVERTISED_LISTENERS, listener, "no client can connect to it: accepted is a routable host");
            }
        }
    }

    private static void checkKeystore(List<Listener> listeners, Map<String, Object> values) {
        boolean ssl = listeners.stream().anyMatch(listener -> listener.protocol() == SecurityProtocol.SSL);
        if (ssl
                && values.get(SslConfigs.SSL_KEYSTORE_LOCATION_CONFIG) == null
                && values.get(SslConfigs.SSL_KEYSTORE_KEY_CONFIG) == null) {
            throw new ConfigException(
                    SslConfigs.SSL_KEYSTORE_LOCATION_CONFIG,
                    null,
                    "an SSL listener needs the path of a keystore; --generate-tls=DIR makes one");
        }
    }

    private static Map<String, Object> channelConfigs(Map<String, Object> values) {
        Map<String, Object> ssl = new HashMap<>();
        values.forEach((key, value) -> {
            if (key.startsWith("ssl.")) {
                ssl.put(key, value);
            }
        });
        return ssl;
    }

    /**
     * A line for each key, for {@code --help}.
     *
     * @return key, default and meaning
     */
    static List<String> help() {
        List<String> lines = new ArrayList<>();
        for (ConfigKey key : brokerKeys().configKeys().values()) {
            String fallback = key.hasDefault() ? String.valueOf(key.defaultValue) : "(required)";
            lines.add(String.format("  --%-32s %s Default: %s", key.name + "=", key.documentation, fallback));
        }
        return lines;
    }
}
