package io.faultline.bench.throughput;

import io.faultline.client.Consumer;
import io.faultline.client.Producer;
import java.util.Map;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
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
            return new MeasuredProducer(
                    (record, ended) ->
                            producer.send(record).delivered().whenComplete((metadata, failure) -> ended.with(failure)),
                    producer::close);
        }

        @Override
        MeasuredConsumer consumer(Map<String, Object> configuration) {
            Consumer<byte[], byte[]> consumer =
                    new Consumer<>(configuration, new ByteArrayDeserializer(), new ByteArrayDeserializer());
            return new MeasuredConsumer(
                    consumer::assign,
                    partition -> consumer.seek(partition, 0),
                    timeout -> consumer.poll(timeout).count(),
                    consumer::close);
        }
    },

    /** Apache Kafka's, {@code kafka-clients}. */
    APACHE {
        @Override
        MeasuredProducer producer(Map<String, Object> configuration) {
            KafkaProducer<byte[], byte[]> producer =
                    new KafkaProducer<>(configuration, new ByteArraySerializer(), new ByteArraySerializer());
            return new MeasuredProducer(
                    (record, ended) -> producer.send(record, (metadata, failure) -> ended.with(failure)),
                    producer::close);
        }

        @Override
        MeasuredConsumer consumer(Map<String, Object> configuration) {
            KafkaConsumer<byte[], byte[]> consumer =
                    new KafkaConsumer<>(configuration, new ByteArrayDeserializer(), new ByteArrayDeserializer());
            return new MeasuredConsumer(
                    consumer::assign,
                    partition -> consumer.seek(partition, 0),
                    timeout -> consumer.poll(timeout).count(),
                    timeout -> consumer.close(CloseOptions.timeout(timeout)));
        }
    };

    abstract MeasuredProducer producer(Map<String, Object> configuration);

    abstract MeasuredConsumer consumer(Map<String, Object> configuration);
}
