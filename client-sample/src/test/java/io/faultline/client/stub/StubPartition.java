package io.faultline.client.stub;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.message.DescribeProducersResponseData.ProducerState;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.record.internal.DefaultRecordBatch;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.MutableRecordBatch;
import org.apache.kafka.common.record.internal.Record;
import org.apache.kafka.common.record.internal.RecordBatch;

/** A partition: who leads it, and its log, with what a broker knows of idempotent producers. */
public final class StubPartition {

    private static final int REMEMBERED_BATCHES = 5;

    /** The outcome of an append: an offset or an error. */
    record Appended(Errors error, long baseOffset) {}

    private record Known(int baseSequence, long baseOffset) {}

    private record Producer(short epoch, int nextSequence, Deque<Known> batches) {}

    private final List<ByteBuffer> batches = new ArrayList<>();
    private final List<Long> lastOffsets = new ArrayList<>();
    private final Map<Long, Producer> producers = new HashMap<>();
    private final List<String> values = new ArrayList<>();
    private int leader;
    private int leaderEpoch;
    private long start;
    private long end;

    StubPartition(int leader) {
        this.leader = leader;
    }

    /** Who leads it, -1 for nobody. */
    synchronized int leader() {
        return leader;
    }

    synchronized int leaderEpoch() {
        return leaderEpoch;
    }

    synchronized void lead(int node) {
        leader = node;
        leaderEpoch++;
    }

    /**
     * The values in its log, as text.
     *
     * @return a copy, in the order of the log
     */
    public synchronized List<String> values() {
        return List.copyOf(values);
    }

    /**
     * How many records it has.
     *
     * @return the offset of the next record
     */
    public synchronized long end() {
        return end;
    }

    /** Forgets what it knows of producers, as after {@code producer.id.expiration.ms}. */
    public synchronized void forgetProducers() {
        producers.clear();
    }

    /**
     * Deletes whole batches, as retention does.
     *
     * @param offset where the log begins then
     */
    public synchronized void deleteBefore(long offset) {
        while (!lastOffsets.isEmpty() && lastOffsets.get(0) < offset) {
            lastOffsets.remove(0);
            batches.remove(0);
        }
        start = offset;
    }

    /**
     * Loses whole batches and what it knows of producers, as an unclean election does.
     *
     * @param offset where the log ends then
     */
    public synchronized void truncateTo(long offset) {
        while (!lastOffsets.isEmpty() && lastOffsets.get(lastOffsets.size() - 1) >= offset) {
            lastOffsets.remove(lastOffsets.size() - 1);
            batches.remove(batches.size() - 1);
        }
        values.subList((int) offset, values.size()).clear();
        end = offset;
        producers.clear();
    }

    /** Where its log begins. */
    synchronized long start() {
        return start;
    }

    /** The producers that it knows, as DescribeProducers tells of them. */
    synchronized List<ProducerState> describeProducers() {
        List<ProducerState> states = new ArrayList<>();
        producers.forEach((id, producer) -> states.add(new ProducerState()
                .setProducerId(id)
                .setProducerEpoch(producer.epoch())
                .setLastSequence(producer.nextSequence() - 1)));
        return states;
    }

    synchronized Appended append(MemoryRecords records) {
        for (MutableRecordBatch batch : records.batches()) {
            if (!batch.isValid()) {
                return new Appended(Errors.CORRUPT_MESSAGE, -1);
            }
        }
        MutableRecordBatch batch = records.batches().iterator().next();
        if (batch.hasProducerId()) {
            Appended known = check(batch);
            if (known != null) {
                return known;
            }
        }
        long baseOffset = end;
        batch.forEach(record -> values.add(text(record)));
        end += values.size() - baseOffset;
        store(batch, baseOffset);
        return new Appended(Errors.NONE, baseOffset);
    }

    private Appended check(RecordBatch batch) {
        Producer producer = producers.get(batch.producerId());
        if (producer != null && batch.producerEpoch() < producer.epoch()) {
            return new Appended(Errors.INVALID_PRODUCER_EPOCH, -1);
        }
        if (producer == null || batch.producerEpoch() > producer.epoch()) {
            if (producer != null && batch.baseSequence() != 0) {
                return new Appended(Errors.OUT_OF_ORDER_SEQUENCE_NUMBER, -1);
            }
            producer = new Producer(batch.producerEpoch(), batch.baseSequence(), new ArrayDeque<>());
        }
        for (Known known : producer.batches()) {
            if (known.baseSequence() == batch.baseSequence()) {
                return new Appended(Errors.NONE, known.baseOffset());
            }
        }
        if (batch.baseSequence() != producer.nextSequence()) {
            return new Appended(Errors.OUT_OF_ORDER_SEQUENCE_NUMBER, -1);
        }
        Deque<Known> known = producer.batches();
        known.addLast(new Known(batch.baseSequence(), end));
        if (known.size() > REMEMBERED_BATCHES) {
            known.removeFirst();
        }
        int next = DefaultRecordBatch.incrementSequence(batch.lastSequence(), 1);
        producers.put(batch.producerId(), new Producer(batch.producerEpoch(), next, known));
        return null;
    }

    private void store(MutableRecordBatch batch, long baseOffset) {
        ByteBuffer copy = ByteBuffer.allocate(batch.sizeInBytes());
        batch.writeTo(copy);
        copy.flip();
        MutableRecordBatch stored =
                MemoryRecords.readableRecords(copy).batches().iterator().next();
        stored.setLastOffset(end - 1);
        stored.setPartitionLeaderEpoch(leaderEpoch);
        batches.add(copy);
        lastOffsets.add(end - 1);
        assert stored.baseOffset() == baseOffset;
    }

    /** Whole batches from the one that holds an offset on. */
    synchronized MemoryRecords read(long from) {
        int size = 0;
        List<ByteBuffer> found = new ArrayList<>();
        for (int index = 0; index < batches.size(); index++) {
            if (lastOffsets.get(index) >= from) {
                found.add(batches.get(index).duplicate());
                size += batches.get(index).remaining();
            }
        }
        ByteBuffer all = ByteBuffer.allocate(size);
        found.forEach(all::put);
        return MemoryRecords.readableRecords(all.flip());
    }

    private static String text(Record record) {
        return record.hasValue() ? StandardCharsets.UTF_8.decode(record.value()).toString() : null;
    }
}
