package io.faultline.bench.subject;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.Metric;
import org.apache.kafka.common.MetricName;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** The producer of kafka-clients. */
final class JavaProducer implements SubjectProducer {

    private final KafkaProducer<byte[], byte[]> producer;

    JavaProducer(Map<String, String> configuration) {
        producer =
                new KafkaProducer<>(new HashMap<>(configuration), new ByteArraySerializer(), new ByteArraySerializer());
    }

    @Override
    public void send(String topic, int partition, byte[] value, BiConsumer<Long, Throwable> outcome) {
        producer.send(
                new ProducerRecord<>(topic, partition, null, value),
                (metadata, failure) -> outcome.accept(failure == null ? metadata.offset() : null, failure));
    }

    /** Its flush knows no time-out: it is waited for on another thread. */
    @Override
    public void flush(Duration timeout) throws Exception {
        CompletableFuture.runAsync(producer::flush).get(timeout.toMillis(), TimeUnit.MILLISECONDS);
    }

    @Override
    public long usedBytes() {
        return metric("buffer-total-bytes") - metric("buffer-available-bytes");
    }

    @Override
    public long inFlight() {
        return metric("requests-in-flight");
    }

    private long metric(String name) {
        for (Map.Entry<MetricName, ? extends Metric> metric : producer.metrics().entrySet()) {
            if (metric.getKey().group().equals("producer-metrics")
                    && metric.getKey().name().equals(name)) {
                return ((Number) metric.getValue().metricValue()).longValue();
            }
        }
        throw new IllegalStateException("the producer has no metric " + name);
    }

    @Override
    public void close(Duration timeout) {
        producer.close(timeout);
    }
}
