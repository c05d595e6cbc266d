package io.faultline.bench.throughput;

import io.faultline.bench.measure.OpenLoop.Ended;
import io.faultline.client.Consumer;
import io.faultline.client.Producer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** Whose client it is. Both know Kafka's configuration names. */
enum ClientLibrary {

    /** This project's. */
    BUNDLED {
        @Override
        MeasuredProducer producer(Map<String, Object> configuration) {
            Producer<byte[], byte[]> producer =
                    new Producer<>(configuration, new ByteArraySerializer(), new ByteArraySerializer());
            return new MeasuredProducer() {
                @Override
                public void send(String topic, int partition, byte[] value, Ended ended) {
                    producer.send(new ProducerRecord<>(topic, partition, null, value))
                            .delivered()
                            .whenComplete((metadata, failure) -> ended.with(failure));
                }

                @Override
                public void close() {
                    producer.close(PATIENCE);
                }
            };
        }

        @Override
        MeasuredConsumer consumer(Map<String, Object> configuration) {
            Consumer<byte[], byte[]> consumer =
                    new Consumer<>(configuration, new ByteArrayDeserializer(), new ByteArrayDeserializer());
            return new MeasuredConsumer() {
                @Override
                public void rewind(String topic, int partitions) {
                    List<TopicPartition> all = partitions(topic, partitions);
                    consumer.assign(all);
                    all.forEach(partition -> consumer.seek(partition, 0));
                }

                @Override
                public int poll() {
                    return consumer.poll(PATIENCE).count();
                }

                @Override
                public void close() {
                    consumer.close(PATIENCE);
                }
            };
        }
    },

    /** Apache Kafka's, {@code kafka-clients}. */
    APACHE {
        @Override
        MeasuredProducer producer(Map<String, Object> configuration) {
            KafkaProducer<byte[], byte[]> producer =
                    new KafkaProducer<>(configuration, new ByteArraySerializer(), new ByteArraySerializer());
            return new MeasuredProducer() {
                @Override
                public void send(String topic, int partition, byte[] value, Ended ended) {
                    producer.send(
                            new ProducerRecord<>(topic, partition, null, value),
                            (metadata, failure) -> ended.with(failure));
                }

                @Override
                public void close() {
                    producer.close(PATIENCE);
                }
            };
        }

        @Override
        MeasuredConsumer consumer(Map<String, Object> configuration) {
            KafkaConsumer<byte[], byte[]> consumer =
                    new KafkaConsumer<>(configuration, new ByteArrayDeserializer(), new ByteArrayDeserializer());
            return new MeasuredConsumer() {
                @Override
                public void rewind(String topic, int partitions) {
                    List<TopicPartition> all = partitions(topic, partitions);
                    consumer.assign(all);
                    all.forEach(partition -> consumer.seek(partition, 0));
                }

                @Override
                public int poll() {
                    return consumer.poll(PATIENCE).count();
                }

                @Override
                public void close() {
                    consumer.close();
                }
            };
        }
    };

    private static final Duration PATIENCE = Duration.ofSeconds(30);

    abstract MeasuredProducer producer(Map<String, Object> configuration);

    abstract MeasuredConsumer consumer(Map<String, Object> configuration);

    private static List<TopicPartition> partitions(String topic, int count) {
        return IntStream.range(0, count)
                .mapToObj(number -> new TopicPartition(topic, number))
                .toList();
    }
}
