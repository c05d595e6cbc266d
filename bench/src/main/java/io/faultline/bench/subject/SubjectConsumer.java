package io.faultline.bench.subject;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;

/** What a consumer under test has to do. Used from one thread but for {@link #wakeup}. */
interface SubjectConsumer {

    /**
     * A record that a poll returned.
     *
     * @param partition where it was
     * @param offset where it was
     * @param value its value, as it came
     */
    record Polled(int partition, long offset, byte[] value) {}

    /** Told in {@link #poll} what becomes of the partitions. */
    interface Ownership {

        /** All that it owns now, in the generation of that moment. */
        void owns(int generation, Collection<Integer> partitions);

        /** What it has to give up; it still may commit. */
        void revoked(Collection<Integer> partitions);

        /** It was found to be no member any more; others may own what it had. */
        void lost();
    }

    void assign(String topic, Collection<Integer> partitions);

    void subscribe(String topic, Ownership ownership);

    List<Polled> poll(Duration timeout) throws Exception;

    /** Commits the offsets of the next records; returns at once. The outcome is told in a later call. */
    void commit(Map<Integer, Long> next, Runnable committed);

    /** Commits and waits. */
    void commit(Map<Integer, Long> next, Duration timeout) throws Exception;

    /** Goes back to the first record of every assigned partition. */
    void rewind();

    /** Ends a poll on another thread. */
    void wakeup();

    void close(Duration timeout) throws Exception;
}
