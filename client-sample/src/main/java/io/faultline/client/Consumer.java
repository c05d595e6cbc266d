package io.faultline.client;

import io.faultline.client.consume.PollingSide;
import io.faultline.client.loop.LoopMetrics;
import io.faultline.client.watchdog.Deadline;
import io.faultline.client.watchdog.TripListener;
import io.faultline.client.watchdog.WatchdogMetrics;
import java.lang.ref.Cleaner;
import java.time.Duration;
import java.util.Collection;
import java.util.ConcurrentModificationException;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.OffsetCommitCallback;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.AbstractConfig;
import org.apache.kafka.common.serialization.Deserializer;

/**
 * Reads records of a Kafka cluster, alone or as a member of a group. No outage, of whatever kind and length, wedges it: each call
 * returns within its time, and when the cluster is back it reads on by itself.
 *
 * <p>It is configured by Kafka's own keys and speaks the classic group protocol, also with Java members in the same group. As a member
 * it delivers and commits only what is its own for certain: it holds back what it has buffered while no heartbeat is answered, and a
 * commit carries the generation in which the records were polled, or fails.
 *
 * <p>Like Kafka's own it is for one thread at a time; only {@link #wakeup} may be called from any. Rebalance listeners and
 * deserializers run in the calls of that thread, callbacks of {@link #commitAsync} on the callback thread.
 *
 * <pre>{@code
 * try (Consumer<String, String> consumer = new Consumer<>(
 *         Map.of("bootstrap.servers", "localhost:9092", "group.id", "readers", "auto.offset.reset", "earliest"),
 *         new StringDeserializer(), new StringDeserializer())) {
 *     consumer.subscribe(List.of("topic"));
 *     while (running) {
 *         consumer.poll(Duration.ofSeconds(1)).forEach(record -> handle(record));
 *     }
 * }
 * }</pre>
 *
 * <p>A consumer that is not closed and cannot be reached any more gives back its threads and sockets.
 *
 * @param <K> the keys
 * @param <V> the values
 */
public final class Consumer<K, V> implements AutoCloseable {

    private static final Cleaner CLEANER = Cleaner.create();
    private static final Duration CLOSE = Duration.ofSeconds(30); // as Kafka's own
    private static final long END = -1;
    private static final long BEGINNING = -2;

    private final ConsumerRuntime runtime;
    private final PollingSide<K, V> polling;
    private final Deserializer<K> keyDeserializer;
    private final Deserializer<V> valueDeserializer;
    private final Duration apiTimeout;
    private final AtomicReference<Thread> user = new AtomicReference<>();
    private int depth; // of calls within calls, as of a rebalance listener's

    /**
     * Starts a consumer with the deserializers that the configuration names.
     *
     * @param config Kafka's keys and values, {@code key.deserializer} and {@code value.deserializer} among them
     * @throws org.apache.kafka.common.config.ConfigException if a key or value is wrong; the message names key, value and what
     *     is accepted
     */
    public Consumer(Map<String, ?> config) {
        this(config, null, null, Wiring.production());
    }

    /**
     * Starts a consumer.
     *
     * @param config Kafka's keys and values
     * @param keyDeserializer for keys; closed with the consumer
     * @param valueDeserializer for values; closed with the consumer
     * @throws org.apache.kafka.common.config.ConfigException if a key or value is wrong; the message names key, value and what
     *     is accepted
     */
    public Consumer(Map<String, ?> config, Deserializer<K> keyDeserializer, Deserializer<V> valueDeserializer) {
        this(
                config,
                Objects.requireNonNull(keyDeserializer, "keyDeserializer"),
                Objects.requireNonNull(valueDeserializer, "valueDeserializer"),
                Wiring.production());
    }

