package io.faultline.broker.log;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.OptionalLong;
import org.apache.kafka.common.errors.InvalidProducerEpochException;
import org.apache.kafka.common.errors.OutOfOrderSequenceException;
import org.apache.kafka.common.record.internal.RecordBatch;

/** What one idempotent producer appended last to one partition. Guarded by its {@link ProducerStates}. */
final class ProducerState {

    /** As many as an idempotent producer has in flight to one partition. */
    private static final int REMEMBERED = 5;

    private final Deque<ProducedBatch> batches = new ArrayDeque<>(REMEMBERED);
    private short epoch;
    private long lastUsedMs;

    /** The offset that a batch got when it was appended before; empty if it is not one of the remembered ones. */
    OptionalLong duplicateOf(RecordBatch batch) {
        if (batch.producerEpoch() == epoch) {
            for (ProducedBatch known : batches) {
                if (known.hasSequencesOf(batch)) {
                    return OptionalLong.of(known.firstOffset());
                }
            }
        }
        return OptionalLong.empty();
    }

    /**
     * Refuses a batch that does not follow the last one.
     *
     * @throws InvalidProducerEpochException if its epoch is over
     * @throws OutOfOrderSequenceException if it leaves a gap, or is older than what is remembered
     */
    void check(RecordBatch batch) {
        if (batch.producerEpoch() < epoch) {
            throw new InvalidProducerEpochException("producer " + batch.producerId() + " has epoch "
                    + batch.producerEpoch() + "; the current one is " + epoch);
        }
        int expected = batch.producerEpoch() == epoch ? next(batches.getLast().lastSequence()) : 0;
        if (batch.baseSequence() != expected) {
            throw new OutOfOrderSequenceException("producer " + batch.producerId() + " in epoch "
                    + batch.producerEpoch() + " sent sequence " + batch.baseSequence() + "; expected is " + expected);
        }
    }

    private static int next(int sequence) {
        return sequence == Integer.MAX_VALUE ? 0 : sequence + 1;
    }

    void appended(ProducedBatch batch, long nowMs) {
        if (batch.epoch() != epoch) {
            epoch = batch.epoch();
            batches.clear();
        }
        if (batches.size() == REMEMBERED) {
            batches.removeFirst();
        }
        batches.addLast(batch);
        lastUsedMs = nowMs;
    }

    long lastUsedMs() {
        return lastUsedMs;
    }

    /** The remembered batches, the oldest first. */
    List<ProducedBatch> batches() {
        return List.copyOf(batches);
    }

    ActiveProducer describe() {
        ProducedBatch last = batches.getLast();
        return new ActiveProducer(last.producerId(), epoch, last.lastSequence(), last.timestamp());
    }
}
