package io.faultline.bench.client;

import java.time.Duration;
import java.util.List;
import java.util.Properties;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/**
 * What a consumer got of a partition.
 *
 * @param records how many records, from the first on
 * @param wrong how many of them were not what was produced
 * @param end how it ended
 * @param detail the text of what it was told, "" if nothing
 */
public record Consumed(long records, long wrong, End end, String detail) {

    /** How consuming ended. */
    public enum End {
        /** It got everything. */
        COMPLETE,
        /** It got no further record, and nobody told it why. */
        STALLED,
        /** The client found a corrupt batch. */
        CORRUPT
    }

    private static final Duration POLL = Duration.ofMillis(200);

    /**
     * Consumes a partition from its beginning until it has everything, meets a corrupt batch, or gets nothing for a while.
     *
     * @param client where and how to connect
     * @param partition what to consume
     * @param expected how many records there are
     * @param patience how long "nothing" is taken for a stall
     * @return what it got
     */
    public static Consumed of(Properties client, TopicPartition partition, long expected, Duration patience) {
        Properties properties = new Properties();
        properties.putAll(client);
        properties.put(ConsumerConfig.KEY_DESERIALIZER_CLASS_CONFIG, ByteArrayDeserializer.class);
        properties.put(ConsumerConfig.VALUE_DESERIALIZER_CLASS_CONFIG, ByteArrayDeserializer.class);
        properties.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "none");
        long records = 0;
        long wrong = 0;
        try (KafkaConsumer<byte[], byte[]> consumer = new KafkaConsumer<>(properties)) {
            consumer.assign(List.of(partition));
            consumer.seek(partition, 0);
            long last = System.nanoTime();
            while (records < expected) {
                for (ConsumerRecord<byte[], byte[]> record : consumer.poll(POLL)) {
                    if (record.offset() != records || !Records.isRight(partition, record.offset(), record.value())) {
                        wrong++;
                    }
                    records++;
                    last = System.nanoTime();
                }
                if (System.nanoTime() - last > patience.toNanos()) {
                    return new Consumed(records, wrong, End.STALLED, "");
                }
            }
            return new Consumed(records, wrong, End.COMPLETE, "");
        } catch (KafkaException corrupt) {
            return new Consumed(records, wrong, End.CORRUPT, messageOf(corrupt));
        }
    }

    private static String messageOf(Throwable thrown) {
        Throwable innermost = thrown;
        while (innermost.getCause() != null) {
            innermost = innermost.getCause();
        }
        return String.valueOf(innermost.getMessage());
    }
}
