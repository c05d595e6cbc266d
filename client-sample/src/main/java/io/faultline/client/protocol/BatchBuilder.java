package io.faultline.client.protocol;

import java.nio.ByteBuffer;
import java.util.Map;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.compress.GzipCompression;
import org.apache.kafka.common.compress.Lz4Compression;
import org.apache.kafka.common.compress.ZstdCompression;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.common.record.internal.AbstractRecords;
import org.apache.kafka.common.record.internal.CompressionType;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.MemoryRecordsBuilder;
import org.apache.kafka.common.record.internal.RecordBatch;

/** Puts records together to one record batch. Not safe for use by several threads. */
public final class BatchBuilder {

    private final MemoryRecordsBuilder builder;

    /**
     * Begins a batch.
     *
     * @param buffer empty; as large as it may become, but for a first record that is larger. It is the builder's until the batch is done with
     * @param compression how records are compressed
     */
    public BatchBuilder(ByteBuffer buffer, Compression compression) {
        builder = MemoryRecords.builder(buffer, compression, TimestampType.CREATE_TIME, 0);
    }

    /**
     * Reads {@code compression.type} and the level that goes with it.
     *
     * @param values the values of a producer's configuration
     * @return the compression
     */
    public static Compression compression(Map<String, ?> values) {
        CompressionType type = CompressionType.forName((String) values.get(ProducerConfig.COMPRESSION_TYPE_CONFIG));
        return switch (type) {
            case GZIP ->
                new GzipCompression.Builder()
                        .level((Integer) values.get(ProducerConfig.COMPRESSION_GZIP_LEVEL_CONFIG))
                        .build();
            case LZ4 ->
                new Lz4Compression.Builder()
                        .level((Integer) values.get(ProducerConfig.COMPRESSION_LZ4_LEVEL_CONFIG))
                        .build();
            case ZSTD ->
                new ZstdCompression.Builder()
                        .level((Integer) values.get(ProducerConfig.COMPRESSION_ZSTD_LEVEL_CONFIG))
                        .build();
            default -> Compression.of(type).build();
        };
    }

    /**
     * How large a batch of one record may be.
     *
     * @param compression how it would be compressed
     * @param key the key, or null
     * @param value the value, or null
     * @param headers its headers
     * @return an upper bound, in bytes
     */
    public static int upperBound(Compression compression, byte[] key, byte[] value, Header[] headers) {
        return AbstractRecords.estimateSizeInBytesUpperBound(
                RecordBatch.CURRENT_MAGIC_VALUE, compression.type(), key, value, headers);
    }

    /**
     * Says whether one more record fits.
     *
     * @param timestamp its time
     * @param key the key, or null
     * @param value the value, or null
     * @param headers its headers
     * @return true for the first one, however large
     */
    public boolean hasRoomFor(long timestamp, byte[] key, byte[] value, Header[] headers) {
        return builder.hasRoomFor(timestamp, key, value, headers);
    }

    /**
     * Adds a record.
     *
     * @param timestamp its time, in milliseconds since 1970
     * @param key the key, or null
     * @param value the value, or null
     * @param headers its headers
     */
    public void append(long timestamp, byte[] key, byte[] value, Header[] headers) {
        builder.append(timestamp, key, value, headers);
    }

    /**
     * Says whether it has reached its size.
     *
     * @return true if nothing more should be added
     */
    public boolean isFull() {
        return builder.isFull();
    }

    /**
     * How large it is by now, as far as can be told before it is compressed.
     *
     * @return bytes
     */
    public int estimatedSize() {
        return builder.estimatedSizeInBytes();
    }

    /**
     * Ends the batch.
     *
     * @return the record batch, without a producer id
     */
    public ByteBuffer build() {
        return builder.build().buffer();
    }
}
