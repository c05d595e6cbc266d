package io.faultline.bench.subject;

import java.time.Duration;
import java.util.function.BiConsumer;

/** What a producer under test has to do. */
interface SubjectProducer {

    /**
     * Sends a record.
     *
     * @param topic where to
     * @param partition where to
     * @param value its value
     * @param outcome told once: the offset and null, or null and why it failed
     */
    void send(String topic, int partition, byte[] value, BiConsumer<Long, Throwable> outcome);

    /** Waits until everything that was sent is settled; throws what the client throws when it is not in time. */
    void flush(Duration timeout) throws Exception;

    /** Bytes of its memory that hold records. */
    long usedBytes();

    /** Requests that await an answer. */
    long inFlight();

    void close(Duration timeout) throws Exception;
}