    /** With whatever a test wants to be different. */
    Consumer(Map<String, ?> config, Deserializer<K> keyDeserializer, Deserializer<V> valueDeserializer, Wiring wiring) {
        Map<String, Object> given = new HashMap<>(config);
        if (keyDeserializer != null) {
            given.put(ConsumerConfig.KEY_DESERIALIZER_CLASS_CONFIG, keyDeserializer.getClass());
        }
        if (valueDeserializer != null) {
            given.put(ConsumerConfig.VALUE_DESERIALIZER_CLASS_CONFIG, valueDeserializer.getClass());
        }
        AbstractConfig values = ClientKeys.parse(ConsumerKeys.KEYS, given);
        this.keyDeserializer =
                deserializer(values, ConsumerConfig.KEY_DESERIALIZER_CLASS_CONFIG, keyDeserializer, true);
        this.valueDeserializer =
                deserializer(values, ConsumerConfig.VALUE_DESERIALIZER_CLASS_CONFIG, valueDeserializer, false);
        this.apiTimeout = ClientConfig.millis(values, ConsumerConfig.DEFAULT_API_TIMEOUT_MS_CONFIG);
        this.runtime = new ConsumerRuntime(values, config, wiring);
        this.polling = new PollingSide<>(
                runtime.pipeline(),
                this.keyDeserializer,
                this.valueDeserializer,
                runtime.core().callbacks());
        runtime.start();
        CLEANER.register(this, runtime::abandon);
    }

    @SuppressWarnings("unchecked") // as in Kafka: the configuration is trusted to name the right class
    private static <T> Deserializer<T> deserializer(
            AbstractConfig values, String key, Deserializer<T> given, boolean isKey) {
        if (given != null) {
            return given;
        }
        Deserializer<T> made = values.getConfiguredInstance(key, Deserializer.class);
        made.configure(values.originals(), isKey);
        return made;
    }

    /**
     * Takes partitions of its own choosing, in place of those before, outside of what a group shares out.
     *
     * @param partitions which; none to take none
     * @throws IllegalStateException if the consumer is subscribed to topics, or closed
     */
    public void assign(Collection<TopicPartition> partitions) {
        use(() -> polling.assign(partitions));
    }

    /**
     * Becomes a member of the group and reads what it is assigned of some topics, in place of those before.
     *
     * @param topics their names
     * @throws IllegalStateException if partitions are assigned, or the consumer is closed
     * @throws org.apache.kafka.common.errors.InvalidGroupIdException if there is no {@code group.id}
     */
    public void subscribe(Collection<String> topics) {
        subscribe(topics, null);
    }

    /**
     * As {@link #subscribe(Collection)}, and tells a listener in the polls to come which partitions come and go.
     *
     * @param topics their names
     * @param listener told before partitions are given up, when they are lost, and when there are new ones; null for nobody
     */
    public void subscribe(Collection<String> topics, ConsumerRebalanceListener listener) {
        use(() -> polling.subscribe(topics, listener));
    }

    /**
     * As {@link #subscribe(Collection, ConsumerRebalanceListener)}, for all topics whose names match, those to come among them.
     *
     * @param names what the whole name has to match
     * @param listener told which partitions come and go; null for nobody
     */
    public void subscribe(Pattern names, ConsumerRebalanceListener listener) {
        use(() -> polling.subscribe(names, listener));
    }

    /** Gives up all partitions, and leaves the group. */
    public void unsubscribe() {
        use(polling::unsubscribe);
    }

    /**
     * The partitions that are read.
     *
     * @return a copy
     */
    public Set<TopicPartition> assignment() {
        return used(polling::assignment);
    }

    /**
     * The generation of the group of which the partitions are.
     *
     * @return the number that the coordinator gave it; -1 for a consumer that is no member
     */
    public int generation() {
        return used(() -> polling.generation().id());
    }

    /**
     * The topics that are subscribed to.
     *
     * @return their names
     */
    public Set<String> subscription() {
        return used(polling::subscription);
    }

