package io.faultline.client;

import static io.faultline.client.StubConsumers.PARTITION;
import static io.faultline.client.StubConsumers.PATIENCE;
import static org.awaitility.Awaitility.await;

import io.faultline.client.stub.Reply;
import io.faultline.client.stub.StubCluster;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** That consumers that end in an outage, with a fetch on its way, leave no socket behind. */
@Timeout(180)
class ConsumerLeakTest {

    private static final int TIMES = 100;

    private StubCluster cluster;

    @BeforeEach
    void start() throws IOException {
        cluster = StubCluster.plaintext(1).topic("t", 1);
        cluster.script().always(ApiKeys.FETCH, Reply.SILENCE);
    }

    @AfterEach
    void close() throws IOException {
        cluster.close();
    }

    private Consumer<String, String> whoseFetchIsOnItsWay(int number) {
        Consumer<String, String> consumer = new Consumer<>(
                Map.of("bootstrap.servers", cluster.bootstrap(), "auto.offset.reset", "earliest"),
                new StringDeserializer(),
                new StringDeserializer());
        consumer.assign(List.of(PARTITION));
        cluster.await(ApiKeys.FETCH, number);
        return consumer;
    }

    @Test
    void consumersThatAreClosedLeaveNoSocketBehind() {
        for (int number = 1; number <= TIMES; number++) {
            whoseFetchIsOnItsWay(number).close(Duration.ofSeconds(1));
        }
        await().atMost(PATIENCE).until(() -> cluster.openConnections() == 0);
    }

    @Test
    void consumersThatAreDroppedLeaveNoSocketBehind() {
        for (int number = 1; number <= TIMES; number++) {
            whoseFetchIsOnItsWay(number);
        }
        await().atMost(PATIENCE).until(() -> {
            System.gc(); // what cannot be reached is given back when that is noticed
            return cluster.openConnections() == 0;
        });
    }
}
