package io.faultline.bench.outage;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** Reads a topic from its first record to what is the last one now. */
final class WholeTopic {

    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Duration POLL = Duration.ofMillis(200);

    private WholeTopic() {}

    /**
     * Reads it, each partition in its order.
     *
     * @throws IllegalStateException if its end is not reached within a minute
     */
    static void read(String bootstrap, String topic, int partitions, Consumer<ConsumerRecord<byte[], byte[]>> each) {
        List<TopicPartition> all = IntStream.range(0, partitions)
                .mapToObj(number -> new TopicPartition(topic, number))
                .toList();
        Map<String, Object> configuration = Map.of(ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrap);
        try (KafkaConsumer<byte[], byte[]> consumer =
                new KafkaConsumer<>(configuration, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
            consumer.assign(all);
            consumer.seekToBeginning(all);
            Map<TopicPartition, Long> ends = consumer.endOffsets(all);
            long deadline = System.nanoTime() + PATIENCE.toNanos();
            while (all.stream().anyMatch(partition -> consumer.position(partition) < ends.get(partition))) {
                if (System.nanoTime() > deadline) {
                    throw new IllegalStateException("the log of " + topic + " cannot be read to its end");
                }
                consumer.poll(POLL).forEach(each);
            }
        }
    }
}
