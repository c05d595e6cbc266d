package io.faultline.bench.subject;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * The process of a client under test. It obeys lines on its input: {@code pause} and {@code resume} the producing, {@code fresh} sends one record to each partition, {@code
 * rewind} lets the assigned consumer begin again, {@code flush MILLIS}, {@code close MILLIS} closes everything and ends the process. At the end of its input it ends, too.
 */
@Command(name = "subject")
public final class SubjectMain implements Callable<Integer> {

    /** How the names of a group's members begin. */
    static final String MEMBER = "member-";

    private static final long TICK_MILLIS = 100;
    private static final Duration AFTER_CLOSE = Duration.ofSeconds(1);

    @Option(names = "--client", required = true)
    private ClientKind kind;

    @Option(names = "--bootstrap", required = true)
    private String bootstrap;

    @Option(names = "--topic", required = true)
    private String topic;

    @Option(names = "--partitions", required = true)
    private int partitions;

    @Option(names = "--group", required = true)
    private String group;

    @Option(names = "--members", required = true)
    private int members;

    @Option(names = "--sender", required = true)
    private int sender;

    @Option(names = "--rate", required = true)
    private double rate;

    @Option(names = "--scale", required = true)
    private double scale;

    @Option(names = "--spool")
    private Path spool;

    private final List<ConsumerLoop> consumers = new ArrayList<>();
    private Journal journal;
    private SubjectProducer producer;
    private ProducerLoop producing;

    /** Made by the command line. */
    public SubjectMain() {}

    /**
     * Runs it.
     *
     * @param arguments options
     */
    public static void main(String[] arguments) {
        // A client that left a thread behind must not keep the process.
        System.exit(new CommandLine(new SubjectMain())
                .setCaseInsensitiveEnumValuesAllowed(true)
                .execute(arguments));
    }

    /**
     * Whether a client id is that of a member of a group in a process.
     *
     * @param sender the number that the process sends under
     * @param clientId the client id
     * @return true for any of its members
     */
    public static boolean isMemberOf(int sender, String clientId) {
        return clientId.startsWith(MEMBER + sender + "-");
    }

    @Override
    public Integer call() throws Exception {
        Timeouts timeouts = new Timeouts(scale);
        ScheduledExecutorService ticker = Executors.newSingleThreadScheduledExecutor();
        try (Journal lines = new Journal(System.out)) {
            journal = lines;
            Map<String, String> ofProducer = with(timeouts.producer(), "producer");
            if (spool != null) {
                ofProducer.put("spool.dir", spool.toString());
            }
            producer = kind.producer(ofProducer);
            producing = new ProducerLoop(producer, journal, topic, partitions, sender, rate);
            ConsumerLoop assigned = ConsumerLoop.assigned(
                    "assigned", kind.consumer(with(timeouts.consumer(), "assigned")), journal, topic, partitions);
            consumers.add(assigned);
            for (int member = 1; member <= members; member++) {
                Map<String, String> configuration = with(timeouts.consumer(), MEMBER + sender + "-" + member);
                configuration.put("group.id", group);
                consumers.add(ConsumerLoop.member(
                        MEMBER + sender + "-" + member,
                        kind.consumer(configuration),
                        journal,
                        topic,
                        timeouts.close()));
            }
            producing.start();
            ticker.scheduleAtFixedRate(this::tick, 0, TICK_MILLIS, TimeUnit.MILLISECONDS);
            obey(assigned);
            ticker.shutdown();
            ticker.awaitTermination(1, TimeUnit.SECONDS);
        }
        return 0;
    }

    private Map<String, String> with(Map<String, String> keys, String clientId) {
        Map<String, String> configuration = new LinkedHashMap<>(keys);
        configuration.put("bootstrap.servers", bootstrap);
        configuration.put("client.id", clientId);
        return configuration;
    }

    private void obey(ConsumerLoop assigned) throws IOException, InterruptedException {
        BufferedReader commands = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = commands.readLine(); line != null; line = commands.readLine()) {
            String[] words = line.split(" ");
            switch (words[0]) {
                case "pause" -> producing.pause();
                case "resume" -> producing.resume();
                case "fresh" -> producing.sendOneToEach();
                case "rewind" -> assigned.rewind();
                case "flush" -> flush(Duration.ofMillis(Long.parseLong(words[1])));
                case "close" -> {
                    close(Duration.ofMillis(Long.parseLong(words[1])));
                    return;
                }
                default -> throw new IllegalArgumentException("no command of this process: " + line);
            }
        }
    }

    private void flush(Duration timeout) {
        time("flushed", () -> producer.flush(timeout));
        tick();
    }

    private void close(Duration timeout) throws InterruptedException {
        producing.askToEnd();
        consumers.forEach(consumer -> consumer.askToClose(timeout));
        time("closed", () -> producer.close(timeout));
        producing.join();
        for (ConsumerLoop consumer : consumers) {
            consumer.join();
        }
        awaitNoThreads(); // that end after the call that ends them
        Map<String, Object> end = new LinkedHashMap<>(producing.counts());
        end.put("threads", threads());
        journal.note("ended", end);
    }

    private interface Timed {
        void run() throws Exception;
    }

    private void time(String event, Timed action) {
        long began = Journal.now();
        String how = "";
        try {
            action.run();
        } catch (Exception failure) {
            how = failure.toString();
        }
        journal.note(event, Map.of("client", "producer", "took", Journal.now() - began, "failure", how));
    }

    private void awaitNoThreads() throws InterruptedException {
        long deadline = System.nanoTime() + AFTER_CLOSE.toNanos();
        while (!threads().isEmpty() && System.nanoTime() < deadline) {
            TimeUnit.MILLISECONDS.sleep(1);
        }
    }

    private void tick() {
        try {
            Map<String, Object> details = new LinkedHashMap<>(producing.counts());
            details.put("used", producer.usedBytes());
            details.put("inFlight", producer.inFlight());
            details.put("sockets", OwnSockets.count());
            details.put(
                    "threads",
                    threads().stream().filter(name -> !kind.isHelper(name)).toList());
            journal.note("tick", details);
        } catch (IOException | RuntimeException broken) {
            journal.note("error", Map.of("client", "ticker", "what", broken.toString()));
        }
    }

    private List<String> threads() {
        return Thread.getAllStackTraces().keySet().stream()
                .map(Thread::getName)
                .filter(kind::isThread)
                .sorted()
                .toList();
    }
}
