package io.faultline.client;

import io.faultline.client.produce.ProduceConfig;
import io.faultline.client.protocol.BatchBuilder;
import io.faultline.client.spool.SpoolConfig;
import io.faultline.client.spool.SpoolSync;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.config.AbstractConfig;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigDef.Importance;
import org.apache.kafka.common.config.ConfigDef.Type;
import org.apache.kafka.common.config.ConfigException;

/** The configuration keys of a producer. */
final class ProducerKeys {

    static final String SPOOL_DIR = "spool.dir";
    static final String SPOOL_MAX_BYTES = "spool.max.bytes";
    static final String SPOOL_SYNC = "spool.sync";
    static final String SPOOL_RETENTION_MS = "spool.retention.ms";
    static final String SPOOL_TIMEOUT_MS = "spool.timeout.ms";

    private static final long SMALLEST_SPOOL = 1 << 20;
    private static final String ALL = "all";
    private static final int MOST_RECOGNISED = 5;

    /** Kafka's own definitions of the keys that this producer has. */
    static final ConfigDef KEYS = ClientKeys.taken(
                    ProducerConfig.configDef(),
                    List.of(
                            ProducerConfig.ACKS_CONFIG,
                            ProducerConfig.BATCH_SIZE_CONFIG,
                            ProducerConfig.BUFFER_MEMORY_CONFIG,
                            ProducerConfig.COMPRESSION_GZIP_LEVEL_CONFIG,
                            ProducerConfig.COMPRESSION_LZ4_LEVEL_CONFIG,
                            ProducerConfig.COMPRESSION_TYPE_CONFIG,
                            ProducerConfig.COMPRESSION_ZSTD_LEVEL_CONFIG,
                            ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG,
                            ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG,
                            ProducerConfig.KEY_SERIALIZER_CLASS_CONFIG,
                            ProducerConfig.LINGER_MS_CONFIG,
                            ProducerConfig.MAX_BLOCK_MS_CONFIG,
                            ProducerConfig.MAX_IN_FLIGHT_REQUESTS_PER_CONNECTION,
                            ProducerConfig.MAX_REQUEST_SIZE_CONFIG,
                            ProducerConfig.METADATA_MAX_IDLE_CONFIG,
                            ProducerConfig.PARTITIONER_IGNORE_KEYS_CONFIG,
                            ProducerConfig.RETRIES_CONFIG,
                            ProducerConfig.VALUE_SERIALIZER_CLASS_CONFIG))
            .define(
                    SPOOL_DIR,
                    Type.STRING,
                    null,
                    Importance.LOW,
                    "A directory of its own where records go that cannot wait in memory. Without it there is no spool.")
            .define(
                    SPOOL_MAX_BYTES,
                    Type.LONG,
                    1L << 30,
                    ConfigDef.Range.atLeast(SMALLEST_SPOOL),
                    Importance.LOW,
                    "How many bytes the batches in the spool may have. When it is full, send blocks.")
            .define(
                    SPOOL_SYNC,
                    Type.STRING,
                    "none",
                    ConfigDef.ValidString.in("none", "always"),
                    Importance.LOW,
                    "When the spool is forced to the disk: none survives the end of the process, always a power cut, too.")
            .define(
                    SPOOL_RETENTION_MS,
                    Type.LONG,
                    -1L,
                    ConfigDef.Range.atLeast(-1),
                    Importance.LOW,
                    "How long an accepted record is tried to be delivered; -1 for ever.")
            .define(
                    SPOOL_TIMEOUT_MS,
                    Type.INT,
                    10_000,
                    ConfigDef.Range.atLeast(1),
                    Importance.LOW,
                    "How long the disk of the spool may take for one operation before no more is asked of it.");

    private ProducerKeys() {}