    /**
     * Delivers records. Returns as soon as there are some, with none when the time is up. Rebalances go on in here only.
     *
     * @param timeout how long to wait at most; however long, it is not too long
     * @return the records, in the order of the log of each partition
     * @throws org.apache.kafka.common.errors.WakeupException after {@link #wakeup}
     * @throws org.apache.kafka.common.errors.InterruptException if the calling thread is interrupted
     * @throws org.apache.kafka.common.KafkaException for what a person should know of; the next poll goes on, unless the
     *     consumer has come to its end, as when another member took its {@code group.instance.id}
     * @throws IllegalStateException if nothing is subscribed to or assigned, or the consumer is closed
     */
    public ConsumerRecords<K, V> poll(Duration timeout) {
        return used(() -> polling.poll(timeout));
    }

    /**
     * Commits all that was delivered, and waits until that is acknowledged.
     *
     * @throws org.apache.kafka.clients.consumer.CommitFailedException if the group has gone on without this member
     * @throws org.apache.kafka.common.errors.RebalanceInProgressException if the group rebalances: poll, and commit again
     * @throws org.apache.kafka.common.errors.TimeoutException after {@code default.api.timeout.ms}
     */
    public void commitSync() {
        commitSync(null, apiTimeout);
    }

    /**
     * As {@link #commitSync()}.
     *
     * @param offsets by partition, the next one to read; null for all that was delivered
     * @param timeout how long to wait
     */
    public void commitSync(Map<TopicPartition, OffsetAndMetadata> offsets, Duration timeout) {
        use(() -> polling.commitSync(offsets, timeout));
    }

    /** Commits all that was delivered, and does not wait. */
    public void commitAsync() {
        commitAsync(null, null);
    }

    /**
     * Commits and does not wait. Commits are made in the order in which they were asked for.
     *
     * @param offsets by partition, the next one to read; null for all that was delivered
     * @param callback told on the callback thread what came of it; null for nobody
     */
    public void commitAsync(Map<TopicPartition, OffsetAndMetadata> offsets, OffsetCommitCallback callback) {
        use(() -> polling.commitAsync(offsets, callback));
    }

    /**
     * What the group has committed.
     *
     * @param partitions of which
     * @param timeout how long to wait
     * @return by partition; null for those of which nothing was committed
     */
    public Map<TopicPartition, OffsetAndMetadata> committed(Set<TopicPartition> partitions, Duration timeout) {
        return used(() -> polling.committed(partitions, timeout));
    }

    /**
     * Reads on from an offset; what was fetched before is dropped.
     *
     * @param partition one that is assigned
     * @param offset where to
     */
    public void seek(TopicPartition partition, long offset) {
        use(() -> polling.seek(partition, offset, Optional.empty()));
    }

    /**
     * As {@link #seek(TopicPartition, long)}, with the leader epoch of the record before, if it is known.
     *
     * @param partition one that is assigned
     * @param offset where to
     */
    public void seek(TopicPartition partition, OffsetAndMetadata offset) {
        use(() -> polling.seek(partition, offset.offset(), offset.leaderEpoch()));
    }

    /**
     * Reads on from the first record.
     *
     * @param partitions which; all that are assigned if empty
     */
    public void seekToBeginning(Collection<TopicPartition> partitions) {
        use(() -> polling.seekToTime(partitions, BEGINNING));
    }

    /**
     * Reads on behind the last record that there is.
     *
     * @param partitions which; all that are assigned if empty
     */
    public void seekToEnd(Collection<TopicPartition> partitions) {
        use(() -> polling.seekToTime(partitions, END));
    }

    /**
     * The offset of the next record to be delivered.
     *
     * @param partition one that is assigned
     * @return the offset
     * @throws org.apache.kafka.common.errors.TimeoutException if it is not known within {@code default.api.timeout.ms}
     */
    public long position(TopicPartition partition) {
        return position(partition, apiTimeout);
    }

    /**
     * As {@link #position(TopicPartition)}.
     *
     * @param partition one that is assigned
     * @param timeout how long to wait
     * @return the offset
     */
    public long position(TopicPartition partition, Duration timeout) {
        return used(() -> polling.position(partition, timeout));
    }

