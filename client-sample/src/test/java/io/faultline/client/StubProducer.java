package io.faultline.client;

import io.faultline.client.stub.StubCluster;
import io.faultline.client.watchdog.Watchdog;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.serialization.StringSerializer;

/** A producer of text to partition 0 of a topic "t" of stub brokers, with time-outs so short that a test need not wait long. */
final class StubProducer implements AutoCloseable {

    static final Duration DELIVERY = Duration.ofMillis(2_000);

    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Map<String, String> SHORT = Map.of(
            "delivery.timeout.ms",
            Long.toString(DELIVERY.toMillis()),
            "request.timeout.ms",
            "500",
            "socket.connection.setup.timeout.ms",
            "500",
            "socket.connection.setup.timeout.max.ms",
            "500",
            "linger.ms",
            "0",
            "max.block.ms",
            Long.toString(PATIENCE.toMillis()));

    private final Producer<String, String> producer;

    private StubProducer(Producer<String, String> producer) {
        this.producer = producer;
    }

    static StubProducer of(StubCluster cluster) {
        return of(cluster, Wiring.production(), Map.of());
    }

    static StubProducer of(StubCluster cluster, Wiring wiring) {
        return of(cluster, wiring, Map.of());
    }

    static StubProducer of(StubCluster cluster, Wiring wiring, Map<String, String> more) {
        Map<String, String> configuration = new HashMap<>(SHORT);
        configuration.put("bootstrap.servers", cluster.bootstrap());
        configuration.putAll(more);
        return new StubProducer(new Producer<>(configuration, new StringSerializer(), new StringSerializer(), wiring));
    }

    Producer<String, String> producer() {
        return producer;
    }

    CompletableFuture<RecordMetadata> send(String value) {
        return send(0, value);
    }

    CompletableFuture<RecordMetadata> send(int partition, String value) {
        return producer.send(new ProducerRecord<>("t", partition, null, value)).delivered();
    }

    /** Sends and waits for the ack. */
    RecordMetadata deliver(String value) {
        return outcome(send(value));
    }

    long trips(Watchdog watchdog) {
        return producer.runtime().core().trips().count(watchdog);
    }

    /** What a future completes with; its failure is thrown. */
    static <T> T outcome(CompletableFuture<T> future) {
        try {
            return future.get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException failed) {
            throw new AssertionError("it failed", failed.getCause());
        } catch (InterruptedException | TimeoutException hangs) {
            throw new AssertionError("it hangs", hangs);
        }
    }

    /** What a future fails with. */
    static Throwable failure(CompletableFuture<?> future) {
        try {
            Object value = future.get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
            throw new AssertionError("it did not fail but gave " + value);
        } catch (ExecutionException failed) {
            return failed.getCause();
        } catch (InterruptedException | TimeoutException hangs) {
            throw new AssertionError("it hangs", hangs);
        }
    }

    @Override
    public void close() {
        producer.close(Duration.ZERO);
    }
}