    /**
     * Reads how records are sent.
     *
     * @param values the whole configuration
     * @param given the keys that are no defaults
     * @return the part of it
     * @throws ConfigException if values do not go together; the message names key, value and what is accepted
     */
    static ProduceConfig produce(AbstractConfig values, Map<String, ?> given) {
        short acks = acks(values.getString(ProducerConfig.ACKS_CONFIG));
        Duration linger = ClientConfig.millis(values, ProducerConfig.LINGER_MS_CONFIG);
        Duration request = ClientConfig.millis(values, ProducerConfig.REQUEST_TIMEOUT_MS_CONFIG);
        return new ProduceConfig(
                acks,
                idempotent(values, given, acks),
                values.getInt(ProducerConfig.BATCH_SIZE_CONFIG),
                linger,
                values.getLong(ProducerConfig.BUFFER_MEMORY_CONFIG),
                values.getInt(ProducerConfig.MAX_REQUEST_SIZE_CONFIG),
                values.getInt(ProducerConfig.MAX_IN_FLIGHT_REQUESTS_PER_CONNECTION),
                values.getInt(ProducerConfig.RETRIES_CONFIG),
                deliveryTimeout(values, given, linger.plus(request)),
                request,
                ClientConfig.millis(values, ProducerConfig.RETRY_BACKOFF_MS_CONFIG),
                ClientConfig.millis(values, ProducerConfig.RETRY_BACKOFF_MAX_MS_CONFIG),
                BatchBuilder.compression(values.values()),
                values.getBoolean(ProducerConfig.PARTITIONER_IGNORE_KEYS_CONFIG));
    }

    /**
     * Reads how the spool is kept.
     *
     * @param values the whole configuration
     * @param idempotent whether the producer is
     * @return the part of it, empty if there is none
     * @throws ConfigException if there is a spool, and the producer is not idempotent
     */
    static Optional<SpoolConfig> spool(AbstractConfig values, boolean idempotent) {
        String directory = values.getString(SPOOL_DIR);
        if (directory == null) {
            return Optional.empty();
        }
        if (!idempotent) {
            throw new ConfigException(SPOOL_DIR, directory, "accepted with enable.idempotence=true only");
        }
        long retention = values.getLong(SPOOL_RETENTION_MS);
        return Optional.of(new SpoolConfig(
                Path.of(directory).toAbsolutePath(),
                values.getLong(SPOOL_MAX_BYTES),
                SpoolSync.of(values.getString(SPOOL_SYNC)),
                Duration.ofMillis(retention < 0 ? Long.MAX_VALUE : retention),
                ClientConfig.millis(values, SPOOL_TIMEOUT_MS)));
    }

    private static short acks(String text) {
        return text.equalsIgnoreCase(ALL)
                ? -1
                : Short.parseShort(text.toLowerCase(Locale.ROOT)); // Kafka's key has checked it
    }

    /** On unless something that was asked for makes it impossible; asked for with such a thing, an error. */
    private static boolean idempotent(AbstractConfig values, Map<String, ?> given, short acks) {
        boolean wanted = values.getBoolean(ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG);
        String against = null;
        if (acks != -1) {
            against = ProducerConfig.ACKS_CONFIG;
        } else if (values.getInt(ProducerConfig.RETRIES_CONFIG) == 0) {
            against = ProducerConfig.RETRIES_CONFIG;
        } else if (values.getInt(ProducerConfig.MAX_IN_FLIGHT_REQUESTS_PER_CONNECTION) > MOST_RECOGNISED) {
            against = ProducerConfig.MAX_IN_FLIGHT_REQUESTS_PER_CONNECTION;
        }
        if (against == null || !wanted) {
            return wanted;
        }
        if (given.containsKey(ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG)) {
            throw new ConfigException(
                    against,
                    values.values().get(against),
                    "with enable.idempotence=true accepted are acks=all, retries of 1 or more and at most 5 requests in flight");
        }
        return false;
    }

    private static Duration deliveryTimeout(AbstractConfig values, Map<String, ?> given, Duration least) {
        Duration timeout = ClientConfig.millis(values, ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG);
        if (timeout.compareTo(least) >= 0) {
            return timeout;
        }
        if (given.containsKey(ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG)) {
            throw new ConfigException(
                    ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG,
                    timeout.toMillis(),
                    "accepted is linger.ms + request.timeout.ms or more: " + least.toMillis());
        }
        return least;
    }
}
