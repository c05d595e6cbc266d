package io.faultline.broker.api;

import io.faultline.broker.log.LogConfig;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.InvalidRecordException;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.errors.ApiException;
import org.apache.kafka.common.errors.CorruptRecordException;
import org.apache.kafka.common.errors.InvalidTimestampException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.TransactionalIdAuthorizationException;
import org.apache.kafka.common.errors.UnsupportedCompressionTypeException;
import org.apache.kafka.common.message.ProduceResponseData.BatchIndexAndErrorMessage;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.common.record.internal.BaseRecords;
import org.apache.kafka.common.record.internal.CompressionType;
import org.apache.kafka.common.record.internal.DefaultRecordBatch;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.MemoryRecordsBuilder;
import org.apache.kafka.common.record.internal.MutableRecordBatch;
import org.apache.kafka.common.record.internal.Record;
import org.apache.kafka.common.record.internal.RecordBatch;
import org.apache.kafka.common.utils.internals.BufferSupplier;
import org.apache.kafka.common.utils.internals.CloseableIterator;

/**
 * Checks the records of a produce request before they are appended: what is wrong in them would be wrong for every consumer.
 * Batches in an older format, which only old clients send, are converted to the current one.
 */
final class ProducedRecords {

    private static final short FIRST_WITH_CURRENT_FORMAT = 3;
    private static final short FIRST_WITH_ZSTD = 7;

    /** No consumer could hold more; to go through it takes a second. */
    private static final long MOST_DECOMPRESSED_BYTES = 1L << 30;

    /** Names of records in one answer: a small batch may have millions. */
    private static final int MOST_REJECTED = 1_000;

    /**
     * Returns valid batches in the current format.
     *
     * @param produced what came in a request, or null
     * @param version the version of the Produce API it came in
     * @param config how the log is kept that they are for
     * @throws ApiException if the client must be refused
     */
    MemoryRecords check(BaseRecords produced, short version, LogConfig config) {
        if (!(produced instanceof MemoryRecords records) || records.sizeInBytes() == 0) {
            throw new InvalidRecordException("there is no record batch");
        }
        try {
            if (version < FIRST_WITH_CURRENT_FORMAT) {
                records = OldRecords.toCurrentFormat(records, config.maxMessageBytes());
            }
            checkBatches(records, version, config);
            return compressed(records, config);
        } catch (ApiException refused) {
            throw refused;
        } catch (KafkaException | IllegalArgumentException | IllegalStateException unreadable) {
            // Such as a compressed batch, with a valid checksum, that does not decompress.
            throw new InvalidRecordException("the batch cannot be read: " + unreadable, unreadable);
        }
    }

    private void checkBatches(MemoryRecords records, short version, LogConfig config) {
        int bytes = 0;
        int count = 0;
        for (MutableRecordBatch batch : records.batches()) {
            checkBatch(batch, version, config);
            if (batch.compressionType() == CompressionType.SNAPPY) {
                SnappyClaims.check(records.buffer()
                        .slice(
                                bytes + DefaultRecordBatch.RECORD_BATCH_OVERHEAD,
                                batch.sizeInBytes() - DefaultRecordBatch.RECORD_BATCH_OVERHEAD));
            }
            long newest = checkRecords(batch, config);
            boolean ours = config.timestampType() == TimestampType.LOG_APPEND_TIME;
            batch.setMaxTimestamp(config.timestampType(), ours ? System.currentTimeMillis() : newest);
            bytes += batch.sizeInBytes();
            count++;
        }
        if (bytes != records.sizeInBytes()) {
            throw new CorruptRecordException("there is a partial batch behind byte " + bytes);
        }
        if (count != 1 && version >= FIRST_WITH_CURRENT_FORMAT) {
            throw new InvalidRecordException("there are " + count + " batches; accepted is one");
        }
    }

