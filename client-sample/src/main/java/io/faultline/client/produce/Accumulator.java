package io.faultline.client.produce;

import io.faultline.client.protocol.BatchBuilder;
import io.faultline.client.watchdog.Deadline;
import io.faultline.client.watchdog.MonotonicClock;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.Header;

/** Where callers put their records, partition by partition, within {@code buffer.memory}. For any thread. */
final class Accumulator {

    private final ProduceConfig config;
    private final MonotonicClock clock;
    private final MemoryLimit memory;
    private final Consumer<Batch> onWork;
    private final Map<TopicPartition, PartitionQueue> queues = new ConcurrentHashMap<>();
    private final Set<Batch> live = ConcurrentHashMap.newKeySet();

    /**
     * Begins empty.
     *
     * @param onWork told, on the thread of the caller, of each batch that was begun or is full
     */
    Accumulator(ProduceConfig config, MonotonicClock clock, Consumer<Batch> onWork) {
        this.config = config;
        this.clock = clock;
        this.memory = new MemoryLimit(config.bufferMemory(), clock);
        this.onWork = onWork;
    }

    MemoryLimit memory() {
        return memory;
    }

    PartitionQueue queue(TopicPartition partition) {
        return queues.computeIfAbsent(partition, same -> new PartitionQueue());
    }

    /** The batches whose records are not all settled, as they come and go. */
    Set<Batch> live() {
        return live;
    }

    /**
     * Adds a record, waiting for memory where there is too little.
     *
     * @return false if there was too little until the deadline, or the client was closed
     * @throws InterruptedException if the caller was interrupted
     */
    boolean append(
            TopicPartition partition,
            RecordDelivery delivery,
            byte[] key,
            byte[] value,
            Header[] headers,
            Deadline deadline)
            throws InterruptedException {
        PartitionQueue queue = queue(partition);
        Batch growing = queue.append(delivery, key, value, headers);
        if (growing == null) {
            int size = Math.max(config.batchSize(), BatchBuilder.upperBound(config.compression(), key, value, headers));
            if (!memory.take(size, deadline)) {
                return false;
            }
            long now = clock.nanos();
            Batch fresh = new Batch(
                    partition,
                    size,
                    config.compression(),
                    memory,
                    size,
                    now,
                    Deadline.after(now, config.deliveryTimeout()));
            live.add(fresh);
            growing = queue.append(fresh, delivery, key, value, headers);
            if (growing != fresh) {
                live.remove(fresh);
                memory.give(size);
            } else {
                onWork.accept(fresh);
                return true;
            }
        }
        if (growing.isFull()) {
            onWork.accept(growing);
        }
        return true;
    }
}
