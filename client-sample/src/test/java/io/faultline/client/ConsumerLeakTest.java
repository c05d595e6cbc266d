package io.faultline.client;

import static io.faultline.client.StubConsumers.PARTITION;
import static io.faultline.client.StubConsumers.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.faultline.client.stub.Reply;
import io.faultline.client.stub.StubCluster;
import io.faultline.client.watchdog.MonotonicClock;
import io.faultline.client.watchdog.Watchdog;
import java.io.IOException;
import java.nio.channels.SocketChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * That consumers that end in an outage, with a fetch on its way, give back their sockets within one tick.
 *
 * <p>A tick is the second that a loop sleeps at most. The clock of these consumers stands still from when the outage begins: less than a tick passes for them, no watchdog
 * comes due, and what is given back is given back because the consumer has ended.
 */
@Timeout(180)
class ConsumerLeakTest {

    private static final int TIMES = 4; // together a hundred consumers
    private static final int AT_ONCE = 25;

    /** Goes until it is told to stand still. */
    private static final class StoppableClock implements MonotonicClock {

        private final MonotonicClock running = MonotonicClock.system();
        private long shown;
        private boolean stopped;

        @Override
        public synchronized long nanos() {
            if (!stopped) {
                shown = running.nanos();
            }
            return shown;
        }

        synchronized void stop() {
            stopped = true;
        }
    }

    private StubCluster cluster;
    private Set<String> baseline;

    /** From the first channel that a JVM closes on there is a socket of the JDK's own. */
    @BeforeAll
    static void closeAChannel() throws IOException {
        SocketChannel.open().close();
    }

    @BeforeEach
    void start() throws IOException {
        cluster = StubCluster.plaintext(1).topic("t", 1);
        baseline = sockets();
    }

    @AfterEach
    void close() throws IOException {
        cluster.close();
    }

    /** The brokers fall silent when they have the fetches of all. */
    private List<Consumer<String, String>> whoseFetchesAreOnTheirWayInAnOutage() throws IOException {
        cluster.script().clear();
        cluster.script().always(ApiKeys.FETCH, Reply.SILENCE);
        int before = cluster.requests(ApiKeys.FETCH).size();
        StoppableClock clock = new StoppableClock();
        List<Consumer<String, String>> consumers = new ArrayList<>();
        for (int number = 0; number < AT_ONCE; number++) {
            Consumer<String, String> consumer = new Consumer<>(
                    Map.of(
                            "bootstrap.servers",
                            cluster.bootstrap(),
                            "auto.offset.reset",
                            "earliest",
                            // No fetch is given up before all are on their way, however slow the machine is.
                            "fetch.max.wait.ms",
                            "600000",
                            "request.timeout.ms",
                            "600000"),
                    new StringDeserializer(),
                    new StringDeserializer(),
                    new Wiring(clock, EnumSet.noneOf(Watchdog.class)));
            consumer.assign(List.of(PARTITION));
            consumers.add(consumer);
        }
        cluster.await(ApiKeys.FETCH, before + AT_ONCE);
        cluster.script().always(request -> true, Reply.SILENCE);
        clock.stop();
        assertThat(sockets()).hasSizeGreaterThanOrEqualTo(baseline.size() + 2 * AT_ONCE); // two ends each
        return consumers;
    }

    /** The sockets of this process, the consumers' ends and the brokers'. */
    private static Set<String> sockets() throws IOException {
        Set<String> sockets = new TreeSet<>();
        try (DirectoryStream<Path> descriptors = Files.newDirectoryStream(Path.of("/proc/self/fd"))) {
            for (Path descriptor : descriptors) {
                try {
                    String target = Files.readSymbolicLink(descriptor).toString();
                    if (target.startsWith("socket:")) {
                        sockets.add(target);
                    }
                } catch (NoSuchFileException closed) {
                    // It was open while the descriptors were listed.
                }
            }
        }
        return sockets;
    }

    @Test
    void consumersThatAreClosedGiveBackTheirSocketsWithinOneTick() throws IOException {
        for (int time = 0; time < TIMES; time++) {
            whoseFetchesAreOnTheirWayInAnOutage().forEach(consumer -> consumer.close(Duration.ofSeconds(1)));
            await().atMost(PATIENCE).untilAsserted(() -> assertThat(sockets()).isEqualTo(baseline));
        }
    }

    @Test
    void consumersThatAreDroppedGiveBackTheirSocketsWithinOneTick() throws IOException {
        for (int time = 0; time < TIMES; time++) {
            whoseFetchesAreOnTheirWayInAnOutage().clear();
            await().atMost(PATIENCE).untilAsserted(() -> {
                System.gc(); // that they cannot be reached is noticed then, and the tick begins
                assertThat(sockets()).isEqualTo(baseline);
            });
        }
    }
}
