package io.faultline.client.produce;

import io.faultline.client.protocol.BatchBuilder;
import io.faultline.client.watchdog.Deadline;
import io.faultline.client.watchdog.MonotonicClock;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.Header;

/** Where callers put their records, partition by partition, within {@code buffer.memory}. For any thread. */
final class Accumulator {

    /**
     * How long a batch grows that waits because there is no leader to send it to; one that lingers may do so for longer. Its records are given up together, by the time of the
     * last one: no later than a tick of a second after their own, and that with room for a machine that is busy.
     */
    private static final Duration GROWTH = Duration.ofMillis(500);

    /** Hears, on the threads of callers, of what there is to send. */
    interface Listener {
        void onBegun(Batch batch);

        void onFull(TopicPartition partition);

        /** A caller waits for memory. */
        void onNoMemory();
    }

    private final ProduceConfig config;
    private final MonotonicClock clock;
    private final MemoryLimit memory;
    private final BatchBuffers buffers;
    private final Listener listener;
    private final Duration growth;
    private final Map<TopicPartition, PartitionQueue> queues = new ConcurrentHashMap<>();
    private final Set<Batch> live = ConcurrentHashMap.newKeySet();

    /**
     * Begins empty.
     *
     * @param listener hears of what there is to send
     */
    Accumulator(ProduceConfig config, boolean spools, MonotonicClock clock, Listener listener) {
        this.config = config;
        this.clock = clock;
        this.memory = new MemoryLimit(config.bufferMemory(), clock, listener::onNoMemory);
        // The spool may still write the bytes of a batch that was settled meanwhile.
        int most = spools ? 0 : (int) (config.bufferMemory() / Math.max(1, config.batchSize()));
        this.buffers = new BatchBuffers(config.batchSize(), most);
        this.listener = listener;
        this.growth = config.linger().compareTo(GROWTH) > 0 ? config.linger() : GROWTH;
    }

    MemoryLimit memory() {
        return memory;
    }

    PartitionQueue queue(TopicPartition partition) {
        return queues.computeIfAbsent(partition, same -> new PartitionQueue(growth));
    }

    /** The batches whose records are not all settled, as they come and go. */
    Set<Batch> live() {
        return live;
    }

    /**
     * Adds a record, waiting for memory where there is too little.
     *
     * @param now the reading of the clock
     * @return false if there was too little until the deadline, or the client was closed
     * @throws InterruptedException if the caller was interrupted
     */
    boolean append(
            TopicPartition partition,
            RecordDelivery delivery,
            long now,
            byte[] key,
            byte[] value,
            Header[] headers,
            Deadline deadline)
            throws InterruptedException {
        PartitionQueue queue = queue(partition);
        switch (queue.append(delivery, now, key, value, headers)) {
            case APPENDED -> {
                return true;
            }
            case FILLED -> {
                listener.onFull(partition);
                return true;
            }
            default -> {
                return begin(partition, queue, delivery, key, value, headers, deadline);
            }
        }
    }

    private boolean begin(
            TopicPartition partition,
            PartitionQueue queue,
            RecordDelivery delivery,
            byte[] key,
            byte[] value,
            Header[] headers,
            Deadline deadline)
            throws InterruptedException {
        int size = Math.max(config.batchSize(), BatchBuilder.upperBound(config.compression(), key, value, headers));
        if (!memory.take(size, deadline)) {
            return false;
        }
        long now = clock.nanos();
        Batch fresh = new Batch(partition, size, config.compression(), memory, buffers, now, config.deliveryTimeout());
        live.add(fresh);
        if (queue.begin(fresh, delivery, now, key, value, headers)) {
            listener.onBegun(fresh);
        } else {
            live.remove(fresh);
            fresh.giveUp();
            listener.onFull(partition); // it may be
        }
        return true;
    }
}
