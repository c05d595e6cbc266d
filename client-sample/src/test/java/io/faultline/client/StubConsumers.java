package io.faultline.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.faultline.client.stub.Reply;
import io.faultline.client.stub.StubCluster;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.message.HeartbeatResponseData;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;

/** Consumers of a stub cluster with one topic, and all that is closed behind a test. */
final class StubConsumers implements AutoCloseable {

    static final Duration PATIENCE = Duration.ofSeconds(60);
    static final Duration SHORT = Duration.ofMillis(50);
    static final TopicPartition PARTITION = new TopicPartition("t", 0);

    private final StubCluster cluster;
    private final List<Consumer<?, ?>> open = new ArrayList<>();

    StubConsumers(int nodes, int... leaders) throws IOException {
        cluster = StubCluster.plaintext(nodes).topic("t", leaders);
    }

    StubCluster cluster() {
        return cluster;
    }

    /** Appends values to the first partition. */
    void produce(String... values) {
        try (Producer<String, String> producer =
                new Producer<>(config(Map.of()), new StringSerializer(), new StringSerializer())) {
            for (String value : values) {
                producer.send(new ProducerRecord<>("t", 0, null, value));
            }
            producer.flush(PATIENCE);
        }
    }

    private Map<String, String> config(Map<String, String> more) {
        Map<String, String> config = new HashMap<>(more);
        config.put("bootstrap.servers", cluster.bootstrap());
        return config;
    }

    /** A consumer that begins at the beginning and commits nothing by itself, but for what is said. */
    Consumer<String, String> consumer(Wiring wiring, Map<String, String> more) {
        Map<String, String> config =
                new HashMap<>(Map.of("auto.offset.reset", "earliest", "fetch.max.wait.ms", "100", "client.id", "ours"));
        config.putAll(more);
        Consumer<String, String> consumer =
                new Consumer<>(config(config), new StringDeserializer(), new StringDeserializer(), wiring);
        open.add(consumer);
        return consumer;
    }

    /** A consumer with a group, and heartbeats that a test need not wait for. */
    Consumer<String, String> member(Wiring wiring, Map<String, String> more) {
        Map<String, String> config = new HashMap<>(Map.of(
                "group.id",
                "g",
                "enable.auto.commit",
                "false",
                "heartbeat.interval.ms",
                "100",
                "session.timeout.ms",
                "20000"));
        config.putAll(more);
        return consumer(wiring, config);
    }

    Consumer<String, String> member(Map<String, String> more) {
        return member(Wiring.production(), more);
    }

    /** Polls until something is true, and returns the values that came. */
    static List<String> pollUntil(Consumer<String, String> consumer, BooleanSupplier done) {
        List<String> values = new ArrayList<>();
        await().atMost(PATIENCE).until(() -> {
            consumer.poll(SHORT).forEach(record -> values.add(record.value()));
            return done.getAsBoolean();
        });
        return values;
    }

    /** Polls until as many values have come, and returns them. */
    static List<String> poll(Consumer<String, String> consumer, int count) {
        List<String> values = new ArrayList<>();
        await().atMost(PATIENCE).until(() -> {
            consumer.poll(SHORT).forEach(record -> values.add(record.value()));
            return values.size() >= count;
        });
        return values;
    }

    /** Something goes on not to happen for a while, while the consumer is polled. */
    static void neverWhilePolled(Consumer<String, String> consumer, Duration time, BooleanSupplier happened) {
        await().during(time).atMost(PATIENCE).until(() -> {
            consumer.poll(SHORT);
            assertThat(happened.getAsBoolean()).isFalse();
            return true;
        });
    }

    static Reply heartbeat(Errors error) {
        return Reply.changed(HeartbeatResponseData.class, answer -> answer.setErrorCode(error.code()));
    }

    @Override
    public void close() throws IOException {
        cluster.script().clear();
        open.forEach(consumer -> consumer.close(Duration.ofSeconds(1)));
        cluster.close();
    }
}
