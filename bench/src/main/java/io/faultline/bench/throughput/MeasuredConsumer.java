package io.faultline.bench.throughput;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.ToIntFunction;
import java.util.stream.IntStream;
import org.apache.kafka.common.TopicPartition;

/**
 * A consumer of one kind or the other, used as its users use it, from one thread.
 *
 * @param assigning takes partitions, and no others
 * @param seeking goes to the first record of one
 * @param polling waits for records within a time, and returns how many came
 * @param closing closes it within a time
 */
record MeasuredConsumer(
        Consumer<Collection<TopicPartition>> assigning,
        Consumer<TopicPartition> seeking,
        ToIntFunction<Duration> polling,
        Consumer<Duration> closing)
        implements AutoCloseable {

    private static final Duration PATIENCE = Duration.ofSeconds(30);

    /** Goes to the first record of every partition of a topic. */
    void rewind(String topic, int partitions) {
        List<TopicPartition> all = IntStream.range(0, partitions)
                .mapToObj(number -> new TopicPartition(topic, number))
                .toList();
        assigning.accept(all);
        all.forEach(seeking);
    }

    /** Waits for records, and returns how many came. */
    int poll() {
        return polling.applyAsInt(PATIENCE);
    }

    @Override
    public void close() {
        closing.accept(PATIENCE);
    }
}
