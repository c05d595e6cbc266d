package io.faultline.broker.api;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import org.apache.kafka.common.InvalidRecordException;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.common.record.internal.AbstractLegacyRecordBatch;
import org.apache.kafka.common.record.internal.CompressionType;
import org.apache.kafka.common.record.internal.DefaultRecordBatch;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.MemoryRecordsBuilder;
import org.apache.kafka.common.record.internal.Record;
import org.apache.kafka.common.record.internal.RecordBatch;
import org.apache.kafka.common.utils.internals.BufferSupplier;

/**
 * Converts records of the formats before the current one. A compressed batch of them is decompressed as a whole, up to a
 * limit, and read from memory: the iterators of kafka-clients would allocate what the messages inside claim.
 */
final class OldRecords {

    /** How much larger than the largest batch the records of one may be, decompressed. */
    static final int LARGEST_EXPANSION = 16;

    private OldRecords() {}

    /**
     * Returns the records in a batch of the current format.
     *
     * @param old batches of any format
     * @param maxMessageBytes the largest batch that is accepted, in bytes
     * @throws RecordTooLargeException if a batch is larger, or expands too much
     */
    static MemoryRecords toCurrentFormat(MemoryRecords old, int maxMessageBytes) {
        Compression compression = Compression.NONE;
        for (RecordBatch batch : old.batches()) {
            if (batch.sizeInBytes() > maxMessageBytes) {
                throw new RecordTooLargeException("the batch of " + batch.sizeInBytes() + " bytes is larger than "
                        + maxMessageBytes + " (message.max.bytes)");
            }
            batch.ensureValid();
            compression = Compression.of(batch.compressionType()).build();
        }
        try (MemoryRecordsBuilder builder = MemoryRecords.builder(
                ByteBuffer.allocate(old.sizeInBytes() + DefaultRecordBatch.RECORD_BATCH_OVERHEAD),
                compression,
                TimestampType.CREATE_TIME,
                0)) {
            for (RecordBatch batch : old.batches()) {
                long limit = (long) LARGEST_EXPANSION * maxMessageBytes;
                for (Record record : uncompressed(batch, (int) Math.min(Integer.MAX_VALUE - 1, limit))) {
                    builder.append(record.timestamp(), record.key(), record.value(), record.headers());
                }
            }
            if (builder.numRecords() == 0) {
                throw new InvalidRecordException("there is no whole record batch");
            }
            return builder.build();
        }
    }

    private static Iterable<Record> uncompressed(RecordBatch batch, int limit) {
        if (!batch.isCompressed()) {
            return batch;
        }
        if (!(batch instanceof AbstractLegacyRecordBatch old)
                || old.outerRecord().value() == null) {
            throw new InvalidRecordException(
                    "the batch has format " + batch.magic() + " or no value, and is compressed");
        }
        MemoryRecords inside = MemoryRecords.readableRecords(
                decompress(batch, old.outerRecord().value(), limit));
        for (RecordBatch message : inside.batches()) {
            if (message.isCompressed() || message.magic() != batch.magic()) {
                throw new InvalidRecordException("there is a message of another kind inside a compressed one");
            }
            message.ensureValid();
        }
        return inside.records();
    }

    private static ByteBuffer decompress(RecordBatch batch, ByteBuffer compressed, int limit) {
        if (batch.compressionType() == CompressionType.SNAPPY) {
            SnappyClaims.check(compressed);
        }
        try (InputStream in = Compression.of(batch.compressionType())
                .build()
                .wrapForInput(compressed, batch.magic(), BufferSupplier.NO_CACHING)) {
            byte[] bytes = in.readNBytes(limit + 1);
            if (bytes.length > limit) {
                throw new RecordTooLargeException("the batch has more than " + limit + " bytes, decompressed");
            }
            return ByteBuffer.wrap(bytes);
        } catch (IOException unreadable) {
            throw new InvalidRecordException("the batch cannot be decompressed: " + unreadable, unreadable);
        }
    }
}
