package io.faultline.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.faultline.broker.EmbeddedBroker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.apache.kafka.common.utils.Utils;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A producer against the bundled broker. */
class ProducerTest {

    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final long DEFAULT_MEMORY = 32 << 20;

    private static Producer<String, String> producer(EmbeddedBroker broker, String... more) {
        return producer(Map.of("bootstrap.servers", broker.bootstrapServers()), more);
    }

    private static Producer<String, String> producer(Map<String, String> connection, String... more) {
        Map<String, String> config = new HashMap<>(connection);
        for (int index = 0; index < more.length; index += 2) {
            config.put(more[index], more[index + 1]);
        }
        return new Producer<>(config, new StringSerializer(), new StringSerializer());
    }

    private static RecordMetadata result(Delivery delivery) throws Exception {
        return delivery.delivered().get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    }

    private static List<String> numbers(int count) {
        return IntStream.range(0, count).mapToObj(Integer::toString).toList();
    }

    private static List<String> values(EmbeddedBroker broker) {
        List<String> values = new ArrayList<>();
        try (KafkaConsumer<String, String> consumer = new KafkaConsumer<>(
                Map.of("bootstrap.servers", broker.bootstrapServers(), "auto.offset.reset", "earliest"),
                new StringDeserializer(),
                new StringDeserializer())) {
            TopicPartition partition = new TopicPartition("t", 0);
            consumer.assign(List.of(partition));
            long end = consumer.endOffsets(List.of(partition)).get(partition);
            while (consumer.position(partition) < end) {
                for (ConsumerRecord<String, String> record : consumer.poll(Duration.ofMillis(100))) {
                    values.add(record.value());
                }
            }
        }
        return values;
    }

    @Test
    void recordsAreAckedWithTheirOffsetsInTheOrderOfTheirSending() throws Exception {
        try (EmbeddedBroker broker = EmbeddedBroker.builder().start();
                Producer<String, String> producer = producer(broker)) {
            List<Delivery> deliveries = new ArrayList<>();
            for (String value : numbers(1_000)) {
                deliveries.add(producer.send(new ProducerRecord<>("t", 0, "key", value)));
            }
            producer.flush(PATIENCE);
            for (int index = 0; index < 1_000; index++) {
                assertThat(result(deliveries.get(index)).offset()).isEqualTo(index);
            }
            assertThat(producer.counts().acked()).isEqualTo(1_000);
            assertThat(producer.counts().pending()).isZero();
            assertThat(producer.freeMemory()).isEqualTo(DEFAULT_MEMORY);
            assertThat(values(broker)).isEqualTo(numbers(1_000));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"none", "gzip", "snappy", "lz4", "zstd"})
    void whatIsCompressedIsReadBack(String compression) throws Exception {
        try (EmbeddedBroker broker = EmbeddedBroker.builder().start();
                Producer<String, String> producer = producer(broker, "compression.type", compression)) {
            numbers(500).forEach(value -> producer.send(new ProducerRecord<>("t", 0, null, value)));
            producer.flush(PATIENCE);
            assertThat(values(broker)).isEqualTo(numbers(500));
        }
    }

    @Test
    void itProducesOverTls() throws Exception {
        try (EmbeddedBroker broker = EmbeddedBroker.builder().tls().start()) {
            Map<String, String> connection = new HashMap<>(broker.clientTlsProperties());
            connection.put("bootstrap.servers", broker.sslBootstrapServers());
            try (Producer<String, String> producer = producer(connection)) {
                numbers(500).forEach(value -> producer.send(new ProducerRecord<>("t", 0, null, value)));
                producer.flush(PATIENCE);
                assertThat(values(broker)).isEqualTo(numbers(500));
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"0", "1"})
    void itProducesWithFewerAcks(String acks) throws Exception {
        try (EmbeddedBroker broker = EmbeddedBroker.builder().start();
                Producer<String, String> producer = producer(broker, "acks", acks)) {
            Delivery delivery = producer.send(new ProducerRecord<>("t", 0, null, "0"));
            assertThat(result(delivery).hasOffset()).isEqualTo(acks.equals("1"));
            result(producer.send(new ProducerRecord<>("t", 0, null, "1")));
            producer.close(PATIENCE);
        }
    }

    @Test
    void keysGoToThePartitionsThatKafkasProducersChoose() throws Exception {
        try (EmbeddedBroker broker =
                        EmbeddedBroker.builder().defaultPartitions(7).start();
                Producer<String, String> producer = producer(broker)) {
            for (String key : numbers(50)) {
                int expected = Utils.toPositive(Utils.murmur2(Utils.utf8(key))) % 7;
                assertThat(result(producer.send(new ProducerRecord<>("t", key, "value")))
                                .partition())
                        .isEqualTo(expected);
            }
        }
    }

    @Test
    void aBrokerThatRestartsAgainAndAgainGetsEachRecordOnceAndInOrder() throws Exception {
        try (EmbeddedBroker broker = EmbeddedBroker.builder().topic("t", 1).start();
                Producer<String, String> producer = producer(broker, "linger.ms", "0", "batch.size", "200")) {
            List<Delivery> deliveries = new ArrayList<>();
            for (int round = 0; round < 3; round++) {
                for (int index = 0; index < 300; index++) {
                    deliveries.add(
                            producer.send(new ProducerRecord<>("t", 0, null, Integer.toString(deliveries.size()))));
                }
                broker.restart();
            }
            producer.flush(PATIENCE);
            for (int index = 0; index < deliveries.size(); index++) {
                assertThat(result(deliveries.get(index)).offset()).isEqualTo(index);
            }
            assertThat(values(broker)).isEqualTo(numbers(900));
            assertThat(producer.freeMemory()).isEqualTo(DEFAULT_MEMORY);
        }
    }

    @Test
    void aDirectoryThatFailsHoldsUpItsPartitionsOnlyUntilItIsBack() throws Exception {
        try (EmbeddedBroker broker = EmbeddedBroker.builder()
                        .temporaryDirectories(2)
                        .topic("t", 2)
                        .start();
                Producer<String, String> producer = producer(broker, "linger.ms", "0")) {
            result(producer.send(new ProducerRecord<>("t", 0, null, "0")));
            result(producer.send(new ProducerRecord<>("t", 1, null, "0")));
            broker.failDirectory(broker.directoryOf("t", 0));
            Delivery held = producer.send(new ProducerRecord<>("t", 0, null, "1"));
            for (int index = 1; index <= 20; index++) {
                assertThat(result(producer.send(new ProducerRecord<>("t", 1, null, Integer.toString(index))))
                                .offset())
                        .isEqualTo(index);
            }
            assertThat(held.delivered()).isNotDone();
            broker.repairDirectory(broker.offlineDirectories().iterator().next());
            broker.restart();
            assertThat(result(held).offset()).isEqualTo(1);
            assertThat(values(broker)).containsExactly("0", "1");
        }
    }
}
