package io.faultline.broker.api;

import org.apache.kafka.common.InvalidRecordException;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.ApiException;
import org.apache.kafka.common.errors.CorruptRecordException;
import org.apache.kafka.common.errors.InvalidTimestampException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.TransactionalIdAuthorizationException;
import org.apache.kafka.common.errors.UnsupportedCompressionTypeException;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.common.record.internal.BaseRecords;
import org.apache.kafka.common.record.internal.CompressionType;
import org.apache.kafka.common.record.internal.DefaultRecordBatch;
import org.apache.kafka.common.record.internal.MemoryRecords;
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

    /**
     * Returns valid batches in the current format.
     *
     * @param produced what came in a request, or null
     * @param version the version of the Produce API it came in
     * @param maxMessageBytes the largest batch that is accepted, in bytes
     * @throws ApiException if the client must be refused
     */
    MemoryRecords check(BaseRecords produced, short version, int maxMessageBytes) {
        if (!(produced instanceof MemoryRecords records) || records.sizeInBytes() == 0) {
            throw new InvalidRecordException("there is no record batch");
        }
        try {
            if (version < FIRST_WITH_CURRENT_FORMAT) {
                records = OldRecords.toCurrentFormat(records, maxMessageBytes);
            }
            checkBatches(records, version, maxMessageBytes);
            return records;
        } catch (ApiException refused) {
            throw refused;
        } catch (KafkaException | IllegalArgumentException | IllegalStateException unreadable) {
            // Such as a compressed batch, with a valid checksum, that does not decompress.
            throw new InvalidRecordException("the batch cannot be read: " + unreadable, unreadable);
        }
    }

    private void checkBatches(MemoryRecords records, short version, int maxMessageBytes) {
        int bytes = 0;
        int count = 0;
        for (MutableRecordBatch batch : records.batches()) {
            checkBatch(batch, version, maxMessageBytes);
            if (batch.compressionType() == CompressionType.SNAPPY) {
                SnappyClaims.check(records.buffer()
                        .slice(
                                bytes + DefaultRecordBatch.RECORD_BATCH_OVERHEAD,
                                batch.sizeInBytes() - DefaultRecordBatch.RECORD_BATCH_OVERHEAD));
            }
            batch.setMaxTimestamp(TimestampType.CREATE_TIME, checkRecords(batch));
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

    private void checkBatch(MutableRecordBatch batch, short version, int maxMessageBytes) {
        if (batch.sizeInBytes() > maxMessageBytes) {
            throw new RecordTooLargeException("the batch of " + batch.sizeInBytes() + " bytes is larger than "
                    + maxMessageBytes + " (message.max.bytes)");
        }
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
    private static long checkRecords(MutableRecordBatch batch) {
        long expected = 0;
        long largest = RecordBatch.NO_TIMESTAMP;
        long bytes = 0;
        try (CloseableIterator<Record> records = batch.skipKeyValueIterator(BufferSupplier.NO_CACHING)) {
            while (records.hasNext()) {
                Record record = records.next();
                if (record.offset() - batch.baseOffset() != expected) {
                    throw new InvalidRecordException("record " + expected + " of the batch has offset "
                            + (record.offset() - batch.baseOffset()));
                }
                largest = Math.max(largest, record.timestamp());
                bytes += record.sizeInBytes();
                if (bytes > MOST_DECOMPRESSED_BYTES) {
                    throw new RecordTooLargeException(
                            "the batch has more than " + MOST_DECOMPRESSED_BYTES + " bytes, decompressed");
                }
                expected++;
            }
        }
        if (batch.baseOffset() != 0 || expected == 0 || batch.lastOffset() != expected - 1) {
            throw new InvalidRecordException("the batch spans offsets " + batch.baseOffset() + " to "
                    + batch.lastOffset() + " and has " + expected + " records");
        }
        return largest;
    }
}
