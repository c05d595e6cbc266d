package io.faultline.bench.broker;

import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/**
 * Reads what is in the logs, as a consumer of a group, and compares it with what was produced. It goes on where it was, through
 * restarts of the broker, and commits as it goes.
 */
final class LogAudit {

    private static final Duration POLL = Duration.ofMillis(200);
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final Map<TopicPartition, Map<Long, Long>> numbersByOffset = new HashMap<>();
    private final Map<TopicPartition, Long> committed = new HashMap<>();
    private long wrong;
    private long commitsLost;

    /**
     * Makes an audit that has read nothing yet.
     *
     * @param partitions what it reads
     */
    LogAudit(Collection<TopicPartition> partitions) {
        partitions.forEach(partition -> numbersByOffset.put(partition, new HashMap<>()));
    }

    /**
     * Reads up to where the logs end now, and commits that.
     *
     * @param bootstrap where to connect
     */
    void catchUp(String bootstrap) {
        Properties properties = new Properties();
        properties.putAll(Map.of(
                ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG,
                bootstrap,
                ConsumerConfig.GROUP_ID_CONFIG,
                "audit",
                ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG,
                false,
                ConsumerConfig.AUTO_OFFSET_RESET_CONFIG,
                "none",
                ConsumerConfig.KEY_DESERIALIZER_CLASS_CONFIG,
                ByteArrayDeserializer.class,
                ConsumerConfig.VALUE_DESERIALIZER_CLASS_CONFIG,
                ByteArrayDeserializer.class));
        try (KafkaConsumer<byte[], byte[]> consumer = new KafkaConsumer<>(properties)) {
            consumer.assign(numbersByOffset.keySet());
            Map<TopicPartition, OffsetAndMetadata> known = consumer.committed(numbersByOffset.keySet());
            committed.forEach((partition, offset) -> {
                OffsetAndMetadata now = known.get(partition);
                commitsLost += now == null || now.offset() < offset ? 1 : 0;
            });
            numbersByOffset.keySet().forEach(partition -> consumer.seek(partition, next(partition)));
            readTo(consumer, consumer.endOffsets(numbersByOffset.keySet()));
            Map<TopicPartition, OffsetAndMetadata> positions = new HashMap<>();
            numbersByOffset
                    .keySet()
                    .forEach(partition -> positions.put(partition, new OffsetAndMetadata(next(partition))));
            consumer.commitSync(positions);
            positions.forEach((partition, position) -> committed.put(partition, position.offset()));
        }
    }

    private void readTo(KafkaConsumer<byte[], byte[]> consumer, Map<TopicPartition, Long> ends) {
        long last = System.nanoTime();
        while (ends.entrySet().stream().anyMatch(end -> next(end.getKey()) < end.getValue())) {
            for (ConsumerRecord<byte[], byte[]> record : consumer.poll(POLL)) {
                TopicPartition partition = new TopicPartition(record.topic(), record.partition());
                long number = ProducerLoad.numberOf(partition, record.value());
                wrong += number < 0 || record.offset() != next(partition) ? 1 : 0;
                numbersByOffset.get(partition).put(record.offset(), number);
                last = System.nanoTime();
            }
            if (System.nanoTime() - last > PATIENCE.toNanos()) {
                throw new IllegalStateException("nothing more comes before " + ends);
            }
        }
    }

    /** Where a partition is read on; its offsets have no gaps. */
    private long next(TopicPartition partition) {
        return numbersByOffset.get(partition).size();
    }

    /** How many records were read that nobody produced so, or at an offset where they do not belong. */
    long wrong() {
        return wrong;
    }

    /** How many commits were not there any more after a restart. */
    long commitsLost() {
        return commitsLost;
    }

    /** How many records were read. */
    long records() {
        return numbersByOffset.values().stream().mapToLong(Map::size).sum();
    }

    /** How many acknowledged records are not at the offset that was acknowledged. */
    long lost(ProducerLoad load) {
        long lost = 0;
        for (Map.Entry<TopicPartition, Map<Long, Long>> entry :
                load.acknowledged().entrySet()) {
            Map<Long, Long> numbers = numbersByOffset.get(entry.getKey());
            for (Map.Entry<Long, Long> acknowledged : entry.getValue().entrySet()) {
                lost += acknowledged.getKey().equals(numbers.get(acknowledged.getValue())) ? 0 : 1;
            }
        }
        return lost;
    }

    /** How many records of a load are there more than once. */
    long duplicates(ProducerLoad load) {
        long duplicates = 0;
        for (TopicPartition partition : load.acknowledged().keySet()) {
            Set<Long> seen = new HashSet<>();
            for (long number : List.copyOf(numbersByOffset.get(partition).values())) {
                duplicates += seen.add(number) ? 0 : 1;
            }
        }
        return duplicates;
    }
}
