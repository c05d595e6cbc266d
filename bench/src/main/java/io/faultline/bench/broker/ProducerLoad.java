package io.faultline.bench.broker;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * A producer that goes on through whatever happens to its broker, and remembers which records were acknowledged, at which offsets. Each
 * record has a number and a content that follows from it.
 */
final class ProducerLoad implements AutoCloseable {

    private static final int IN_FLIGHT = 500;
    private static final Duration PAUSE = Duration.ofMillis(2);
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final int RANDOM_BYTES = 200;
    private static final int REPEATED_BYTES = 200;

    /**
     * How a producer writes.
     *
     * @param topic its topic
     * @param acks Kafka's {@code acks}
     * @param idempotent Kafka's {@code enable.idempotence}
     * @param compression Kafka's {@code compression.type}
     */
    record Kind(String topic, String acks, boolean idempotent, String compression) {

        /** One of each sort. */
        static final List<Kind> ALL = List.of(
                new Kind("plain", "1", false, "none"),
                new Kind("idempotent-lz4", "all", true, "lz4"),
                new Kind("acks-1-zstd", "1", false, "zstd"),
                new Kind("idempotent", "all", true, "none"));

        Properties properties(String bootstrap) {
            Properties properties = new Properties();
            properties.putAll(Map.of(
                    ProducerConfig.BOOTSTRAP_SERVERS_CONFIG,
                    bootstrap,
                    ProducerConfig.ACKS_CONFIG,
                    acks,
                    ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG,
                    idempotent,
                    ProducerConfig.COMPRESSION_TYPE_CONFIG,
                    compression,
                    ProducerConfig.RECONNECT_BACKOFF_MAX_MS_CONFIG,
                    100,
                    ProducerConfig.RETRY_BACKOFF_MAX_MS_CONFIG,
                    100,
                    ProducerConfig.KEY_SERIALIZER_CLASS_CONFIG,
                    ByteArraySerializer.class,
                    ProducerConfig.VALUE_SERIALIZER_CLASS_CONFIG,
                    ByteArraySerializer.class));
            return properties;
        }
    }

    private final Kind kind;
    private final List<TopicPartition> partitions;
    private final KafkaProducer<byte[], byte[]> producer;
    private final Map<TopicPartition, Map<Long, Long>> acknowledged = new ConcurrentHashMap<>();
    private final AtomicLong failed = new AtomicLong();
    private final Semaphore inFlight = new Semaphore(IN_FLIGHT);
    private final Thread sender;
    private volatile boolean stopping;

    /**
     * Begins to produce.
     *
     * @param bootstrap where to connect
     * @param kind how
     * @param partitions where to, in turn
     */
    ProducerLoad(String bootstrap, Kind kind, List<TopicPartition> partitions) {
        this.kind = kind;
        this.partitions = partitions;
        partitions.forEach(partition -> acknowledged.put(partition, new ConcurrentHashMap<>()));
        producer = new KafkaProducer<>(kind.properties(bootstrap));
        sender = new Thread(this::send, "load-" + kind.topic());
        sender.setDaemon(true);
        sender.start();
    }

    private void send() {
        try {
            for (long number = 0; !stopping; number++) {
                for (TopicPartition partition : partitions) {
                    send(partition, number);
                }
                LockSupport.parkNanos(PAUSE.toNanos());
            }
        } catch (IllegalStateException closed) {
            if (!stopping) {
                throw closed;
            }
        }
    }

    /** Waits until something is acknowledged: only from then on it is in the middle of its work. */
    void awaitFirstAcknowledgement() {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (acknowledgements() == 0) {
            if (System.nanoTime() > deadline) {
                throw new IllegalStateException("nothing is acknowledged to " + kind);
            }
            LockSupport.parkNanos(PAUSE.toNanos());
        }
    }

    private void send(TopicPartition partition, long number) {
        inFlight.acquireUninterruptibly();
        ProducerRecord<byte[], byte[]> record =
                new ProducerRecord<>(partition.topic(), partition.partition(), null, content(partition, number));
        producer.send(record, (metadata, failure) -> {
            inFlight.release();
            if (failure == null) {
                acknowledged(partition, number, metadata);
            } else {
                failed.incrementAndGet();
            }
        });
    }

    private void acknowledged(TopicPartition partition, long number, RecordMetadata metadata) {
        acknowledged.get(partition).put(number, metadata.offset());
    }

    /** The content of a record: its number, bytes that cannot be compressed, and bytes that can. */
    private static byte[] content(TopicPartition partition, long number) {
        byte[] random = new byte[RANDOM_BYTES];
        new Random(partition.hashCode() * 1_000_003L + number).nextBytes(random);
        byte[] repeated = new byte[REPEATED_BYTES];
        Arrays.fill(repeated, (byte) number);
        return ByteBuffer.allocate(Long.BYTES + RANDOM_BYTES + REPEATED_BYTES)
                .putLong(number)
                .put(random)
                .put(repeated)
                .array();
    }

    /** The number of a record that was produced so; -1 if it is none. */
    static long numberOf(TopicPartition partition, byte[] content) {
        if (content.length < Long.BYTES) {
            return -1;
        }
        long number = ByteBuffer.wrap(content).getLong();
        return number >= 0 && Arrays.equals(content, content(partition, number)) ? number : -1;
    }

    /** How it writes. */
    Kind kind() {
        return kind;
    }

    /** The numbers of the records of each partition that were acknowledged, with their offsets. */
    Map<TopicPartition, Map<Long, Long>> acknowledged() {
        return acknowledged;
    }

    /** How many records were acknowledged so far. */
    long acknowledgements() {
        return acknowledged.values().stream().mapToLong(Map::size).sum();
    }

    /** How many records the producer gave up. */
    long failed() {
        return failed.get();
    }

    /** Sends no more, and waits until everything is acknowledged or given up. */
    void finish() throws InterruptedException {
        stopping = true;
        // Not waited for before it is asked to end: it may wait for room in the producer.
        sender.join();
        producer.flush();
    }

    /** Gives up what is not acknowledged yet. */
    @Override
    public void close() {
        stopping = true;
        producer.close(Duration.ZERO);
    }
}
