package io.faultline.client.produce;

import io.faultline.client.Delivery;
import io.faultline.client.loop.Callbacks;
import io.faultline.client.loop.EventLoop;
import io.faultline.client.metadata.Metadata;
import io.faultline.client.metadata.TopicView;
import io.faultline.client.network.Network;
import io.faultline.client.protocol.BatchBuilder;
import io.faultline.client.watchdog.Deadline;
import io.faultline.client.watchdog.MonotonicClock;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.random.RandomGenerator;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.header.Header;

/**
 * The way of a record from a caller to its partition's leader. Callers' threads put records in; the loop takes them out; the
 * callback thread tells what became of them.
 */
public final class ProducePipeline {

    /**
     * What a caller wants to send, serialized.
     *
     * @param topic where to
     * @param partition which, or null to have one chosen
     * @param timestamp its time in milliseconds since 1970, or null for now
     * @param key the key, or null
     * @param value the value, or null
     * @param headers its headers
     */
    public record Outgoing(
            String topic, Integer partition, Long timestamp, byte[] key, byte[] value, Header[] headers) {

        int size() {
            return (key == null ? 0 : key.length) + (value == null ? 0 : value.length);
        }
    }

    private final EventLoop loop;
    private final Callbacks callbacks;
    private final Metadata metadata;
    private final ProduceConfig config;
    private final MonotonicClock clock;
    private final Partitioning partitioning;
    private final Accumulator accumulator;
    private final Sender sender;
    private final TopicWaits topics;
    private final DeliveryCounts counts = new DeliveryCounts();
    private final Set<CompletableFuture<TopicView>> waiting = ConcurrentHashMap.newKeySet();
    private final AtomicReference<KafkaException> ended = new AtomicReference<>();

    /**
     * Builds the way.
     *
     * @param loop the client's loop
     * @param callbacks where futures complete
     * @param network the client's network
     * @param metadata the client's view
     * @param config how records are sent
     * @param spool where batches go that cannot wait in memory; null for nowhere
     * @param random varies pauses
     */
    public ProducePipeline(
            EventLoop loop,
            Callbacks callbacks,
            Network network,
            Metadata metadata,
            ProduceConfig config,
            SpoolSide spool,
            RandomGenerator random) {
        this.loop = loop;
        this.callbacks = callbacks;
        this.metadata = metadata;
        this.config = config;
        this.clock = loop.watchdogs().clock();
        this.partitioning = new Partitioning(config.batchSize(), config.ignoreKeys());
        this.accumulator = new Accumulator(config, spool != null, clock, new Accumulator.Listener() {
            @Override
            public void onBegun(Batch batch) {
                loop.execute(() -> sender.begun(batch));
            }

            @Override
            public void onFull(TopicPartition partition) {
                loop.execute(() -> sender.filled(partition));
            }

            @Override
            public void onNoMemory() {
                loop.execute(() -> sender.noMemory());
            }
        });
        this.sender = new Sender(loop, network, metadata, config, accumulator, spool, callbacks, random);
        this.topics = new TopicWaits(metadata);
        loop.execute(sender::recover);
    }

    /**
     * Sends a record. What goes wrong with this one record fails its delivery.
     *
     * @param record the record
     * @param maxBlock for how long the caller waits for its topic to be known and for memory, together
     * @return what becomes of it
     * @throws InterruptedException if the caller was interrupted while it waited
     */
    public Delivery send(Outgoing record, Duration maxBlock) throws InterruptedException {
        long timestamp = record.timestamp() == null ? System.currentTimeMillis() : record.timestamp();
        RecordDelivery delivery =
                new RecordDelivery(callbacks, counts, length(record.key()), length(record.value()), timestamp);
        KafkaException failure = tryAppend(record, delivery, maxBlock);
        if (failure != null) {
            delivery.fail(failure);
        }
        KafkaException end = ended.get();
        if (end != null) { // whoever settled all that was pending may not have seen this one
            delivery.fail(end);
        }
        return delivery;
    }

    private static int length(byte[] bytes) {
        return bytes == null ? -1 : bytes.length;
    }

