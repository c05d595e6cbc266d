package io.faultline.broker;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** The newest Java clients, connected to a broker in plaintext or over TLS. */
final class Clients {

    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private final Map<String, Object> connection;

    private Clients(Map<String, Object> connection) {
        this.connection = connection;
    }

    static Clients plaintext(EmbeddedBroker broker) {
        return plaintext(broker.bootstrapServers());
    }

    static Clients plaintext(String bootstrapServers) {
        return new Clients(Map.of("bootstrap.servers", bootstrapServers));
    }

    static Clients tls(EmbeddedBroker broker) {
        Map<String, Object> connection = new HashMap<>(broker.clientTlsProperties());
        connection.put("bootstrap.servers", broker.sslBootstrapServers());
        return new Clients(connection);
    }

    Clients with(String key, Object value) {
        Map<String, Object> more = new HashMap<>(connection);
        more.put(key, value);
        return new Clients(more);
    }

    Producer<byte[], byte[]> producer() {
        Map<String, Object> properties = new HashMap<>(connection);
        return new KafkaProducer<>(properties, new ByteArraySerializer(), new ByteArraySerializer());
    }

    Consumer<byte[], byte[]> consumer(TopicPartition... partitions) {
        Map<String, Object> properties = new HashMap<>(connection);
        properties.putIfAbsent("auto.offset.reset", "earliest");
        Consumer<byte[], byte[]> consumer =
                new KafkaConsumer<>(properties, new ByteArrayDeserializer(), new ByteArrayDeserializer());
        consumer.assign(List.of(partitions));
        return consumer;
    }

    /** A member of a group, with the client's own defaults but for where it starts. */
    Consumer<byte[], byte[]> member(String group, ConsumerRebalanceListener listener, String... topics) {
        Map<String, Object> properties = new HashMap<>(connection);
        properties.put("group.id", group);
        properties.putIfAbsent("auto.offset.reset", "earliest");
        Consumer<byte[], byte[]> consumer =
                new KafkaConsumer<>(properties, new ByteArrayDeserializer(), new ByteArrayDeserializer());
        consumer.subscribe(List.of(topics), listener);
        return consumer;
    }

    Admin admin() {
        return Admin.create(connection);
    }

    void createTopic(String topic, int partitions) throws Exception {
        try (Admin admin = admin()) {
            get(admin.createTopics(List.of(new NewTopic(topic, partitions, (short) 1)))
                    .all());
        }
    }

    /** Produces records that cannot be compressed and waits for all of them. */
    void produce(TopicPartition partition, int count, int bytes) throws Exception {
        Random random = new Random(1);
        try (Producer<byte[], byte[]> producer = producer()) {
            List<Future<RecordMetadata>> sent = new ArrayList<>();
            for (int record = 0; record < count; record++) {
                byte[] value = new byte[bytes];
                random.nextBytes(value);
                sent.add(producer.send(new ProducerRecord<>(partition.topic(), partition.partition(), null, value)));
            }
            producer.flush();
            for (Future<RecordMetadata> one : sent) {
                get(one);
            }
        }
    }

    /** Consumes until there are so many records. */
    List<ConsumerRecord<byte[], byte[]>> consume(TopicPartition partition, int count) {
        try (Consumer<byte[], byte[]> consumer = consumer(partition)) {
            return consume(consumer, count);
        }
    }

    static List<ConsumerRecord<byte[], byte[]>> consume(Consumer<byte[], byte[]> consumer, int count) {
        List<ConsumerRecord<byte[], byte[]>> records = new ArrayList<>();
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (records.size() < count) {
            if (System.nanoTime() > deadline) {
                throw new AssertionError("only " + records.size() + " of " + count + " records came");
            }
            consumer.poll(Duration.ofMillis(100)).forEach(records::add);
        }
        return records;
    }

    static <T> T get(Future<T> future) throws ExecutionException, InterruptedException, TimeoutException {
        return future.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    }
}
