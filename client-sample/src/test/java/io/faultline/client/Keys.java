package io.faultline.client;

import io.faultline.broker.EmbeddedBroker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.StringDeserializer;

/** What Apache Kafka's own consumer finds in a log. */
final class Keys {

    private Keys() {}

    /** The keys of all records of a partition, in their order. */
    static List<String> read(EmbeddedBroker broker, TopicPartition partition) {
        Map<String, Object> config = Map.of("bootstrap.servers", broker.bootstrapServers());
        List<String> keys = new ArrayList<>();
        try (KafkaConsumer<String, byte[]> consumer =
                new KafkaConsumer<>(config, new StringDeserializer(), new ByteArrayDeserializer())) {
            consumer.assign(List.of(partition));
            consumer.seekToBeginning(List.of(partition));
            long end = consumer.endOffsets(List.of(partition)).get(partition);
            while (consumer.position(partition) < end) {
                for (ConsumerRecord<String, byte[]> each : consumer.poll(Duration.ofSeconds(1))) {
                    keys.add(each.key());
                }
            }
        }
        return keys;
    }
}
