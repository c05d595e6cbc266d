package io.faultline.bench.outage;

import io.faultline.bench.subject.Payload;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** The process of the {@link Probe}. It ends with its input. */
final class ProbeMain {

    /** The number of its producers. */
    static final int SENDER = 100;

    static final String READY = "probe ready";
    static final String HEALED = "probe healed at ";

    private static final int TRY_MILLIS = 2_000;
    private static final long BETWEEN_TRIES_MILLIS = 200;
    private static final int TRIES_AT_A_TIME = TRY_MILLIS / (int) BETWEEN_TRIES_MILLIS + 2;

    private final String bootstrap;
    private final String topic;
    private final int partitions;
    private final AtomicLong numbers = new AtomicLong();
    private final AtomicBoolean healed = new AtomicBoolean();

    private ProbeMain(String bootstrap, String topic, int partitions) {
        this.bootstrap = bootstrap;
        this.topic = topic;
        this.partitions = partitions;
    }

    /**
     * Runs it.
     *
     * @param arguments where to connect, the topic and how many partitions it has
     */
    public static void main(String[] arguments) throws IOException, InterruptedException {
        new ProbeMain(arguments[0], arguments[1], Integer.parseInt(arguments[2])).run();
        System.exit(0);
    }

    private void run() throws IOException, InterruptedException {
        while (!isAcknowledged()) {
            TimeUnit.MILLISECONDS.sleep(BETWEEN_TRIES_MILLIS);
        }
        System.out.println(READY);
        BufferedReader commands = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        if (commands.readLine() != null) {
            // Tries overlap, so that one that was begun a moment too early does not hide the heal for as long as it
            // lasts.
            ScheduledExecutorService tries = Executors.newScheduledThreadPool(TRIES_AT_A_TIME);
            for (int each = 0; each < TRIES_AT_A_TIME; each++) {
                tries.scheduleAtFixedRate(
                        this::tryOnce,
                        each * BETWEEN_TRIES_MILLIS,
                        TRIES_AT_A_TIME * BETWEEN_TRIES_MILLIS,
                        TimeUnit.MILLISECONDS);
            }
            while (commands.readLine() != null) { // until the end of the input
            }
        }
    }

    private void tryOnce() {
        if (!healed.get() && isAcknowledged() && healed.compareAndSet(false, true)) {
            System.out.println(HEALED + TimeUnit.NANOSECONDS.toMillis(System.nanoTime()));
        }
    }

    /** One try: a new producer, one record to each partition. */
    private boolean isAcknowledged() {
        KafkaProducer<byte[], byte[]> producer = new KafkaProducer<>(
                Map.of(
                        ProducerConfig.BOOTSTRAP_SERVERS_CONFIG,
                        bootstrap,
                        ProducerConfig.MAX_BLOCK_MS_CONFIG,
                        TRY_MILLIS,
                        ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG,
                        TRY_MILLIS,
                        ProducerConfig.REQUEST_TIMEOUT_MS_CONFIG,
                        TRY_MILLIS / 2,
                        ProducerConfig.SOCKET_CONNECTION_SETUP_TIMEOUT_MS_CONFIG,
                        TRY_MILLIS / 2,
                        ProducerConfig.LINGER_MS_CONFIG,
                        0),
                new ByteArraySerializer(),
                new ByteArraySerializer());
        try {
            List<Future<RecordMetadata>> sent = new ArrayList<>();
            for (int partition = 0; partition < partitions; partition++) {
                byte[] value = new Payload(SENDER, partition, numbers.getAndIncrement()).encode();
                sent.add(producer.send(new ProducerRecord<>(topic, partition, null, value)));
            }
            for (Future<RecordMetadata> each : sent) {
                each.get();
            }
            return true;
        } catch (ExecutionException | KafkaException notHealed) {
            return false;
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            return false;
        } finally {
            producer.close(Duration.ZERO);
        }
    }
}
