package io.faultline.broker.fuzz;

import java.nio.ByteBuffer;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.record.internal.CompressionType;
import org.apache.kafka.common.record.internal.DefaultRecordBatch;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.RecordBatch;
import org.apache.kafka.common.record.internal.Records;
import org.apache.kafka.common.record.internal.SimpleRecord;
import org.apache.kafka.common.utils.internals.Crc32C;

/** Record batches of every format and compression, valid or with bytes changed behind a checksum that fits again. */
final class FuzzedRecords {

    private static final CompressionType[] COMPRESSIONS = CompressionType.values();
    private static final int ATTRIBUTES = 21;
    private static final int LARGE_VALUE = 1 << 16;

    private FuzzedRecords() {}

    static ByteBuffer of(Decisions decisions, Vocabulary vocabulary, boolean mutate) {
        byte magic = decisions.oneIn(5) ? (byte) decisions.below(2) : RecordBatch.CURRENT_MAGIC_VALUE;
        ByteBuffer records = batch(decisions, vocabulary, magic).buffer().duplicate();
        if (!mutate) {
            return records;
        }
        for (int change = decisions.below(4); change >= 0; change--) {
            records.put(decisions.below(records.limit()), (byte) decisions.below(256));
        }
        if (magic == RecordBatch.CURRENT_MAGIC_VALUE && !decisions.oneIn(4)) {
            records.put(Records.MAGIC_OFFSET, magic);
            records.putInt(Records.SIZE_OFFSET, records.limit() - Records.LOG_OVERHEAD);
            records.putInt(DefaultRecordBatch.CRC_OFFSET, (int)
                    Crc32C.compute(records, ATTRIBUTES, records.limit() - ATTRIBUTES));
        }
        if (decisions.oneIn(4)) {
            records.limit(decisions.below(Math.min(records.limit(), 1 << 16)) + 1);
        }
        return records;
    }

    private static MemoryRecords batch(Decisions decisions, Vocabulary vocabulary, byte magic) {
        CompressionType type = decisions.of(COMPRESSIONS);
        boolean supported = magic == RecordBatch.CURRENT_MAGIC_VALUE
                || type != CompressionType.ZSTD && (magic > 0 || type != CompressionType.LZ4);
        Compression compression = supported ? Compression.of(type).build() : Compression.NONE;
        SimpleRecord[] records = new SimpleRecord[1 + decisions.below(3)];
        for (int index = 0; index < records.length; index++) {
            byte[] value = new byte[decisions.oneIn(8) ? decisions.below(LARGE_VALUE) : decisions.below(40)];
            records[index] = new SimpleRecord(
                    decisions.of(0, 1_000, System.currentTimeMillis()), decisions.oneIn(2) ? null : value, value);
        }
        if (magic == RecordBatch.CURRENT_MAGIC_VALUE && decisions.oneIn(3)) {
            return MemoryRecords.withIdempotentRecords(
                    compression, Math.max(0, vocabulary.producerId()), (short) 0, decisions.below(4), records);
        }
        return MemoryRecords.withRecords(magic, compression, records);
    }
}