    /** Returns why the record was not taken, null if it was. */
    private KafkaException tryAppend(Outgoing record, RecordDelivery delivery, Duration maxBlock)
            throws InterruptedException {
        int size = BatchBuilder.upperBound(config.compression(), record.key(), record.value(), record.headers());
        long most = Math.min(config.maxRequestSize(), config.bufferMemory());
        if (size > most) {
            return new RecordTooLargeException(
                    "a record of " + size + " bytes; max.request.size and buffer.memory leave " + most);
        }
        try {
            long now = clock.nanos(); // once, for a record that need not wait
            Deadline deadline = Deadline.after(now, maxBlock);
            TopicView topic = known(record);
            if (topic == null) {
                topic = await(record, deadline);
                now = clock.nanos();
            }
            int partition = record.partition() != null
                    ? record.partition()
                    : partitioning.choose(topic, record.key(), record.size());
            boolean taken = accumulator.append(
                    new TopicPartition(record.topic(), partition),
                    delivery,
                    now,
                    record.key(),
                    record.value(),
                    record.headers(),
                    deadline);
            return taken
                    ? null
                    : new TimeoutException(
                            "no room in buffer.memory (" + config.bufferMemory() + " bytes) within max.block.ms");
        } catch (KafkaException failure) {
            return failure;
        }
    }

    /** The topic, null if it or the partition is not known yet. */
    private TopicView known(Outgoing record) {
        TopicView known = metadata.view().topic(record.topic()).orElse(null);
        boolean isKnown = known != null
                && !known.partitions().isEmpty()
                && (record.partition() == null
                        || record.partition() < 0
                        || known.partition(record.partition()).isPresent());
        return isKnown ? known : null;
    }

    private TopicView await(Outgoing record, Deadline deadline) throws InterruptedException {
        int partition = record.partition() == null ? -1 : record.partition();
        CompletableFuture<TopicView> found = new CompletableFuture<>();
        waiting.add(found);
        try {
            KafkaException end = ended.get();
            if (end != null) {
                throw end;
            }
            loop.execute(() -> topics.await(record.topic(), partition, found));
            return found.get(deadline.remaining(clock.nanos()), TimeUnit.NANOSECONDS);
        } catch (java.util.concurrent.TimeoutException late) {
            found.cancel(false);
            throw new TimeoutException("topic " + record.topic() + (partition < 0 ? "" : " partition " + partition)
                    + " was not known within max.block.ms");
        } catch (ExecutionException failure) {
            throw (KafkaException) failure.getCause(); // nothing else is put in
        } finally {
            waiting.remove(found);
        }
    }

    /**
     * Sends everything that was put in before, without lingering.
     *
     * @return completes, on the loop or where it was lost, when all of it is settled; exceptionally if some of it failed
     */
    public CompletableFuture<Void> flush() {
        // One that has failed is live for a moment longer, and told of already.
        CompletableFuture<?>[] pending = accumulator.live().stream()
                .map(Batch::done)
                .filter(done -> !done.isDone())
                .toArray(CompletableFuture[]::new);
        loop.execute(sender::flushBegins);
        CompletableFuture<Void> all = CompletableFuture.allOf(pending);
        all.whenComplete((none, failure) -> loop.execute(sender::flushEnds));
        return all;
    }

    /**
     * The loop will make no turn any more: settles everything, on whatever thread, and lets go who waits.
     *
     * @param cause why
     */
    public void lost(KafkaException cause) {
        end(cause);
        accumulator.live().forEach(batch -> batch.failRecords(cause));
    }

    /**
     * The client is closed: settles everything, on the loop.
     *
     * @param cause why
     */
    public void close(KafkaException cause) {
        end(cause);
        topics.failAll(cause);
        sender.close(cause);
    }

    private void end(KafkaException cause) {
        ended.compareAndSet(null, cause);
        accumulator.memory().close();
        waiting.forEach(found -> found.completeExceptionally(cause));
    }

    /**
     * Why nothing is taken any more.
     *
     * @return null as long as it is
     */
    public KafkaException ended() {
        return ended.get();
    }

    /**
     * How many records were produced, acked and failed.
     *
     * @return the counts
     */
    public DeliveryCounts counts() {
        return counts;
    }

    /**
     * For how long the oldest record that is not settled has been on its way.
     *
     * @return nanoseconds; 0 if there is none
     */
    public long oldestAge() {
        long now = clock.nanos();
        return accumulator.live().stream()
                .mapToLong(batch -> now - batch.createdAt())
                .max()
                .orElse(0);
    }

    /**
     * How much of {@code buffer.memory} is free.
     *
     * @return bytes
     */
    public long freeMemory() {
        return accumulator.memory().free();
    }
}
