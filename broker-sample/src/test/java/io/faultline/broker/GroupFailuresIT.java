package io.faultline.broker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.faultline.broker.client.ClientProcess;
import io.faultline.broker.client.ClientProcess.Event;
import io.faultline.broker.client.ClientProgram;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Members that are processes, and a broker that is one: some die, some roll, and the coordinator is killed. */
class GroupFailuresIT {

    private static final String TOPIC = "t-none";
    private static final String GROUP = "g";
    private static final int PARTITIONS = 6;
    private static final Duration SESSION = Duration.ofSeconds(6);
    /** Only ends a test whose members are stuck. */
    private static final Duration PATIENCE = Duration.ofMinutes(2);
    /** What a loaded machine may add to a session before its end is acted upon. */
    private static final Duration SLACK = Duration.ofSeconds(30);

    @TempDir
    Path scratch;

    private final List<ClientProcess> members = new ArrayList<>();
    private BrokerProcess broker;
    private String bootstrap;
    private int produced;

    @BeforeEach
    void start() throws Exception {
        startBroker("PLAINTEXT://127.0.0.1:0");
        Clients.plaintext(bootstrap).createTopic(TOPIC, PARTITIONS);
    }

    private void startBroker(String listener) throws IOException {
        broker = BrokerProcess.start(
                scratch,
                "--listeners=" + listener,
                "--log.dirs=" + scratch.resolve("a") + "," + scratch.resolve("b"),
                "--group.initial.rebalance.delay.ms=0");
        bootstrap = broker.awaitReady("PLAINTEXT");
    }

    @AfterEach
    void end() {
        members.forEach(ClientProcess::close);
        broker.close();
    }

    @Test
    void aMemberThatIsKilledHoldsUpTheOthersNoLongerThanItsSession() throws Exception {
        ClientProcess killed = join();
        ClientProcess second = join();
        ClientProcess third = join();
        awaitAssigned(2, killed, second, third);
        produce(300);
        awaitAllConsumed();

        long killedNanos = System.nanoTime();
        killed.close();
        produce(300);
        awaitAssigned(3, second, third);
        awaitAllConsumed();

        long last = second.events().stream()
                .filter(event -> event.what().equals("assigned"))
                .mapToLong(Event::nanos)
                .max()
                .orElseThrow();
        assertThat(Duration.ofNanos(last - killedNanos)).isLessThan(SESSION.plus(SLACK));
        assertNoCommitIsLost();
    }

    @Test
    void membersRollOneAfterAnotherWithoutALostCommit() throws Exception {
        List<ClientProcess> running = new ArrayList<>(List.of(join(), join(), join()));
        awaitAssigned(2, running.toArray(ClientProcess[]::new));
        for (int rolled = 0; rolled < 3; rolled++) {
            produce(100);
            running.remove(0).leave();
            produce(100);
            running.add(join());
            awaitAssigned(2, running.toArray(ClientProcess[]::new));
        }
        awaitAllConsumed();
        assertNoCommitIsLost();
    }

    @Test
    void aKilledCoordinatorLosesNoCommitAndItsMembersComeBack() throws Exception {
        ClientProcess first = join();
        ClientProcess second = join();
        awaitAssigned(3, first, second);
        produce(300);
        awaitAllConsumed();
        Map<TopicPartition, OffsetAndMetadata> before = committed();

        broker.close();
        startBroker("PLAINTEXT://" + bootstrap);

        assertThat(committed()).isEqualTo(before);
        produce(300);
        awaitAllConsumed();
        awaitAssigned(3, first, second);
        assertNoCommitIsLost();
    }

    private ClientProcess join() throws IOException {
        ClientProcess member = ClientProcess.newest(
                scratch,
                "consume",
                bootstrap,
                GROUP,
                TOPIC,
                "session.timeout.ms=" + SESSION.toMillis(),
                "heartbeat.interval.ms=500");
        members.add(member);
        return member;
    }

    private static void awaitAssigned(int each, ClientProcess... expected) {
        await().atMost(PATIENCE).untilAsserted(() -> {
            Set<String> all = new HashSet<>();
            for (ClientProcess member : expected) {
                assertThat(member.assigned()).as(member.printed()).hasSize(each);
                all.addAll(member.assigned());
            }
            assertThat(all).hasSize(PARTITIONS);
        });
    }

    private void produce(int count) throws Exception {
        try (Producer<byte[], byte[]> producer = Clients.plaintext(bootstrap).producer()) {
            for (int index = produced; index < produced + count; index++) {
                producer.send(new ProducerRecord<>(TOPIC, index % PARTITIONS, null, ClientProgram.value("p", index)));
            }
        }
        produced += count;
    }

    /** Consumed by somebody, and committed. */
    private void awaitAllConsumed() throws Exception {
        Set<String> expected = IntStream.range(0, produced)
                .mapToObj(index -> new String(ClientProgram.value("p", index), StandardCharsets.UTF_8))
                .collect(Collectors.toSet());
        try (Admin admin = Clients.plaintext(bootstrap).admin()) {
            await().atMost(PATIENCE).untilAsserted(() -> {
                Set<String> consumed = new HashSet<>();
                for (ClientProcess member : members) {
                    consumed.addAll(member.values(TOPIC));
                }
                assertThat(consumed).isEqualTo(expected);
                Map<TopicPartition, OffsetSpec> latest = committed().keySet().stream()
                        .collect(Collectors.toMap(partition -> partition, partition -> OffsetSpec.latest()));
                Map<TopicPartition, Long> ends = new HashMap<>();
                Clients.get(admin.listOffsets(latest).all())
                        .forEach((partition, end) -> ends.put(partition, end.offset()));
                assertThat(ends).hasSize(PARTITIONS);
                committed()
                        .forEach((partition, offset) ->
                                assertThat(offset.offset()).isEqualTo(ends.get(partition)));
            });
        }
    }

    private Map<TopicPartition, OffsetAndMetadata> committed() throws Exception {
        try (Admin admin = Clients.plaintext(bootstrap).admin()) {
            return Clients.get(admin.listConsumerGroupOffsets(GROUP).partitionsToOffsetAndMetadata());
        }
    }

    /** Whoever was assigned a partition started at the last offset that anybody was told is committed, or behind it. */
    private void assertNoCommitIsLost() throws IOException {
        List<Event> all = new ArrayList<>();
        for (ClientProcess member : members) {
            all.addAll(member.events());
        }
        all.sort(Comparator.comparingLong(Event::nanos));
        Map<String, Long> committed = new HashMap<>();
        int resumed = 0;
        for (Event event : all) {
            long known = committed.getOrDefault(event.partition(), 0L);
            if (event.what().equals("committed")) {
                assertThat(event.offset()).as("%s goes on", event).isGreaterThanOrEqualTo(known);
                committed.put(event.partition(), event.offset());
            } else if (event.what().equals("assigned")) {
                assertThat(event.offset()).as("%s starts at the commit", event).isGreaterThanOrEqualTo(known);
                resumed += known > 0 ? 1 : 0;
            }
        }
        assertThat(resumed).as("partitions that somebody went on with").isPositive();
    }
}
