package io.faultline.bench.throughput;

import io.faultline.bench.measure.OpenLoop.Ended;
import java.time.Duration;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.apache.kafka.clients.producer.ProducerRecord;

/**
 * A producer of one kind or the other, used as its users use it.
 *
 * @param sending sends a record, and tells when it is acknowledged or lost
 * @param closing closes it within a time
 */
record MeasuredProducer(BiConsumer<ProducerRecord<byte[], byte[]>, Ended> sending, Consumer<Duration> closing)
        implements AutoCloseable {

    private static final Duration PATIENCE = Duration.ofSeconds(30);

    /** Sends a record, and tells when it is acknowledged or lost. */
    void send(String topic, int partition, byte[] value, Ended ended) {
        sending.accept(new ProducerRecord<>(topic, partition, null, value), ended);
    }

    @Override
    public void close() {
        closing.accept(PATIENCE);
    }
}
