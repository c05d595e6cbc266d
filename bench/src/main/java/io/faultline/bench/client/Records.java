package io.faultline.bench.client;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Random;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** Records whose content is known, so that a consumer can tell whether it got what was produced. */
public final class Records {

    /** Of each record, in bytes: random ones, so that no two blocks of a segment are the same. */
    private static final int SIZE = 1_000;

    private Records() {}

    /**
     * The content of the n-th record of a partition.
     *
     * @param partition the partition
     * @param number from 0 on
     * @return the bytes, always the same
     */
    public static byte[] content(TopicPartition partition, long number) {
        byte[] bytes = new byte[SIZE];
        new Random(partition.hashCode() * 1_000_003L + number).nextBytes(bytes);
        return bytes;
    }

    /**
     * Compares a record with what was produced.
     *
     * @param partition the partition
     * @param number from 0 on
     * @param content what came
     * @return true if it is the content of that record
     */
    public static boolean isRight(TopicPartition partition, long number, byte[] content) {
        return Arrays.equals(content, content(partition, number));
    }

    /**
     * Produces to partitions, from the first record on.
     *
     * @param bootstrap where to connect
     * @param acks Kafka's {@code acks}
     * @param eachPartition how many records to each
     * @param partitions where to
     * @throws ExecutionException if a record was not taken
     * @throws InterruptedException if interrupted meanwhile
     */
    public static void produce(String bootstrap, String acks, long eachPartition, TopicPartition... partitions)
            throws ExecutionException, InterruptedException {
        List<Future<RecordMetadata>> sent = new ArrayList<>();
        try (KafkaProducer<byte[], byte[]> producer = producer(bootstrap, acks)) {
            for (long number = 0; number < eachPartition; number++) {
                for (TopicPartition partition : partitions) {
                    sent.add(producer.send(record(partition, number)));
                }
            }
            producer.flush();
        }
        for (Future<RecordMetadata> each : sent) {
            each.get();
        }
    }

    /**
     * The n-th record of a partition, to be sent.
     *
     * @param partition the partition
     * @param number from 0 on
     * @return the record
     */
    public static ProducerRecord<byte[], byte[]> record(TopicPartition partition, long number) {
        return new ProducerRecord<>(partition.topic(), partition.partition(), null, content(partition, number));
    }

    /**
     * A producer that keeps the order of its records and needs no more than a plain broker.
     *
     * @param bootstrap where to connect
     * @param acks Kafka's {@code acks}
     * @return the producer
     */
    public static KafkaProducer<byte[], byte[]> producer(String bootstrap, String acks) {
        Properties properties = new Properties();
        properties.putAll(Map.of(
                ProducerConfig.BOOTSTRAP_SERVERS_CONFIG,
                bootstrap,
                ProducerConfig.ACKS_CONFIG,
                acks,
                ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG,
                "false",
                ProducerConfig.MAX_IN_FLIGHT_REQUESTS_PER_CONNECTION,
                "1",
                ProducerConfig.KEY_SERIALIZER_CLASS_CONFIG,
                ByteArraySerializer.class,
                ProducerConfig.VALUE_SERIALIZER_CLASS_CONFIG,
                ByteArraySerializer.class));
        return new KafkaProducer<>(properties);
    }
}
