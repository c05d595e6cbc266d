package io.faultline.client.protocol;

import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.Queue;
import java.util.Set;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.CorruptRecordException;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.message.FetchResponseData.AbortedTransaction;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.common.record.internal.BaseRecords;
import org.apache.kafka.common.record.internal.ControlRecordType;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.Record;
import org.apache.kafka.common.record.internal.RecordBatch;
import org.apache.kafka.common.utils.Utils;
import org.apache.kafka.common.utils.internals.BufferSupplier;
import org.apache.kafka.common.utils.internals.CloseableIterator;

/**
 * The batches that a fetch brought of one partition, read record by record: decompressed only as far as they are read, without
 * control batches and, where only committed records are wanted, without those of aborted transactions.
 *
 * <p>Made on one thread and then read on another, by one thread at a time.
 */
public final class FetchedRecords {

    /**
     * One record.
     *
     * @param offset its offset
     * @param timestamp its time
     * @param timestampType what that means
     * @param key the key, or null
     * @param value the value, or null
     * @param headers its headers
     * @param leaderEpoch of its batch; empty if the batch has none
     */
    public record Fetched(
            long offset,
            long timestamp,
            TimestampType timestampType,
            byte[] key,
            byte[] value,
            Header[] headers,
            Optional<Integer> leaderEpoch) {}

    private final TopicPartition partition;
    private final long from;
    private final MemoryRecords records;
    private final boolean checkCrcs;
    private final Queue<AbortedTransaction> aborted;
    private final boolean committedOnly;
    private final Set<Long> abortedProducers = new HashSet<>();
    private final BufferSupplier buffers = BufferSupplier.create();
    private final long nextOffset;
    private final Optional<Integer> lastEpoch;
    private Iterator<? extends RecordBatch> batches;
    private RecordBatch batch;
    private Optional<Integer> batchEpoch;
    private CloseableIterator<Record> inBatch;

    /**
     * Looks at the batches' headers only.
     *
     * @param partition which
     * @param from the offset that was asked for: earlier records of the first batch are skipped
     * @param records from the response
     * @param aborted the aborted transactions in it, null or empty for none
     * @param committedOnly whether records of aborted transactions are left out
     * @param checkCrcs whether checksums are checked
     */
    public FetchedRecords(
            TopicPartition partition,
            long from,
            BaseRecords records,
            List<AbortedTransaction> aborted,
            boolean committedOnly,
            boolean checkCrcs) {
        this.partition = partition;
        this.from = from;
        this.records = records instanceof MemoryRecords fetched ? fetched : MemoryRecords.EMPTY;
        this.committedOnly = committedOnly;
        this.checkCrcs = checkCrcs;
        this.aborted = aborted == null
                ? new ArrayDeque<>()
                : new PriorityQueue<>(
                        Math.max(1, aborted.size()), Comparator.comparingLong(AbortedTransaction::firstOffset));
        if (aborted != null) {
            this.aborted.addAll(aborted);
        }
        long next = from;
        Optional<Integer> epoch = Optional.empty();
        for (RecordBatch header : this.records.batches()) {
            next = Math.max(next, header.nextOffset());
            epoch = epochOf(header);
        }
        this.nextOffset = next;
        this.lastEpoch = epoch;
    }

    private static Optional<Integer> epochOf(RecordBatch batch) {
        return batch.partitionLeaderEpoch() == RecordBatch.NO_PARTITION_LEADER_EPOCH
                ? Optional.empty()
                : Optional.of(batch.partitionLeaderEpoch());
    }

    /**
     * The size.
     *
     * @return bytes
     */
    public int sizeInBytes() {
        return records.sizeInBytes();
    }

    /**
     * Where the log goes on behind these batches.
     *
     * @return the next offset to fetch; the one that was asked for if there is no whole batch
     */
    public long nextOffset() {
        return nextOffset;
    }

    /**
     * The epoch of the leader that appended the last of the batches.
     *
     * @return the epoch; empty if it has none
     */
    public Optional<Integer> lastEpoch() {
        return lastEpoch;
    }

    /**
     * The next record.
     *
     * @return the record; null at the end
     * @throws KafkaException if it cannot be read; asking again gives the same again
     */
    public Fetched next() {
        while (true) {
            if (inBatch != null && inBatch.hasNext()) {
                Record record = read();
                if (record.offset() >= from) {
                    return new Fetched(
                            record.offset(),
                            record.timestamp(),
                            batch.timestampType(),
                            Utils.toNullableArray(record.key()),
                            Utils.toNullableArray(record.value()),
                            read(record.headers()),
                            batchEpoch);
                }
            } else if (!openNextBatch()) {
                return null;
            }
        }
    }

    /** Headers are views of the batch until they are looked at, and its bytes may be used for others soon. */
    private static Header[] read(Header[] headers) {
        for (Header header : headers) {
            header.key();
            header.value();
        }
        return headers;
    }

    private Record read() {
        try {
            return inBatch.next();
        } catch (RuntimeException damaged) {
            throw new KafkaException("a record of " + partition + " in " + batch + " cannot be read", damaged);
        }
    }

    private boolean openNextBatch() {
        close();
        if (batches == null) {
            batches = records.batches().iterator();
        }
        if (!batches.hasNext()) {
            return false;
        }
        batch = batches.next();
        batchEpoch = epochOf(batch);
        if (checkCrcs) {
            check(batch);
        }
        boolean isAborted = committedOnly && isAborted(batch);
        if (!batch.isControlBatch() && !isAborted) {
            inBatch = batch.streamingIterator(buffers);
        }
        return true;
    }

    private void check(RecordBatch unchecked) {
        try {
            unchecked.ensureValid();
        } catch (CorruptRecordException corrupt) {
            throw new KafkaException(
                    "the batch of " + partition + " at offset " + unchecked.baseOffset() + " is corrupt", corrupt);
        }
    }

    /** A transaction is aborted from its first offset on, until its abort marker. */
    private boolean isAborted(RecordBatch next) {
        while (!aborted.isEmpty() && aborted.peek().firstOffset() <= next.lastOffset()) {
            abortedProducers.add(aborted.poll().producerId());
        }
        if (next.isControlBatch() && endsInAbort(next)) {
            abortedProducers.remove(next.producerId());
        }
        return next.isTransactional() && abortedProducers.contains(next.producerId());
    }

    private static boolean endsInAbort(RecordBatch control) {
        Iterator<Record> markers = control.iterator();
        return markers.hasNext() && ControlRecordType.parse(markers.next().key()) == ControlRecordType.ABORT;
    }

    /** Gives back what decompression holds. What was read goes on being valid without the bytes of the batches. */
    public void close() {
        if (inBatch != null) {
            inBatch.close();
            inBatch = null;
        }
    }
}
