package io.faultline.broker.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.faultline.broker.EmbeddedBroker;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class BrokerMetersTest {

    private static final int RECORDS = 25;

    private final MeterRegistry registry = new SimpleMeterRegistry();
    private EmbeddedBroker broker;
    private BrokerMeters meters;

    @BeforeEach
    void start() throws Exception {
        broker = EmbeddedBroker.builder()
                .temporaryDirectories(2)
                .topic("t", 2)
                .tls()
                .start();
        meters = new BrokerMeters(broker::figures, Tags.of("broker", "left"));
        meters.bindTo(registry);
    }

    @AfterEach
    void close() {
        broker.close();
    }

    private double value(String name, String... tags) {
        List<Meter> found = registry.getMeters().stream()
                .filter(meter -> meter.getId().getName().equals("faultline.broker." + name)
                        && meter.getId().getTags().containsAll(tagsOf(tags)))
                .toList();
        assertThat(found)
                .as("%s %s in %s", name, List.of(tags), registry.getMeters())
                .hasSize(1);
        return found.get(0).measure().iterator().next().getValue();
    }

    private static List<Tag> tagsOf(String... tags) {
        return Tags.of(tags).stream().toList();
    }

    @Test
    void whatIsProducedAndFetchedIsCounted() throws Exception {
        produce();
        try (Consumer<byte[], byte[]> consumer = new KafkaConsumer<>(
                Map.of(
                        "bootstrap.servers",
                        broker.bootstrapServers(),
                        "group.id",
                        "g",
                        "auto.offset.reset",
                        "earliest"),
                new ByteArrayDeserializer(),
                new ByteArrayDeserializer())) {
            consumer.subscribe(List.of("t"));
            await().until(() -> !consumer.poll(Duration.ofMillis(100)).isEmpty());
            assertThat(value("groups", "state", "Stable")).isEqualTo(1);
            assertThat(value("connections", "listener", "PLAINTEXT")).isGreaterThanOrEqualTo(2);
            assertThat(value("connections", "listener", "SSL")).isZero();
        }
        assertThat(value("produced.records")).isEqualTo(RECORDS);
        assertThat(value("produced.bytes"))
                .isGreaterThan(RECORDS * 100)
                .isEqualTo(value("fetched.bytes"))
                .isEqualTo(value("directory.log.size", "dir", directory(0)));
        assertThat(value("directory.log.size", "dir", directory(1))).isZero();
        assertThat(value("requests", "api", "PRODUCE")).isEqualTo(1);
        assertThat(value("requests", "api", "JOIN_GROUP")).isGreaterThanOrEqualTo(1);
        assertThat(registry.get("faultline.broker.requests")
                        .tag("api", "PRODUCE")
                        .functionTimer()
                        .totalTime(java.util.concurrent.TimeUnit.NANOSECONDS))
                .isPositive();
        assertThat(value("connections.accepted", "listener", "PLAINTEXT")).isGreaterThanOrEqualTo(3);
    }

    private void produce() throws Exception {
        try (Producer<byte[], byte[]> producer = new KafkaProducer<>(
                Map.of("bootstrap.servers", broker.bootstrapServers(), "linger.ms", 60_000),
                new ByteArraySerializer(),
                new ByteArraySerializer())) {
            for (int record = 0; record < RECORDS; record++) {
                producer.send(new ProducerRecord<>("t", 0, null, new byte[100]));
            }
            producer.flush();
        }
    }

    private String directory(int partition) {
        return broker.directoryOf("t", partition).toString();
    }

    @Test
    void aFailedDirectoryShows() throws Exception {
        String failed = directory(0);
        produce();
        broker.failDirectory(broker.directoryOf("t", 0));
        assertThat(value("directories.offline")).isEqualTo(1);
        assertThat(value("directory.offline", "dir", failed)).isEqualTo(1);
        assertThat(value("directory.offline", "dir", directory(1))).isZero();
        assertThat(value("directory.log.size", "dir", failed)).isZero();
        assertThat(value("partitions", "state", "offline")).isEqualTo(1);
        assertThat(value("partitions", "state", "online")).isEqualTo(1);
        assertThat(value("topics")).isEqualTo(1);
    }

    @Test
    void metersGoOnAfterARestart() throws Exception {
        produce();
        broker.restart();
        produce();
        assertThat(value("produced.records")).isEqualTo(2 * RECORDS);
        assertThat(value("directory.log.size", "dir", directory(0))).isPositive();
    }

    @Test
    void everyMeterIsTaggedAndGoesWithTheBinder() {
        assertThat(registry.getMeters())
                .isNotEmpty()
                .allSatisfy(meter -> assertThat(meter.getId().getTag("broker")).isEqualTo("left"))
                .allSatisfy(meter -> assertThat(meter.getId().getDescription()).isNotBlank());
        meters.close();
        assertThat(registry.getMeters()).isEmpty();
    }

    @Test
    void aCollectedBinderLeavesNoMeterBehindThatStandsStill() throws Exception {
        meters = null;
        System.gc();
        produce();
        assertThat(value("produced.records")).isEqualTo(RECORDS);
        assertThat(value("directories.offline")).isZero();
    }
}
