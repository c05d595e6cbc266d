package io.faultline.bench.kafka;

import io.faultline.bench.client.Records;
import java.time.Duration;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** A producer and a consumer of a partition that nothing must happen to, from the beginning to the end of an experiment. */
final class HealthyLoad implements AutoCloseable {

    private static final Duration POLL = Duration.ofMillis(100);
    private static final long BETWEEN_RECORDS_MILLIS = 20;
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final Properties client;
    private final TopicPartition partition;
    private final AtomicInteger failedSends = new AtomicInteger();
    private final AtomicLong produced = new AtomicLong();
    private final AtomicLong consumed = new AtomicLong();
    private final AtomicLong wrong = new AtomicLong();
    private final Thread producer = new Thread(this::produce, "healthy-producer");
    private final Thread consumer = new Thread(this::consume, "healthy-consumer");
    private volatile String broken;
    private volatile boolean ending;

    /**
     * What became of it.
     *
     * @param produced records that were acknowledged
     * @param failedSends records that were not
     * @param consumed records that came
     * @param wrong records that came and were not what was produced
     * @param broken what the consumer died of, or null
     */
    record Result(long produced, long failedSends, long consumed, long wrong, String broken) {

        boolean isUnharmed() {
            return produced > 0 && failedSends == 0 && consumed == produced && wrong == 0 && broken == null;
        }
    }

    private HealthyLoad(Properties client, TopicPartition partition) {
        this.client = client;
        this.partition = partition;
    }

    static HealthyLoad on(Properties client, TopicPartition partition) {
        HealthyLoad load = new HealthyLoad(client, partition);
        load.producer.setDaemon(true);
        load.consumer.setDaemon(true);
        load.producer.start();
        load.consumer.start();
        return load;
    }

    /** Ends it, once everything that was produced has been consumed. */
    Result end() throws InterruptedException {
        ending = true;
        producer.join(PATIENCE.toMillis());
        consumer.join(PATIENCE.toMillis());
        return new Result(produced.get(), failedSends.get(), consumed.get(), wrong.get(), broken);
    }

    private void produce() {
        String bootstrap = client.getProperty(ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG);
        try (KafkaProducer<byte[], byte[]> records = Records.producer(bootstrap, "all")) {
            for (long number = 0; !ending; number++) {
                records.send(Records.record(partition, number), (metadata, failure) -> {
                    if (failure == null) {
                        produced.incrementAndGet();
                    } else {
                        failedSends.incrementAndGet();
                    }
                });
                TimeUnit.MILLISECONDS.sleep(BETWEEN_RECORDS_MILLIS);
            }
        } catch (InterruptedException | KafkaException stopped) {
            failedSends.incrementAndGet();
        }
    }

    private void consume() {
        Properties properties = new Properties();
        properties.putAll(client);
        properties.put(ConsumerConfig.KEY_DESERIALIZER_CLASS_CONFIG, ByteArrayDeserializer.class);
        properties.put(ConsumerConfig.VALUE_DESERIALIZER_CLASS_CONFIG, ByteArrayDeserializer.class);
        try (KafkaConsumer<byte[], byte[]> records = new KafkaConsumer<>(properties)) {
            records.assign(List.of(partition));
            records.seek(partition, 0);
            long deadline = Long.MAX_VALUE;
            while (System.nanoTime() < deadline && (producer.isAlive() || consumed.get() < produced.get())) {
                for (ConsumerRecord<byte[], byte[]> record : records.poll(POLL)) {
                    if (record.offset() != consumed.get()
                            || !Records.isRight(partition, record.offset(), record.value())) {
                        wrong.incrementAndGet();
                    }
                    consumed.incrementAndGet();
                }
                if (!producer.isAlive() && deadline == Long.MAX_VALUE) {
                    deadline = System.nanoTime() + PATIENCE.toNanos() / 2;
                }
            }
        } catch (KafkaException failure) {
            broken = failure.toString();
        }
    }

    @Override
    public void close() {
        ending = true;
    }
}
