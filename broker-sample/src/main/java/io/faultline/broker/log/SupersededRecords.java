package io.faultline.broker.log;

import org.apache.kafka.common.record.internal.MemoryRecords.RecordFilter;
import org.apache.kafka.common.record.internal.Record;
import org.apache.kafka.common.record.internal.RecordBatch;

/** Which records of a log compaction removes. */
final class SupersededRecords extends RecordFilter {

    private final ClosedSegments closed;
    private final LatestOffsets latest;

    SupersededRecords(ClosedSegments closed, LatestOffsets latest, CleanupConfig cleanup, long nowMs) {
        super(nowMs, cleanup.deleteRetentionMs());
        this.closed = closed;
        this.latest = latest;
    }

    /** The header of a batch that a producer may send again stays: the producer is told from it, also after a restart. */
    @Override
    protected BatchRetentionResult checkBatchRetention(RecordBatch batch) {
        BatchRetention retention =
                closed.mayBeSentAgain(batch) ? BatchRetention.RETAIN_EMPTY : BatchRetention.DELETE_EMPTY;
        return new BatchRetentionResult(retention, false);
    }

    @Override
    protected boolean shouldRetainRecord(RecordBatch batch, Record record) {
        // Records without a key were accepted before the topic was compacted.
        if (!record.hasKey() || latest.hasNewer(record.key(), record.offset())) {
            return false;
        }
        boolean keptAsDeletion = batch.deleteHorizonMs().isEmpty()
                || currentTime < batch.deleteHorizonMs().getAsLong();
        return record.hasValue() || keptAsDeletion;
    }
}
