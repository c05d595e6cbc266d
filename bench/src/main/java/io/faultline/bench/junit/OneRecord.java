package io.faultline.bench.junit;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;

/** The smallest test of a client: a topic, and one record there and back. */
final class OneRecord {

    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final TopicPartition PARTITION = new TopicPartition("t", 0);
    private static final String VALUE = "one";

    private OneRecord() {}

    static void thereAndBack(String bootstrapServers) throws ExecutionException, InterruptedException {
        // The consumer's close waits for its last long poll, on either side: by default half a second that no broker
        // can save.
        Map<String, Object> connection =
                Map.of("bootstrap.servers", bootstrapServers, "auto.offset.reset", "earliest", "fetch.max.wait.ms", 1);
        try (Admin admin = Admin.create(connection)) {
            admin.createTopics(List.of(new NewTopic(PARTITION.topic(), 1, (short) 1)))
                    .all()
                    .get();
        }
        try (Producer<String, String> producer =
                new KafkaProducer<>(connection, new StringSerializer(), new StringSerializer())) {
            producer.send(new ProducerRecord<>(PARTITION.topic(), VALUE)).get();
        }
        try (Consumer<String, String> consumer =
                new KafkaConsumer<>(connection, new StringDeserializer(), new StringDeserializer())) {
            consumer.assign(List.of(PARTITION));
            ConsumerRecords<String, String> records = consumer.poll(PATIENCE);
            List<String> values = records.records(PARTITION).stream()
                    .map(ConsumerRecord::value)
                    .toList();
            if (!values.equals(List.of(VALUE))) {
                throw new AssertionError("consumed " + values);
            }
        }
    }
}
