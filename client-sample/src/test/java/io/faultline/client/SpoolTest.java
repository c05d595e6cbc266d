package io.faultline.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.faultline.broker.EmbeddedBroker;
import io.faultline.client.spool.RecoveryListener;
import io.faultline.client.spool.SpoolHooks;
import io.faultline.client.spool.VerdictSource;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a spool does for records that cannot wait in memory. */
class SpoolTest {

    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final String TOPIC = "t";

    @TempDir
    Path folder;

    private EmbeddedBroker broker;

    @BeforeEach
    void start() throws IOException {
        broker = EmbeddedBroker.builder().start();
        broker.topics().create(TOPIC, 2);
    }

    @AfterEach
    void stop() {
        broker.close();
    }

    private Map<String, String> config(String... more) {
        Map<String, String> config = new HashMap<>(Map.of(
                "bootstrap.servers",
                broker.bootstrapServers(),
                "spool.dir",
                spoolDirectory().toString(),
                "buffer.memory",
                "40000",
                "linger.ms",
                "0"));
        for (int index = 0; index < more.length; index += 2) {
            config.put(more[index], more[index + 1]);
        }
        return config;
    }

    private Path spoolDirectory() {
        return folder.resolve("spool");
    }

    private Producer<String, String> producer(String... more) {
        return new Producer<>(config(more), new StringSerializer(), new StringSerializer());
    }

    private Producer<String, String> producer(RecoveryListener listener) {
        return new Producer<>(
                config(),
                new StringSerializer(),
                new StringSerializer(),
                new SpoolHooks(listener, VerdictSource.agent()));
    }

    /** Of which the memory holds two, and a batch one. */
    private static ProducerRecord<String, String> aLargeRecord(int number) {
        return new ProducerRecord<>(TOPIC, 0, String.valueOf(number), "x".repeat(15_000));
    }

    private static void result(Delivery delivery) throws Exception {
        delivery.delivered().get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    }

    private static void accepted(Delivery delivery) throws Exception {
        delivery.accepted().get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    }

    /** Sends records that fill the memory several times; those in front are in the spool then. */
    private static List<Delivery> fill(Producer<String, String> producer, int from, int to) throws Exception {
        List<Delivery> deliveries = new ArrayList<>();
        for (int number = from; number < to; number++) {
            deliveries.add(producer.send(aLargeRecord(number)));
        }
        accepted(deliveries.get(0));
        return deliveries;
    }

    private List<String> keysInLog() throws IOException {
        return Keys.read(broker, new TopicPartition(TOPIC, 0));
    }

    private static List<String> keys(int to) {
        return IntStream.range(0, to).mapToObj(String::valueOf).toList();
    }

    @Test
    void anOutageThatFillsTheMemoryLosesAndFailsNothing() throws Exception {
        try (Producer<String, String> producer = producer()) {
            result(producer.send(aLargeRecord(0)));
            broker.stop();
            List<Delivery> deliveries = fill(producer, 1, 20);
            assertThat(deliveries.get(0).delivered()).isNotDone();
            assertThat(producer.spool().orElseThrow().bytes()).isGreaterThan(15_000);
            broker.start();
            for (Delivery each : deliveries) {
                result(each);
            }
            assertThat(keysInLog()).isEqualTo(keys(20));
            await().atMost(PATIENCE)
                    .untilAsserted(() ->
                            assertThat(producer.spool().orElseThrow().bytes()).isZero());
            assertThat(producer.freeMemory()).isEqualTo(40_000);
        }
    }
}
