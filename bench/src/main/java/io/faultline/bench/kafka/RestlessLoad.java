package io.faultline.bench.kafka;

import io.faultline.bench.client.VanishingClient;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * Clients that never rest: a producer with acks=1, a consumer over TLS that begins anew again and again, and consumers that vanish in the middle of their fetches. What happens
 * to them is no concern of theirs.
 */
final class RestlessLoad implements AutoCloseable {

    private static final int RECORD_SIZE = 1_000;
    private static final int RECORDS_AT_ONCE = 6;
    private static final long BETWEEN_SENDS_MILLIS = 20;
    private static final long BETWEEN_VANISHING_MILLIS = 100;
    private static final Duration POLL = Duration.ofMillis(500);
    private static final int POLLS = 20;
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    private final KafkaCluster cluster;
    private final List<TopicPartition> partitions;
    private final AtomicLong vanished = new AtomicLong();
    private final Map<TopicPartition, Integer> leaders = new ConcurrentHashMap<>();
    private final Map<TopicPartition, Long> earliest = new ConcurrentHashMap<>();
    private final List<Thread> threads = new ArrayList<>();
    private volatile boolean ending;

    private RestlessLoad(KafkaCluster cluster, List<TopicPartition> partitions) {
        this.cluster = cluster;
        this.partitions = partitions;
    }

    static RestlessLoad on(KafkaCluster cluster, List<TopicPartition> partitions) {
        RestlessLoad load = new RestlessLoad(cluster, partitions);
        load.start("producer", load::produce);
        load.start("tls-consumer", load::consume);
        load.start("metadata", load::followLeaders);
        for (int broker = 1; broker <= cluster.brokers().size(); broker++) {
            int id = broker;
            load.start("vanishing-" + id, () -> load.vanish(id));
        }
        return load;
    }

    /** How many consumers have vanished. */
    long vanished() {
        return vanished.get();
    }

    private void start(String name, Runnable work) {
        Thread thread = new Thread(work, name);
        thread.setDaemon(true);
        threads.add(thread);
        thread.start();
    }

    private void produce() {
        Properties properties = new Properties();
        properties.putAll(cluster.plaintextClient());
        properties.put(ProducerConfig.ACKS_CONFIG, "1");
        properties.put(ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG, "false");
        properties.put(ProducerConfig.MAX_BLOCK_MS_CONFIG, "500");
        properties.put(ProducerConfig.BUFFER_MEMORY_CONFIG, Integer.toString(8 << 20));
        properties.put(ProducerConfig.REQUEST_TIMEOUT_MS_CONFIG, "2000");
        properties.put(ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG, "4000");
        properties.put(ProducerConfig.KEY_SERIALIZER_CLASS_CONFIG, ByteArraySerializer.class);
        properties.put(ProducerConfig.VALUE_SERIALIZER_CLASS_CONFIG, ByteArraySerializer.class);
        Random random = new Random(1);
        byte[] content = new byte[RECORD_SIZE];
        random.nextBytes(content);
        try (KafkaProducer<byte[], byte[]> producer = new KafkaProducer<>(properties)) {
            while (!ending) {
                for (TopicPartition partition : partitions) {
                    for (int record = 0; record < RECORDS_AT_ONCE; record++) {
                        producer.send(new ProducerRecord<>(partition.topic(), partition.partition(), null, content));
                    }
                }
                pause(BETWEEN_SENDS_MILLIS);
            }
        } catch (KafkaException | InterruptedException ended) {
            Thread.currentThread().interrupt();
        }
    }

    private void consume() {
        Properties properties = new Properties();
        properties.putAll(cluster.tlsClient());
        properties.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "earliest");
        properties.put(ConsumerConfig.KEY_DESERIALIZER_CLASS_CONFIG, ByteArrayDeserializer.class);
        properties.put(ConsumerConfig.VALUE_DESERIALIZER_CLASS_CONFIG, ByteArrayDeserializer.class);
        while (!ending) {
            try (KafkaConsumer<byte[], byte[]> consumer = new KafkaConsumer<>(properties)) {
                consumer.assign(partitions);
                consumer.seekToBeginning(partitions);
                for (int poll = 0; poll < POLLS && !ending; poll++) {
                    consumer.poll(POLL);
                }
            } catch (KafkaException brokerGone) { // begins anew
            }
        }
    }

    private void followLeaders() {
        try (ClusterAdmin admin = cluster.impatientAdmin()) {
            while (!ending) {
                for (TopicPartition partition : partitions) {
                    try {
                        leaders.put(partition, admin.leader(partition));
                        earliest.put(partition, admin.earliest(partition));
                    } catch (ExecutionException brokerGone) { // as before, then
                    }
                }
                pause(POLL.toMillis());
            }
        } catch (InterruptedException ended) {
            Thread.currentThread().interrupt();
        }
    }

    private void vanish(int broker) {
        Random random = new Random(broker);
        try {
            while (!ending) {
                TopicPartition partition = partitions.get(random.nextInt(partitions.size()));
                if (leaders.getOrDefault(partition, -1) == broker) {
                    try {
                        VanishingClient.fetchAndVanish(
                                cluster.address(broker), partition, earliest.getOrDefault(partition, 0L));
                        vanished.incrementAndGet();
                    } catch (IOException brokerGone) { // the next one may get through
                    }
                }
                pause(BETWEEN_VANISHING_MILLIS);
            }
        } catch (InterruptedException ended) {
            Thread.currentThread().interrupt();
        }
    }

    private static void pause(long millis) throws InterruptedException {
        TimeUnit.MILLISECONDS.sleep(millis);
    }

    @Override
    public void close() {
        ending = true;
        try {
            for (Thread thread : threads) {
                thread.join(PATIENCE.toMillis());
            }
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
