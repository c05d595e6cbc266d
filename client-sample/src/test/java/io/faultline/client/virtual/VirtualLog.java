package io.faultline.client.virtual;

import io.faultline.client.protocol.ProducerStamp;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.MutableRecordBatch;
import org.apache.kafka.common.record.internal.Record;

/** The log of a partition, and what is known of its producers. */
final class VirtualLog {

    private static final int RECOGNISED = 5;

    private final List<Stored> batches = new ArrayList<>();
    private final Map<Long, State> producers = new HashMap<>();
    private long end;
    private long visible = Long.MAX_VALUE;

    /** What an append led to. */
    record Appended(Errors error, long baseOffset) {}

    private record Stored(long baseOffset, int count, ProducerStamp stamp, ByteBuffer bytes) {}

    private record Known(int base, int last, long offset) {}

    private static final class State {
        private short epoch;
        private final Deque<Known> last = new ArrayDeque<>();
    }

    Appended append(MemoryRecords records) {
        MutableRecordBatch batch = records.batches().iterator().next();
        int count = batch.countOrNull();
        if (batch.hasProducerId()) {
            State state = producers.get(batch.producerId());
            Appended known = state == null ? null : judge(state, batch);
            if (known != null) {
                return known;
            }
            remember(batch, count);
        }
        ByteBuffer copy = ByteBuffer.allocate(batch.sizeInBytes());
        batch.writeTo(copy);
        MemoryRecords stored = MemoryRecords.readableRecords(copy.flip());
        stored.batches().iterator().next().setLastOffset(end + count - 1);
        batches.add(new Stored(
                end,
                count,
                new ProducerStamp(batch.producerId(), batch.producerEpoch(), batch.baseSequence()),
                stored.buffer()));
        long base = end;
        end += count;
        return new Appended(Errors.NONE, base);
    }

    private static Appended judge(State state, MutableRecordBatch batch) {
        if (batch.producerEpoch() < state.epoch) {
            return new Appended(Errors.INVALID_PRODUCER_EPOCH, -1);
        }
        if (batch.producerEpoch() > state.epoch) {
            return batch.baseSequence() == 0 ? null : new Appended(Errors.OUT_OF_ORDER_SEQUENCE_NUMBER, -1);
        }
        for (Known known : state.last) {
            if (known.base == batch.baseSequence() && known.last == batch.lastSequence()) {
                return new Appended(Errors.NONE, known.offset);
            }
        }
        int expected = ProducerStamp.advance(state.last.getLast().last, 1);
        return batch.baseSequence() == expected ? null : new Appended(Errors.OUT_OF_ORDER_SEQUENCE_NUMBER, -1);
    }

    private void remember(MutableRecordBatch batch, int count) {
        State state = producers.computeIfAbsent(batch.producerId(), id -> new State());
        if (state.epoch != batch.producerEpoch()) {
            state.last.clear();
        }
        state.epoch = batch.producerEpoch();
        state.last.add(new Known(batch.baseSequence(), batch.lastSequence(), end));
        if (state.last.size() > RECOGNISED) {
            state.last.poll();
        }
    }

    /** As after a restart of the broker: of each producer only the last batch is recognised. */
    void forgetAllButLast() {
        producers.values().forEach(state -> {
            while (state.last.size() > 1) {
                state.last.poll();
            }
        });
    }

    /** As after {@code producer.id.expiration.ms}. */
    void forgetProducers() {
        producers.clear();
    }

    /** Loses everything from an offset on, as an unclean election does. */
    void truncateTo(long offset) {
        batches.removeIf(batch -> batch.baseOffset >= offset);
        end = Math.min(end, offset);
        producers.clear();
        for (Stored batch : batches) {
            State state = producers.computeIfAbsent(batch.stamp.producerId(), id -> new State());
            state.epoch = batch.stamp.epoch();
            state.last.clear();
            state.last.add(new Known(
                    batch.stamp.baseSequence(),
                    ProducerStamp.advance(batch.stamp.baseSequence(), batch.count - 1),
                    batch.baseOffset));
        }
    }

    /** Shows consumers nothing from an offset on, as while it is not replicated. */
    void showOnlyBelow(long offset) {
        visible = offset;
    }

    long highWatermark() {
        return Math.min(end, visible);
    }

    /** The last sequence of a producer, null if it is not known. */
    int[] lastOf(long producerId) {
        State state = producers.get(producerId);
        return state == null ? null : new int[] {state.epoch, state.last.getLast().last};
    }

    Set<Long> producerIds() {
        return producers.keySet();
    }

    MemoryRecords read(long offset) {
        int size = 0;
        List<Stored> shown = new ArrayList<>();
        for (Stored batch : batches) {
            if (batch.baseOffset + batch.count > offset
                    && batch.baseOffset + batch.count <= visible
                    && shown.size() < 3) {
                shown.add(batch);
                size += batch.bytes.remaining();
            }
        }
        ByteBuffer all = ByteBuffer.allocate(size);
        shown.forEach(batch -> all.put(batch.bytes.duplicate()));
        return MemoryRecords.readableRecords(all.flip());
    }

    /** The values of all records, in the order of the log. */
    List<String> values() {
        List<String> values = new ArrayList<>();
        for (Stored batch : batches) {
            for (Record record :
                    MemoryRecords.readableRecords(batch.bytes.duplicate()).records()) {
                byte[] value = new byte[record.valueSize()];
                record.value().get(value);
                values.add(new String(value, StandardCharsets.UTF_8));
            }
        }
        return values;
    }

    /** The epochs under which batches were appended, in the order of the log. */
    List<Short> epochs() {
        return batches.stream().map(batch -> batch.stamp.epoch()).toList();
    }

    /** How many batches there are. */
    int batchCount() {
        return batches.size();
    }
}
