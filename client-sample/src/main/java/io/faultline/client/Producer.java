package io.faultline.client;

import io.faultline.client.loop.LoopMetrics;
import io.faultline.client.produce.DeliveryCounts;
import io.faultline.client.produce.DeliveryMetrics;
import io.faultline.client.produce.ProducePipeline.Outgoing;
import io.faultline.client.spool.SpoolFigures;
import io.faultline.client.spool.SpoolHooks;
import io.faultline.client.spool.SpoolMetrics;
import io.faultline.client.watchdog.TripListener;
import io.faultline.client.watchdog.WatchdogMetrics;
import java.lang.ref.Cleaner;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.config.AbstractConfig;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.serialization.Serializer;

/**
 * Sends records to a Kafka cluster. No outage, of whatever kind and length, wedges it: each record is settled within
 * {@code delivery.timeout.ms}, each call returns within its time, and when the cluster is back so is the producer.
 *
 * <p>It is configured by Kafka's own keys. With the defaults it is idempotent: no record is in the log twice and those of a
 * partition are there in the order of their sending, even if acks were lost and the broker was restarted. All methods may be
 * called from any thread.
 *
 * <pre>{@code
 * try (Producer<String, String> producer = new Producer<>(
 *         Map.of("bootstrap.servers", "localhost:9092"), new StringSerializer(), new StringSerializer())) {
 *     producer.send(new ProducerRecord<>("topic", "key", "value")).delivered().join();
 * }
 * }</pre>
 *
 * <p>A producer that is not closed and cannot be reached any more gives back its threads and sockets.
 *
 * @param <K> the keys
 * @param <V> the values
 */
public final class Producer<K, V> implements AutoCloseable {

    private static final Cleaner CLEANER = Cleaner.create();

    private final ProducerRuntime runtime;
    private final Serializer<K> keySerializer;
    private final Serializer<V> valueSerializer;
    private final Duration maxBlock;

    /**
     * Starts a producer with the serializers that the configuration names.
     *
     * @param config Kafka's keys and values, {@code key.serializer} and {@code value.serializer} among them
     * @throws org.apache.kafka.common.config.ConfigException if a key or value is wrong; the message names key, value and what
     *     is accepted
     */
    public Producer(Map<String, ?> config) {
        this(config, null, null, SpoolHooks.none(), Wiring.production());
    }

    /**
     * Starts a producer.
     *
     * @param config Kafka's keys and values
     * @param keySerializer for keys; closed with the producer
     * @param valueSerializer for values; closed with the producer
     * @throws org.apache.kafka.common.config.ConfigException if a key or value is wrong; the message names key, value and what
     *     is accepted
     */
    public Producer(Map<String, ?> config, Serializer<K> keySerializer, Serializer<V> valueSerializer) {
        this(
                config,
                Objects.requireNonNull(keySerializer, "keySerializer"),
                Objects.requireNonNull(valueSerializer, "valueSerializer"),
                SpoolHooks.none(),
                Wiring.production());
    }

    /**
     * Starts a producer with a spool that the application is connected with.
     *
     * @param config Kafka's keys and values, and {@code spool.dir}
     * @param keySerializer for keys; closed with the producer
     * @param valueSerializer for values; closed with the producer
     * @param hooks who hears of what an earlier producer left in the spool, and who tells a failing disk from a vanished peer
     * @throws org.apache.kafka.common.config.ConfigException if a key or value is wrong, or the spool is in use; the message names
     *     key, value and what is accepted
     */
    public Producer(
            Map<String, ?> config, Serializer<K> keySerializer, Serializer<V> valueSerializer, SpoolHooks hooks) {
        this(
                config,
                Objects.requireNonNull(keySerializer, "keySerializer"),
                Objects.requireNonNull(valueSerializer, "valueSerializer"),
                Objects.requireNonNull(hooks, "hooks"),
                Wiring.production());
    }

    /** With whatever a test wants to be different. */
    Producer(Map<String, ?> config, Serializer<K> keySerializer, Serializer<V> valueSerializer, Wiring wiring) {
        this(config, keySerializer, valueSerializer, SpoolHooks.none(), wiring);
    }

    /** With hooks for its spool as well. */
    Producer(
            Map<String, ?> config,
            Serializer<K> keySerializer,
            Serializer<V> valueSerializer,
            SpoolHooks hooks,
            Wiring wiring) {
        Map<String, Object> given = new HashMap<>(config);
        if (keySerializer != null) {
            given.put(ProducerConfig.KEY_SERIALIZER_CLASS_CONFIG, keySerializer.getClass());
        }
        if (valueSerializer != null) {
            given.put(ProducerConfig.VALUE_SERIALIZER_CLASS_CONFIG, valueSerializer.getClass());
        }
        AbstractConfig values = ClientKeys.parse(ProducerKeys.KEYS, given);
        this.keySerializer = serializer(values, ProducerConfig.KEY_SERIALIZER_CLASS_CONFIG, keySerializer, true);
        this.valueSerializer = serializer(values, ProducerConfig.VALUE_SERIALIZER_CLASS_CONFIG, valueSerializer, false);
        this.maxBlock = ClientConfig.millis(values, ProducerConfig.MAX_BLOCK_MS_CONFIG);
        this.runtime = new ProducerRuntime(values, config, hooks, wiring);
        runtime.start();
        CLEANER.register(this, runtime::abandon);
    }

