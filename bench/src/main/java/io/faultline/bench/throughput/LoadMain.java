package io.faultline.bench.throughput;

import io.faultline.bench.measure.Latency;
import io.faultline.bench.measure.OpenLoop;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Properties;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import jdk.jfr.Recording;

/** Clients of one library, which load brokers when they are told to. Producers and consumers are made once for each broker and kept. */
public final class LoadMain {

    private static final int PATIENCE_SECONDS = 60;
    private static final Duration SAMPLE_PERIOD = Duration.ofMillis(1);
    private static final int BATCH_BYTES = 64 << 10;
    private static final String LINGER = "linger.ms";

    private final ClientLibrary library;
    private final byte[] value;
    private final Map<String, MeasuredProducer> producers = new HashMap<>();
    private final Map<String, MeasuredConsumer> consumers = new HashMap<>();

    private LoadMain(ClientLibrary library, int recordBytes) {
        this.library = library;
        this.value = new byte[recordBytes];
        new Random(1).nextBytes(value);
    }

    /**
     * Prints "ready" and does what it reads, until its input ends. CONFIG is a properties file with what a client needs to connect.
     *
     * <ul>
     *   <li>{@code produce CONFIG TOPIC PARTITIONS RECORDS}: prints "produced" and the nanoseconds from the first record to the last acknowledgement
     *   <li>{@code consume CONFIG TOPIC PARTITIONS RECORDS}: prints "consumed" and the nanoseconds from the first records to the last
     *   <li>{@code rate CONFIG TOPIC PARTITIONS PER_SECOND MILLIS}: produces at that rate, without lingering, and prints "latency" and the milliseconds of the median and of the 99th
     *       percentile from when a record was due to its acknowledgement, and how many records failed or never ended
     *   <li>{@code record}: begins to sample what its threads do, and prints "recording"; {@code recorded FILE}: writes that there, and prints "written"
     * </ul>
     *
     * @param arguments the library, and how many bytes a record has
     * @throws Exception if a client fails
     */
    public static void main(String[] arguments) throws Exception {
        LoadMain load = new LoadMain(ClientLibrary.valueOf(arguments[0]), Integer.parseInt(arguments[1]));
        System.out.println("ready");
        try (BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
            Recording recording = null;
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                if (line.equals("record")) {
                    recording = startRecording();
                    System.out.println("recording -");
                } else if (line.startsWith("recorded ")) {
                    recording.dump(Path.of(line.substring("recorded ".length())));
                    recording.close();
                    System.out.println("written -");
                } else {
                    System.out.println(load.obey(line.split(" ")));
                }
            }
        }
        load.producers.values().forEach(MeasuredProducer::close);
        load.consumers.values().forEach(MeasuredConsumer::close);
    }

    private static Recording startRecording() {
        Recording recording = new Recording();
        recording.enable("jdk.ExecutionSample").withPeriod(SAMPLE_PERIOD);
        recording.start();
        return recording;
    }

    private String obey(String[] words) throws Exception {
        String configuration = words[1];
        String topic = words[2];
        int partitions = Integer.parseInt(words[3]);
        int number = Integer.parseInt(words[4]);
        return switch (words[0]) {
            case "produce" -> "produced " + produce(producer(configuration, "5"), topic, partitions, number);
            case "consume" -> "consumed " + consume(configuration, topic, partitions, number);
            case "rate" ->
                "latency "
                        + latency(producer(configuration, "0"), topic, partitions, number, Integer.parseInt(words[5]));
            default -> throw new IllegalArgumentException("no command: " + words[0]);
        };
    }

    private long produce(MeasuredProducer producer, String topic, int partitions, int records) throws Exception {
        sendAll(producer, topic, partitions, partitions); // it knows the topic then
        long began = System.nanoTime();
        sendAll(producer, topic, partitions, records);
        return System.nanoTime() - began;
    }

    private void sendAll(MeasuredProducer producer, String topic, int partitions, int records) throws Exception {
        CountDownLatch open = new CountDownLatch(records);
        AtomicReference<Throwable> failed = new AtomicReference<>();
        OpenLoop.Ended ended = failure -> {
            if (failure != null) {
                failed.compareAndSet(null, failure);
            }
            open.countDown();
        };
        for (int record = 0; record < records; record++) {
            producer.send(topic, record % partitions, value, ended);
        }
        if (!open.await(PATIENCE_SECONDS, TimeUnit.SECONDS) || failed.get() != null) {
            throw new IOException("not all records are acknowledged, " + open.getCount() + " are open", failed.get());
        }
    }

    private long consume(String configuration, String topic, int partitions, int records) throws IOException {
        MeasuredConsumer consumer = consumers.get(configuration);
        if (consumer == null) {
            consumer = library.consumer(properties(configuration));
            consumers.put(configuration, consumer);
        }
        consumer.rewind(topic, partitions);
        int got = poll(consumer, 0, records); // behind a fetch that waits at the end of the log
        long began = System.nanoTime();
        while (got < records) {
            got = poll(consumer, got, records);
        }
        return System.nanoTime() - began;
    }

    private static int poll(MeasuredConsumer consumer, int got, int records) throws IOException {
        int more = consumer.poll();
        if (more == 0) {
            throw new IOException("no more than " + got + " of " + records + " records came");
        }
        return got + more;
    }

    private String latency(MeasuredProducer producer, String topic, int partitions, int perSecond, int millis)
            throws Exception {
        sendAll(producer, topic, partitions, partitions);
        int[] next = new int[1];
        Latency latency = new OpenLoop(perSecond, Duration.ofMillis(millis))
                .run(ended -> producer.send(topic, next[0]++ % partitions, value, ended));
        return latency.millis(50) + " " + latency.millis(99) + " " + (latency.failed() + latency.unfinished());
    }

    private MeasuredProducer producer(String configuration, String linger) throws IOException {
        String key = configuration + " " + linger;
        MeasuredProducer producer = producers.get(key);
        if (producer == null) {
            Map<String, Object> properties = properties(configuration);
            properties.put(LINGER, linger);
            properties.put("acks", "all");
            properties.put("batch.size", Integer.toString(BATCH_BYTES));
            producer = library.producer(properties);
            producers.put(key, producer);
        }
        return producer;
    }

    private static Map<String, Object> properties(String file) throws IOException {
        Properties properties = new Properties();
        try (Reader reader = Files.newBufferedReader(Path.of(file))) {
            properties.load(reader);
        }
        Map<String, Object> map = new HashMap<>();
        properties.forEach((key, each) -> map.put((String) key, each));
        return map;
    }
}
