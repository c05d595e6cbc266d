package io.faultline.broker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.faultline.broker.api.FetchSessions;
import io.faultline.broker.log.Partition;
import io.faultline.broker.metrics.TrafficCounts;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Two clients and room for one fetch session, which is given to whoever asked for one last. */
class FetchSessionEvictionTest {

    private static final TopicPartition PARTITION = new TopicPartition("t", 0);
    private static final int ROUNDS = 5;
    private static final int RECORDS_EACH = 10;
    private static final int VERSION = 13;
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    @TempDir
    Path scratch;

    private Broker broker;
    private String bootstrap;
    private Uuid topicId;

    @BeforeEach
    void start() throws IOException {
        BrokerConfig config =
                BrokerConfig.of(Map.of("log.dirs", scratch.toString(), "listeners", "PLAINTEXT://127.0.0.1:0"));
        broker = new Broker(config, new TrafficCounts(), new FetchSessions(1, Duration.ZERO));
        broker.start();
        bootstrap = broker.listeners().get(0).hostAndPort();
        topicId = broker.topics().create("t", 1).id();
    }

    @AfterEach
    void stop() {
        broker.close();
    }

    @Test
    void aClientWhoseSessionIsEvictedBeginsANewOneAndMissesNothing() throws IOException {
        List<String> expected = new ArrayList<>();
        List<String> read = new ArrayList<>();
        try (Consumer<byte[], byte[]> consumer = Clients.plaintext(bootstrap).consumer(PARTITION);
                RawClient other = new RawClient(bootstrap)) {
            for (int round = 0; round < ROUNDS; round++) {
                expected.addAll(append(round));
                Clients.consume(consumer, RECORDS_EACH)
                        .forEach(record -> read.add(new String(record.value(), StandardCharsets.UTF_8)));

                int session = open(other);
                expected.addAll(append(ROUNDS + round));
                Clients.consume(consumer, RECORDS_EACH)
                        .forEach(record -> read.add(new String(record.value(), StandardCharsets.UTF_8)));
                // The consumer's was evicted, and its new one evicts the other's in turn.
                awaitEviction(other, session, consumer);
            }
        }
        assertThat(read).isEqualTo(expected);
    }

    private List<String> append(int round) {
        List<String> values = IntStream.range(0, RECORDS_EACH)
                .mapToObj(index -> round + "-" + index)
                .toList();
        Partition partition =
                broker.topics().byName("t").orElseThrow().partitions().get(0);
        partition.append(Requests.records(values.toArray(String[]::new)));
        partition.changed();
        return values;
    }

    private int open(RawClient client) throws IOException {
        FetchResponseData opened = client.call(
                ApiKeys.FETCH,
                VERSION,
                Requests.fetch("t", topicId, 0, 1 << 20).setSessionEpoch(0),
                FetchResponseData.class);
        assertThat(opened.sessionId()).isPositive();
        return opened.sessionId();
    }

    private static void awaitEviction(RawClient client, int session, Consumer<byte[], byte[]> consumer) {
        AtomicInteger epoch = new AtomicInteger();
        await().pollInSameThread().atMost(PATIENCE).until(() -> {
            assertThat(consumer.poll(Duration.ofMillis(10))).isEmpty();
            Errors error = next(client, session, epoch.incrementAndGet());
            assertThat(error).isIn(Errors.NONE, Errors.FETCH_SESSION_ID_NOT_FOUND);
            return error == Errors.FETCH_SESSION_ID_NOT_FOUND;
        });
    }

    private static Errors next(RawClient client, int session, int epoch) throws IOException {
        FetchRequestData request = new FetchRequestData()
                .setMaxBytes(1 << 20)
                .setSessionId(session)
                .setSessionEpoch(epoch);
        return Errors.forCode(client.call(ApiKeys.FETCH, VERSION, request, FetchResponseData.class)
                .errorCode());
    }
}
