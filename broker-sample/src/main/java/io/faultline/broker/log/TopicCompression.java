package io.faultline.broker.log;

import java.util.Arrays;
import java.util.Locale;
import org.apache.kafka.common.record.internal.CompressionType;

/** How the batches of a topic are compressed in its logs. */
public enum TopicCompression {
    /** As the producer compressed them. */
    PRODUCER(null),
    /** Not at all. */
    UNCOMPRESSED(CompressionType.NONE),
    /** With gzip. */
    GZIP(CompressionType.GZIP),
    /** With Snappy. */
    SNAPPY(CompressionType.SNAPPY),
    /** With LZ4. */
    LZ4(CompressionType.LZ4),
    /** With Zstandard. */
    ZSTD(CompressionType.ZSTD);

    private final CompressionType type;

    TopicCompression(CompressionType type) {
        this.type = type;
    }

    /**
     * A way to compress by its name.
     *
     * @param key a value of Kafka's {@code compression.type}
     * @return the way
     * @throws IllegalArgumentException if there is none of that name
     */
    public static TopicCompression of(String key) {
        return valueOf(key.toUpperCase(Locale.ROOT));
    }

    /**
     * All names.
     *
     * @return the values of Kafka's {@code compression.type}
     */
    public static String[] keys() {
        return Arrays.stream(values()).map(TopicCompression::key).toArray(String[]::new);
    }

    /**
     * The name.
     *
     * @return a value of Kafka's {@code compression.type}
     */
    public String key() {
        return name().toLowerCase(Locale.ROOT);
    }

    /**
     * Says how a batch is kept.
     *
     * @param produced how the producer compressed it
     * @return how it is compressed in the log
     */
    public CompressionType applyTo(CompressionType produced) {
        return type == null ? produced : type;
    }
}
