package io.faultline.broker.log;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.apache.kafka.common.record.internal.RecordBatch;

/**
 * What the idempotent producers of one partition appended last, so that a batch which is sent again is told from one that is
 * new. Lives in memory: a restart reads all that is remembered back from a snapshot, and from the headers of the batches behind it.
 *
 * <p>Safe for use by any thread. A producer that appends nothing for long is forgotten, and may go on with any sequence then,
 * as one that was never known.
 */
final class ProducerStates {

    private final long expirationMs;
    private final Map<Long, ProducerState> byId = new HashMap<>();

    ProducerStates(long expirationMs) {
        this.expirationMs = expirationMs;
    }

    /**
     * Decides about a batch that is to be appended.
     *
     * @return the offset that it got when it was appended before; empty if it is new
     * @throws org.apache.kafka.common.errors.InvalidProducerEpochException if its epoch is over
     * @throws org.apache.kafka.common.errors.OutOfOrderSequenceException if it does not follow the producer's last one
     */
    synchronized OptionalLong check(RecordBatch batch, long nowMs) {
        ProducerState state = known(batch, nowMs);
        if (state == null) {
            return OptionalLong.empty();
        }
        OptionalLong duplicate = state.duplicateOf(batch);
        if (duplicate.isEmpty()) {
            state.check(batch);
        }
        return duplicate;
    }

    private ProducerState known(RecordBatch batch, long nowMs) {
        ProducerState state = byId.get(batch.producerId());
        if (state != null && isExpired(state, nowMs)) {
            byId.remove(batch.producerId());
            return null;
        }
        return state;
    }

    /** Says whether a batch is one of those that are remembered. */
    synchronized boolean remembers(RecordBatch batch) {
        ProducerState state = batch.hasProducerId() ? byId.get(batch.producerId()) : null;
        return state != null && state.duplicateOf(batch).isPresent();
    }

    /** Remembers a batch that was appended; one without a producer id is none of ours. */
    synchronized void appended(RecordBatch batch, long nowMs) {
        if (batch.hasProducerId()) {
            appended(ProducedBatch.of(batch), nowMs);
        }
    }

    /** Remembers a batch that was appended. */
    synchronized void appended(ProducedBatch batch, long nowMs) {
        byId.computeIfAbsent(batch.producerId(), id -> new ProducerState()).appended(batch, nowMs);
    }

    /** All remembered batches, the oldest of a producer first. */
    synchronized List<ProducedBatch> batches() {
        List<ProducedBatch> all = new ArrayList<>();
        byId.values().forEach(state -> all.addAll(state.batches()));
        return all;
    }

    /** Knows all that another one does, also of batches that no log has any more. Nothing may be appended there any more. */
    synchronized void copy(ProducerStates other) {
        synchronized (other) {
            byId.putAll(other.byId);
        }
    }

    synchronized void removeExpired(long nowMs) {
        byId.values().removeIf(state -> isExpired(state, nowMs));
    }

    private boolean isExpired(ProducerState state, long nowMs) {
        return nowMs - state.lastUsedMs() >= expirationMs;
    }

    synchronized void clear() {
        byId.clear();
    }

    synchronized List<ActiveProducer> active() {
        List<ActiveProducer> active = new ArrayList<>();
        byId.values().forEach(state -> active.add(state.describe()));
        return active;
    }
}
