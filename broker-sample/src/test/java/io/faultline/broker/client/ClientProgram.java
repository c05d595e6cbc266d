package io.faultline.broker.client;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.Base64;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.consumer.CommitFailedException;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.RebalanceInProgressException;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * A producer or a member of a group. It only uses what kafka-clients have had since 2.8, and prints a line for everything that happens, with the time of the machine's
 * monotonic clock in front, which all its processes share.
 */
public final class ClientProgram {

    private ClientProgram() {}

    /**
     * Runs a client.
     *
     * @param arguments {@code produce BOOTSTRAP TOPIC-COMPRESSION,… PREFIX COUNT}, or {@code consume BOOTSTRAP GROUP TOPIC,… KEY=VALUE…}
     * @throws Exception if the client fails
     */
    public static void main(String... arguments) throws Exception {
        say("client " + version());
        List<String> rest = Arrays.asList(arguments).subList(2, arguments.length);
        Map<String, Object> connection = new HashMap<>(Map.of("bootstrap.servers", arguments[1]));
        if (arguments[0].equals("produce")) {
            for (String topic : rest.get(0).split(",")) {
                produce(connection, topic, rest.get(1), Integer.parseInt(rest.get(2)));
            }
            say("done");
        } else {
            rest.subList(2, rest.size())
                    .forEach(setting -> connection.put(
                            setting.substring(0, setting.indexOf('=')), setting.substring(setting.indexOf('=') + 1)));
            consume(connection, rest.get(0), List.of(rest.get(1).split(",")));
        }
    }

    private static String version() throws IOException {
        Properties properties = new Properties();
        try (InputStream file = KafkaProducer.class.getResourceAsStream("/kafka/kafka-version.properties")) {
            properties.load(file);
        }
        return properties.getProperty("version");
    }

    /** The name of the topic ends with the compression. */
    private static void produce(Map<String, Object> connection, String topic, String prefix, int count)
            throws ExecutionException, InterruptedException {
        Map<String, Object> properties = new HashMap<>(connection);
        properties.put("compression.type", topic.substring(topic.lastIndexOf('-') + 1));
        properties.put("linger.ms", 50);
        try (KafkaProducer<byte[], byte[]> producer =
                new KafkaProducer<>(properties, new ByteArraySerializer(), new ByteArraySerializer())) {
            for (int index = 0; index < count; index++) {
                producer.send(new ProducerRecord<>(topic, value(prefix, index)), (metadata, failure) -> {
                    if (failure != null) {
                        say("failed " + failure);
                    }
                });
            }
        }
    }

    /**
     * What a producer writes: text, since kcat is among its readers, that compresses.
     *
     * @param prefix names the producer
     * @param index of the record
     * @return the value of the record
     */
    public static byte[] value(String prefix, int index) {
        return (prefix + "-" + index + "-" + "größer ".repeat(index % 20)).getBytes(StandardCharsets.UTF_8);
    }

    /** Until the input ends. Every record is processed, that is printed, before it is committed. */
    private static void consume(Map<String, Object> connection, String group, List<String> topics) throws IOException {
        Map<String, Object> properties = new HashMap<>(connection);
        properties.put("group.id", group);
        properties.put("enable.auto.commit", "false");
        properties.put("auto.offset.reset", "earliest");
        try (KafkaConsumer<byte[], byte[]> consumer =
                new KafkaConsumer<>(properties, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
            consumer.subscribe(topics, new Spoken(consumer));
            while (System.in.available() == 0) {
                ConsumerRecords<byte[], byte[]> records = consumer.poll(Duration.ofMillis(100));
                for (ConsumerRecord<byte[], byte[]> record : records) {
                    say("record " + record.topic() + "-" + record.partition() + " " + record.offset() + " "
                            + Base64.getEncoder().encodeToString(record.value()));
                }
                if (!records.isEmpty()) {
                    commit(consumer, records);
                }
            }
        }
        say("closed");
    }

    private static void commit(KafkaConsumer<byte[], byte[]> consumer, ConsumerRecords<byte[], byte[]> records) {
        Map<TopicPartition, OffsetAndMetadata> next = new HashMap<>();
        for (TopicPartition partition : records.partitions()) {
            List<ConsumerRecord<byte[], byte[]>> own = records.records(partition);
            next.put(partition, new OffsetAndMetadata(own.get(own.size() - 1).offset() + 1));
        }
        try {
            consumer.commitSync(next);
            next.forEach((partition, offset) -> say("committed " + partition + " " + offset.offset()));
        } catch (CommitFailedException | RebalanceInProgressException | RetriableException refused) {
            // The partitions are somebody else's then, who reads the records again.
            say("refused " + refused);
        }
    }

    private static synchronized void say(String line) {
        System.out.println(System.nanoTime() + " " + line);
    }

    private static final class Spoken implements ConsumerRebalanceListener {

        private final KafkaConsumer<byte[], byte[]> consumer;

        private Spoken(KafkaConsumer<byte[], byte[]> consumer) {
            this.consumer = consumer;
        }

        @Override
        public void onPartitionsAssigned(Collection<TopicPartition> partitions) {
            partitions.forEach(partition -> say("assigned " + partition + " " + consumer.position(partition)));
        }

        @Override
        public void onPartitionsRevoked(Collection<TopicPartition> partitions) {
            partitions.forEach(partition -> say("revoked " + partition + " 0"));
        }

        @Override
        public void onPartitionsLost(Collection<TopicPartition> partitions) {
            partitions.forEach(partition -> say("lost " + partition + " 0"));
        }
    }
}