    private void checkBatch(MutableRecordBatch batch, short version, LogConfig config) {
        checkSize(batch.sizeInBytes(), config);
        if (batch.magic() != RecordBatch.CURRENT_MAGIC_VALUE) {
            throw new InvalidRecordException(
                    "the batch has format " + batch.magic() + "; accepted is " + RecordBatch.CURRENT_MAGIC_VALUE);
        }
        batch.ensureValid();
        if (batch.isTransactional()) {
            throw new TransactionalIdAuthorizationException(Transactions.REFUSAL);
        }
        if (batch.isControlBatch()) {
            throw new InvalidRecordException("the batch is a control batch, which no client writes");
        }
        if (batch.hasProducerId() && (batch.producerEpoch() < 0 || batch.baseSequence() < 0)) {
            throw new InvalidRecordException("producer " + batch.producerId() + " has epoch " + batch.producerEpoch()
                    + " and sequence " + batch.baseSequence());
        }
        if (batch.timestampType() == TimestampType.LOG_APPEND_TIME) {
            throw new InvalidTimestampException("the batch claims log append time");
        }
        if (batch.compressionType() == CompressionType.ZSTD && version < FIRST_WITH_ZSTD) {
            throw new UnsupportedCompressionTypeException("zstd needs version 7 of the Produce API");
        }
    }

    /** Reads every record, as Kafka does; returns the largest timestamp. */
    private static long checkRecords(MutableRecordBatch batch, LogConfig config) {
        boolean keysNeeded = config.cleanup().compact();
        long mostBytes = mostDecompressedBytes(batch, config);
        List<BatchIndexAndErrorMessage> rejected = new ArrayList<>();
        int expected = 0;
        long largest = RecordBatch.NO_TIMESTAMP;
        long bytes = 0;
        try (CloseableIterator<Record> records = batch.skipKeyValueIterator(BufferSupplier.NO_CACHING)) {
            while (records.hasNext()) {
                Record record = records.next();
                if (record.offset() - batch.baseOffset() != expected) {
                    throw new InvalidRecordException("record " + expected + " of the batch has offset "
                            + (record.offset() - batch.baseOffset()));
                }
                if (keysNeeded && !record.hasKey()) {
                    rejected.add(new BatchIndexAndErrorMessage()
                            .setBatchIndex(expected)
                            .setBatchIndexErrorMessage("a compacted topic takes no record without a key"));
                    if (rejected.size() == MOST_REJECTED) {
                        throw new RejectedRecordsException(rejected);
                    }
                }
                largest = Math.max(largest, record.timestamp());
                bytes += record.sizeInBytes();
                if (bytes > mostBytes) {
                    throw new RecordTooLargeException("the batch has more than " + mostBytes + " bytes, decompressed");
                }
                expected++;
            }
        }
        if (batch.baseOffset() != 0 || expected == 0 || batch.lastOffset() != expected - 1) {
            throw new InvalidRecordException("the batch spans offsets " + batch.baseOffset() + " to "
                    + batch.lastOffset() + " and has " + expected + " records");
        }
        if (!rejected.isEmpty()) {
            throw new RejectedRecordsException(rejected);
        }
        return largest;
    }

    /** A batch that is only gone through may be much larger than one that is held, here or when the log is compacted. */
    private static long mostDecompressedBytes(RecordBatch batch, LogConfig config) {
        boolean writtenAnew = config.compression().applyTo(batch.compressionType()) != batch.compressionType();
        return writtenAnew || config.cleanup().compact()
                ? (long) OldRecords.LARGEST_EXPANSION * config.maxMessageBytes()
                : MOST_DECOMPRESSED_BYTES;
    }

    /** Compresses a valid batch as its log has it, which takes writing it anew if its producer did otherwise. */
    private static MemoryRecords compressed(MemoryRecords records, LogConfig config) {
        RecordBatch batch = records.batches().iterator().next();
        CompressionType wanted = config.compression().applyTo(batch.compressionType());
        if (wanted == batch.compressionType()) {
            return records;
        }
        MemoryRecords anew;
        try (MemoryRecordsBuilder builder = MemoryRecords.builder(
                ByteBuffer.allocate(records.sizeInBytes()),
                RecordBatch.CURRENT_MAGIC_VALUE,
                Compression.of(wanted).build(),
                batch.timestampType(),
                0,
                batch.timestampType() == TimestampType.LOG_APPEND_TIME
                        ? batch.maxTimestamp()
                        : RecordBatch.NO_TIMESTAMP,
                batch.producerId(),
                batch.producerEpoch(),
                batch.baseSequence())) {
            for (Record record : batch) {
                builder.append(record.timestamp(), record.key(), record.value(), record.headers());
            }
            anew = builder.build();
        }
        checkSize(anew.sizeInBytes(), config);
        return anew;
    }

    private static void checkSize(int bytes, LogConfig config) {
        if (bytes > config.maxMessageBytes()) {
            throw new RecordTooLargeException("the batch of " + bytes + " bytes is larger than "
                    + config.maxMessageBytes() + " (message.max.bytes)");
        }
    }
}