    /**
     * Delivers nothing more of some partitions.
     *
     * @param partitions which
     */
    public void pause(Collection<TopicPartition> partitions) {
        use(() -> polling.pause(partitions, true));
    }

    /**
     * Delivers of them again.
     *
     * @param partitions which
     */
    public void resume(Collection<TopicPartition> partitions) {
        use(() -> polling.pause(partitions, false));
    }

    /**
     * The partitions that are paused.
     *
     * @return a copy
     */
    public Set<TopicPartition> paused() {
        return used(polling::paused);
    }

    /**
     * The offsets of the first records.
     *
     * @param partitions of which
     * @param timeout how long to wait
     * @return by partition
     */
    public Map<TopicPartition, Long> beginningOffsets(Collection<TopicPartition> partitions, Duration timeout) {
        return used(() -> polling.offsets(partitions, BEGINNING, timeout));
    }

    /**
     * The offsets behind the last records.
     *
     * @param partitions of which
     * @param timeout how long to wait
     * @return by partition
     */
    public Map<TopicPartition, Long> endOffsets(Collection<TopicPartition> partitions, Duration timeout) {
        return used(() -> polling.offsets(partitions, END, timeout));
    }

    /** Has the call that waits now, or the next one that would, throw a WakeupException. May be called from any thread. */
    public void wakeup() {
        polling.wakeup();
    }

    /** Closes the consumer within 30 seconds; see {@link #close(Duration)}. */
    @Override
    public void close() {
        close(CLOSE);
    }

    /**
     * Closes the consumer: commits if that is automatic, gives up its partitions, leaves the group, and gives back sockets and
     * threads, all within the time. A rebalance listener that is told meanwhile may still commit. Closing twice does nothing.
     *
     * @param timeout how long that may take
     * @throws org.apache.kafka.common.KafkaException if a rebalance listener failed; the consumer is closed all the same
     */
    public void close(Duration timeout) {
        acquire();
        try {
            if (runtime.beginClose()) {
                Duration most = runtime.closeWithin(timeout);
                Deadline deadline = Deadline.after(runtime.core().loop().now(), most);
                try {
                    polling.close(most);
                } finally {
                    end(deadline);
                }
            }
        } finally {
            release();
        }
    }

    private void end(Deadline deadline) {
        try {
            runtime.end(deadline);
        } finally {
            keyDeserializer.close();
            valueDeserializer.close();
        }
    }

    /**
     * The life of this consumer's network thread as a meter.
     *
     * @return a binder for a Micrometer registry
     */
    public LoopMetrics loopMetrics() {
        return new LoopMetrics(runtime.core().loop(), runtime.clientId());
    }

    /**
     * Adds a listener for watchdogs that fire.
     *
     * @param listener called on the callback thread
     */
    public void onTrip(TripListener listener) {
        runtime.core().trips().listen(listener);
    }

    /**
     * The trips of this consumer's watchdogs as meters.
     *
     * @return a binder for a Micrometer registry
     */
    public WatchdogMetrics watchdogMetrics() {
        return new WatchdogMetrics(runtime.core().trips(), runtime.clientId());
    }

    private void use(Runnable call) {
        used(() -> {
            call.run();
            return null;
        });
    }

    private <T> T used(Supplier<T> call) {
        acquire();
        try {
            // A call within another one comes from a listener, which may commit while its partitions are given up in a
            // close.
            if (depth == 1) {
                runtime.requireOpen();
            }
            return call.get();
        } finally {
            release();
        }
    }

    private void acquire() {
        Thread me = Thread.currentThread();
        if (user.get() != me && !user.compareAndSet(null, me)) {
            throw new ConcurrentModificationException(
                    "a consumer is for one thread at a time, and " + user.get() + " is in a call of this one");
        }
        depth++;
    }

    private void release() {
        if (--depth == 0) {
            user.set(null);
        }
    }

    /** What a test looks into. */
    ConsumerRuntime runtime() {
        return runtime;
    }
}