    @SuppressWarnings("unchecked") // as in Kafka: the configuration is trusted to name the right class
    private static <T> Serializer<T> serializer(AbstractConfig values, String key, Serializer<T> given, boolean isKey) {
        if (given != null) {
            return given;
        }
        Serializer<T> made = values.getConfiguredInstance(key, Serializer.class);
        made.configure(values.originals(), isKey);
        return made;
    }

    /**
     * Sends a record: puts it into a batch and returns. Blocks for at most {@code max.block.ms}, while its topic is not known or
     * {@code buffer.memory} is full.
     *
     * @param record the record
     * @return what becomes of it; failed already if it is too large, or had to wait for too long
     * @throws IllegalStateException if the producer is closed
     * @throws org.apache.kafka.common.errors.SerializationException if it cannot be serialized
     * @throws InterruptException if the calling thread is interrupted
     */
    public Delivery send(ProducerRecord<K, V> record) {
        runtime.requireOpen();
        byte[] key = keySerializer.serialize(record.topic(), record.headers(), record.key());
        byte[] value = valueSerializer.serialize(record.topic(), record.headers(), record.value());
        Header[] headers = record.headers().toArray();
        try {
            return runtime.pipeline()
                    .send(
                            new Outgoing(record.topic(), record.partition(), record.timestamp(), key, value, headers),
                            maxBlock);
        } catch (InterruptedException interrupted) {
            throw new InterruptException(interrupted);
        }
    }

    /**
     * Sends what lingers and waits until everything that was sent before is settled.
     *
     * @param timeout how long to wait
     * @throws org.apache.kafka.common.errors.TimeoutException if it is not by then; the records stay pending
     * @throws org.apache.kafka.common.KafkaException if a record failed: the first failure that came up
     * @throws IllegalStateException in a callback of this producer, where it would wait for itself
     * @throws InterruptException if the calling thread is interrupted
     */
    public void flush(Duration timeout) {
        runtime.flush(timeout);
    }

    /**
     * Closes the producer and waits for {@code max.block.ms}; see {@link #close(Duration)}.
     */
    @Override
    public void close() {
        close(maxBlock);
    }

    /**
     * Closes the producer: takes no more records, waits until all that were sent are settled, fails those that are not when the
     * time is up, and gives back sockets and threads. When it returns all deliveries are settled and their callbacks have been
     * called, unless a callback takes longer than a second. In a callback of this producer it does not wait at all. Closing twice
     * does nothing.
     *
     * @param timeout how long to wait
     * @throws InterruptException if the calling thread is interrupted; the producer is closed all the same
     */
    public void close(Duration timeout) {
        try {
            runtime.close(timeout);
        } finally {
            keySerializer.close();
            valueSerializer.close();
        }
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
     * The trips of this producer's watchdogs as meters.
     *
     * @return a binder for a Micrometer registry
     */
    public WatchdogMetrics watchdogMetrics() {
        return new WatchdogMetrics(runtime.core().trips(), runtime.clientId());
    }

    /**
     * The life of this producer's network thread as a meter.
     *
     * @return a binder for a Micrometer registry
     */
    public LoopMetrics loopMetrics() {
        return new LoopMetrics(runtime.core().loop(), runtime.clientId());
    }

    /**
     * What this producer has not settled as meters.
     *
     * @return a binder for a Micrometer registry
     */
    public DeliveryMetrics deliveryMetrics() {
        return new DeliveryMetrics(runtime.pipeline(), runtime.clientId());
    }

    /**
     * How many records were produced, acked and failed.
     *
     * @return the counts now
     */
    public DeliveryCounts.Snapshot counts() {
        return runtime.pipeline().counts().now();
    }

    /**
     * How much of {@code buffer.memory} is free.
     *
     * @return bytes
     */
    public long freeMemory() {
        return runtime.pipeline().freeMemory();
    }

    /**
     * How the spool stands.
     *
     * @return its figures, which change; empty without {@code spool.dir}
     */
    public Optional<SpoolFigures> spool() {
        return runtime.spool();
    }

    /**
     * The spool of this producer as meters.
     *
     * @return a binder for a Micrometer registry
     * @throws IllegalStateException without {@code spool.dir}
     */
    public SpoolMetrics spoolMetrics() {
        return new SpoolMetrics(
                spool().orElseThrow(() -> new IllegalStateException("this producer has no spool.dir")),
                runtime.clientId());
    }

    /** What a test looks into. */
    ProducerRuntime runtime() {
        return runtime;
    }
}
