package io.faultline.client;

import static org.awaitility.Awaitility.await;

import io.faultline.client.stub.StubCluster;
import io.faultline.client.watchdog.Watchdog;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;

/** A consumer of the topic "t" of stub brokers, with time-outs so short that a test need not wait long. */
final class StubConsumer implements AutoCloseable, ConsumerRebalanceListener {

    static final Duration REQUEST = Duration.ofMillis(500);
    static final Duration SESSION = Duration.ofMillis(1_000);

    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Duration POLL = Duration.ofMillis(50);
    private static final Map<String, String> SHORT = Map.of(
            "request.timeout.ms",
            Long.toString(REQUEST.toMillis()),
            "socket.connection.setup.timeout.ms",
            "500",
            "socket.connection.setup.timeout.max.ms",
            "500",
            "session.timeout.ms",
            Long.toString(SESSION.toMillis()),
            "heartbeat.interval.ms",
            "100",
            "max.poll.interval.ms",
            "60000",
            "fetch.max.wait.ms",
            "50",
            "auto.offset.reset",
            "earliest",
            "enable.auto.commit",
            "false");

    private final Consumer<String, String> consumer;
    private final List<String> got = new ArrayList<>();
    private int lost;
    private Runnable atRevocation = () -> {};

    private StubConsumer(Consumer<String, String> consumer) {
        this.consumer = consumer;
    }

    /** Reads partition 0, in no group. */
    static StubConsumer assigned(StubCluster cluster, Wiring wiring) {
        StubConsumer made = make(cluster, wiring, Map.of());
        made.consumer.assign(List.of(new TopicPartition("t", 0)));
        return made;
    }

    /** A member of the group "g". */
    static StubConsumer member(StubCluster cluster, Wiring wiring, Map<String, String> more) {
        Map<String, String> configuration = new HashMap<>(Map.of("group.id", "g"));
        configuration.putAll(more);
        StubConsumer made = make(cluster, wiring, configuration);
        made.consumer.subscribe(List.of("t"), made);
        return made;
    }

    private static StubConsumer make(StubCluster cluster, Wiring wiring, Map<String, String> more) {
        Map<String, String> configuration = new HashMap<>(SHORT);
        configuration.put("bootstrap.servers", cluster.bootstrap());
        configuration.putAll(more);
        return new StubConsumer(
                new Consumer<>(configuration, new StringDeserializer(), new StringDeserializer(), wiring));
    }

    Consumer<String, String> consumer() {
        return consumer;
    }

    /** What it got so far. */
    List<String> got() {
        return got;
    }

    /** How often it lost its partitions. */
    int lost() {
        return lost;
    }

    long trips(Watchdog watchdog) {
        return consumer.runtime().core().trips().count(watchdog);
    }

    /** Has something done whenever partitions are to be given up. */
    void atRevocation(Runnable action) {
        atRevocation = action;
    }

    /** Polls until something is so. */
    void pollUntil(Callable<Boolean> condition) {
        await().pollInSameThread()
                .pollInterval(Duration.ofMillis(1))
                .atMost(PATIENCE)
                .until(() -> {
                    poll();
                    return condition.call();
                });
    }

    /** Polls for a while in which something stays so. */
    void pollWhile(Duration time, Callable<Boolean> condition) {
        await().pollInSameThread()
                .pollInterval(Duration.ofMillis(1))
                .atMost(PATIENCE)
                .during(time)
                .until(() -> {
                    poll();
                    return condition.call();
                });
    }

    private void poll() {
        consumer.poll(POLL).forEach(record -> got.add(record.value()));
    }

    @Override
    public void onPartitionsRevoked(Collection<TopicPartition> partitions) {
        atRevocation.run();
    }

    @Override
    public void onPartitionsAssigned(Collection<TopicPartition> partitions) {
        // They are read from where they were committed.
    }

    @Override
    public void onPartitionsLost(Collection<TopicPartition> partitions) {
        lost++;
    }

    @Override
    public void close() {
        consumer.close(Duration.ZERO);
    }
}
