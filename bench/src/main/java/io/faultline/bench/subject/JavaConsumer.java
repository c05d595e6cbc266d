package io.faultline.bench.subject;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** The consumer of kafka-clients. */
final class JavaConsumer implements SubjectConsumer {

    private final KafkaConsumer<byte[], byte[]> consumer;
    private String topic;

    JavaConsumer(Map<String, String> configuration) {
        consumer = new KafkaConsumer<>(
                new HashMap<>(configuration), new ByteArrayDeserializer(), new ByteArrayDeserializer());
    }

    @Override
    public void assign(String ofTopic, Collection<Integer> partitions) {
        topic = ofTopic;
        consumer.assign(
                partitions.stream().map(each -> new TopicPartition(topic, each)).toList());
    }

    @Override
    public void subscribe(String ofTopic, Ownership ownership) {
        topic = ofTopic;
        consumer.subscribe(List.of(topic), new ConsumerRebalanceListener() {
            @Override
            public void onPartitionsRevoked(Collection<TopicPartition> partitions) {
                ownership.revoked(numbers(partitions));
            }

            @Override
            public void onPartitionsAssigned(Collection<TopicPartition> partitions) {
                ownership.owns(consumer.groupMetadata().generationId(), numbers(consumer.assignment()));
            }

            @Override
            public void onPartitionsLost(Collection<TopicPartition> partitions) {
                ownership.lost();
            }
        });
    }

    @Override
    public List<Polled> poll(Duration timeout) {
        List<Polled> polled = new ArrayList<>();
        consumer.poll(timeout)
                .forEach(record -> polled.add(new Polled(record.partition(), record.offset(), record.value())));
        return polled;
    }

    @Override
    public void commit(Map<Integer, Long> next, Runnable committed) {
        consumer.commitAsync(offsets(next), (offsets, failure) -> {
            if (failure == null) {
                committed.run();
            }
        });
    }

    @Override
    public void commit(Map<Integer, Long> next, Duration timeout) {
        consumer.commitSync(offsets(next), timeout);
    }

    @Override
    public void rewind() {
        consumer.seekToBeginning(consumer.assignment());
    }

    @Override
    public void wakeup() {
        consumer.wakeup();
    }

    @Override
    public void close(Duration timeout) {
        consumer.close(CloseOptions.timeout(timeout));
    }

    private Map<TopicPartition, OffsetAndMetadata> offsets(Map<Integer, Long> next) {
        return next.entrySet().stream()
                .collect(Collectors.toMap(
                        entry -> new TopicPartition(topic, entry.getKey()),
                        entry -> new OffsetAndMetadata(entry.getValue())));
    }

    private static List<Integer> numbers(Collection<TopicPartition> partitions) {
        return partitions.stream().map(TopicPartition::partition).sorted().toList();
    }
}
