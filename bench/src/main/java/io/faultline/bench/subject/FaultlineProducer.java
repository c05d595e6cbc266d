package io.faultline.bench.subject;

import io.faultline.client.Producer;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletionException;
import java.util.function.BiConsumer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** The producer of this project. */
final class FaultlineProducer implements SubjectProducer {

    private static final long MEMORY = 32L << 20;

    private final Producer<byte[], byte[]> producer;

    FaultlineProducer(Map<String, String> configuration) {
        Map<String, Object> keys = new HashMap<>(configuration);
        keys.put(ProducerConfig.BUFFER_MEMORY_CONFIG, MEMORY);
        producer = new Producer<>(keys, new ByteArraySerializer(), new ByteArraySerializer());
    }

    @Override
    public void send(String topic, int partition, byte[] value, BiConsumer<Long, Throwable> outcome) {
        producer.send(new ProducerRecord<>(topic, partition, null, value))
                .delivered()
                .whenComplete((metadata, failure) ->
                        outcome.accept(failure == null ? metadata.offset() : null, causeOf(failure)));
    }

    private static Throwable causeOf(Throwable failure) {
        return failure instanceof CompletionException ? failure.getCause() : failure;
    }

    @Override
    public void flush(Duration timeout) {
        producer.flush(timeout);
    }

    @Override
    public long usedBytes() {
        return MEMORY - producer.freeMemory();
    }

    /** Records rather than requests: it counts what has no outcome yet. */
    @Override
    public long inFlight() {
        return producer.counts().pending();
    }

    @Override
    public void close(Duration timeout) {
        producer.close(timeout);
    }
}
