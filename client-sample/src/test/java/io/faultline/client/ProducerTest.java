package io.faultline.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.faultline.broker.EmbeddedBroker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.Test;

class ProducerTest {

    private static final Duration PATIENCE = Duration.ofSeconds(30);

    @Test
    void recordsAreAckedWithTheirOffsetsInTheOrderOfTheirSending() throws Exception {
        try (EmbeddedBroker broker = EmbeddedBroker.builder().start();
                Producer<String, String> producer = producer(broker)) {
            List<Delivery> deliveries = new ArrayList<>();
            for (int index = 0; index < 1_000; index++) {
                deliveries.add(producer.send(new ProducerRecord<>("t", "key", "value " + index)));
            }
            producer.flush(PATIENCE);
            for (int index = 0; index < 1_000; index++) {
                RecordMetadata metadata = deliveries.get(index).delivered().get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
                assertThat(metadata.offset()).isEqualTo(index);
            }
            assertThat(producer.counts().acked()).isEqualTo(1_000);
            assertThat(producer.counts().pending()).isZero();
            assertThat(producer.freeMemory()).isEqualTo(32 << 20);
        }
    }

    private static Producer<String, String> producer(EmbeddedBroker broker) {
        return new Producer<>(
                Map.of("bootstrap.servers", broker.bootstrapServers()), new StringSerializer(), new StringSerializer());
    }
}
