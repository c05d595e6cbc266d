package io.faultline.bench.demo;

import java.util.Arrays;
import java.util.Map;
import java.util.Properties;
import java.util.Random;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** Records whose content is known, so that a consumer can tell whether it got what was produced. */
final class Records {

    /** Of each record, in bytes: random ones, so that no two blocks of a segment are the same. */
    private static final int SIZE = 1_000;

    private Records() {}

    /** The content of the n-th record of a partition. */
    static byte[] content(TopicPartition partition, long number) {
        byte[] bytes = new byte[SIZE];
        new Random(partition.hashCode() * 1_000_003L + number).nextBytes(bytes);
        return bytes;
    }

    static boolean isRight(TopicPartition partition, long number, byte[] content) {
        return Arrays.equals(content, content(partition, number));
    }

    /** Produces so many records to each partition. */
    static void produce(String bootstrap, long eachPartition, TopicPartition... partitions)
            throws ExecutionException, InterruptedException {
        Properties properties = new Properties();
        properties.putAll(Map.of(
                ProducerConfig.BOOTSTRAP_SERVERS_CONFIG,
                bootstrap,
                ProducerConfig.ACKS_CONFIG,
                "1",
                ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG,
                "false",
                ProducerConfig.KEY_SERIALIZER_CLASS_CONFIG,
                ByteArraySerializer.class,
                ProducerConfig.VALUE_SERIALIZER_CLASS_CONFIG,
                ByteArraySerializer.class));
        try (KafkaProducer<byte[], byte[]> producer = new KafkaProducer<>(properties)) {
            for (long number = 0; number < eachPartition; number++) {
                for (TopicPartition partition : partitions) {
                    producer.send(new ProducerRecord<>(
                            partition.topic(), partition.partition(), null, content(partition, number)));
                }
            }
            producer.flush();
        }
    }
}
