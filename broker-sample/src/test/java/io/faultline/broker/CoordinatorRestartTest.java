package io.faultline.broker;

import static org.assertj.core.api.Assertions.assertThat;

import io.faultline.broker.junit.BrokerExtension;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor.Subscription;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.internals.ConsumerProtocol;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.message.DescribeGroupsRequestData;
import org.apache.kafka.common.message.DescribeGroupsResponseData;
import org.apache.kafka.common.message.DescribeGroupsResponseData.DescribedGroup;
import org.apache.kafka.common.message.JoinGroupRequestData;
import org.apache.kafka.common.message.JoinGroupRequestData.JoinGroupRequestProtocol;
import org.apache.kafka.common.message.JoinGroupResponseData;
import org.apache.kafka.common.message.SyncGroupResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.utils.Utils;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * The broker goes away, and comes back, while a group is in the middle of a rebalance that does not end: a member of another kind, which
 * is not there any more afterwards, holds it up.
 */
class CoordinatorRestartTest {

    private static final String GROUP = "g";
    private static final int PARTITIONS = 2;
    private static final int RECORDS_EACH = 100;
    private static final long COMMITTED = 40;
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    /** Of a member that the coordinator does not give up meanwhile. */
    private static final int LONG_MS = 300_000;

    @RegisterExtension
    final BrokerExtension extension = new BrokerExtension(builder -> builder.temporaryDirectories(2)
            .topic("t", PARTITIONS)
            .property("group.max.session.timeout.ms", "" + LONG_MS));

    private final List<Consumer<byte[], byte[]>> members = new ArrayList<>();
    private final Map<TopicPartition, OffsetAndMetadata> committed = new HashMap<>();
    private final Map<TopicPartition, Long> firstRead = new HashMap<>();
    private EmbeddedBroker broker;
    private Clients clients;
    private RawClient obstacle;
    private String obstacleId = "";

    @BeforeEach
    void start() throws Exception {
        broker = extension.broker();
        clients = Clients.plaintext(broker).with("enable.auto.commit", false);
        for (int partition = 0; partition < PARTITIONS; partition++) {
            clients.produce(new TopicPartition("t", partition), RECORDS_EACH, 10);
            committed.put(new TopicPartition("t", partition), new OffsetAndMetadata(COMMITTED, "text"));
        }
        try (Admin admin = clients.admin()) {
            Clients.get(admin.alterConsumerGroupOffsets(GROUP, committed).all());
        }
        obstacle = new RawClient(broker.bootstrapServers());
    }

    @AfterEach
    void stop() throws IOException {
        members.forEach(member -> member.close(CloseOptions.timeout(Duration.ofSeconds(1))));
        obstacle.close();
    }

    @Test
    void membersThatWaitForOthersToJoinGoOnByThemselves() throws Exception {
        joinObstacle();
        receiveJoined();
        syncObstacle();
        join();
        join();
        // Both have sent their JoinGroup, and are held until the obstacle sends its own.
        pollUntil(() -> described().groupState().equals("PreparingRebalance")
                && described().members().size() == 3);
        broker.restart();
        assertAllGoOn();
    }

    @Test
    void membersThatWaitForTheirAssignmentGoOnByThemselves() throws Exception {
        joinObstacle();
        receiveJoined();
        syncObstacle();
        join();
        join();
        pollUntil(() -> described().members().size() == 3);
        // It leads, and assigns nothing: the others have sent their SyncGroup when they know that they have joined.
        joinObstacle();
        receiveJoined();
        pollUntil(() -> members.stream().allMatch(member -> joins(member) == 1));
        assertThat(described().groupState()).isEqualTo("CompletingRebalance");
        broker.restart();
        assertAllGoOn();
    }

    /** Nothing is said to them: each partition is theirs again, from where it was committed. */
    private void assertAllGoOn() throws Exception {
        pollUntil(() -> members.stream().allMatch(member -> member.assignment().size() == PARTITIONS / 2));
        assertThat(assignedToAll()).isEqualTo(committed.keySet());
        try (Admin admin = clients.admin()) {
            assertThat(Clients.get(admin.listConsumerGroupOffsets(GROUP).partitionsToOffsetAndMetadata()))
                    .isEqualTo(committed);
        }
        assertThat(described().groupState()).isEqualTo("Stable");
        pollUntil(() -> members.stream().allMatch(this::isAtTheEnd));
        members.forEach(Consumer::commitSync);
        try (Admin admin = clients.admin()) {
            assertThat(Clients.get(admin.listConsumerGroupOffsets(GROUP).partitionsToOffsetAndMetadata()))
                    .allSatisfy(
                            (partition, offset) -> assertThat(offset.offset()).isEqualTo(RECORDS_EACH));
        }
        assertThat(firstRead)
                .allSatisfy((partition, offset) -> assertThat(offset).isEqualTo(COMMITTED))
                .hasSize(PARTITIONS);
    }

    private boolean isAtTheEnd(Consumer<byte[], byte[]> member) {
        return member.assignment().stream().allMatch(partition -> member.position(partition) == RECORDS_EACH);
    }

    private Set<TopicPartition> assignedToAll() {
        Set<TopicPartition> all = new HashSet<>();
        members.forEach(member -> all.addAll(member.assignment()));
        return all;
    }

    private void join() {
        members.add(clients.member(
                GROUP,
                new ConsumerRebalanceListener() {
                    @Override
                    public void onPartitionsRevoked(Collection<TopicPartition> partitions) {}

                    @Override
                    public void onPartitionsAssigned(Collection<TopicPartition> partitions) {}
                },
                "t"));
    }

    private void pollUntil(Callable<Boolean> condition) throws Exception {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (!condition.call()) {
            assertThat(System.nanoTime()).as("%s", described()).isLessThan(deadline);
            for (Consumer<byte[], byte[]> member : members) {
                member.poll(Duration.ofMillis(20))
                        .forEach(record -> firstRead.putIfAbsent(
                                new TopicPartition(record.topic(), record.partition()), record.offset()));
            }
        }
    }

    private static double joins(Consumer<byte[], byte[]> member) {
        return member.metrics().values().stream()
                .filter(metric -> metric.metricName().name().equals("join-total"))
                .mapToDouble(metric -> (double) metric.metricValue())
                .sum();
    }

    private DescribedGroup described() throws IOException {
        try (RawClient client = new RawClient(broker.bootstrapServers())) {
            return client.call(
                            ApiKeys.DESCRIBE_GROUPS,
                            5,
                            new DescribeGroupsRequestData().setGroups(List.of(GROUP)),
                            DescribeGroupsResponseData.class)
                    .groups()
                    .get(0);
        }
    }

    private void joinObstacle() throws IOException {
        JoinGroupRequestData request = new JoinGroupRequestData()
                .setGroupId(GROUP)
                .setMemberId(obstacleId)
                .setSessionTimeoutMs(LONG_MS)
                .setRebalanceTimeoutMs(LONG_MS)
                .setProtocolType(ConsumerProtocol.PROTOCOL_TYPE);
        request.protocols()
                .add(new JoinGroupRequestProtocol()
                        .setName("range")
                        .setMetadata(
                                Utils.toArray(ConsumerProtocol.serializeSubscription(new Subscription(List.of("t"))))));
        obstacle.send(ApiKeys.JOIN_GROUP, 1, request);
    }

    private void receiveJoined() throws IOException {
        JoinGroupResponseData joined = obstacle.receive(ApiKeys.JOIN_GROUP, 1, JoinGroupResponseData.class);
        assertThat(joined.errorCode()).isZero();
        obstacleId = joined.memberId();
        assertThat(joined.leader()).isEqualTo(obstacleId);
    }

    private void syncObstacle() throws IOException {
        SyncGroupResponseData synced = obstacle.call(
                ApiKeys.SYNC_GROUP,
                0,
                GroupRequests.sync(GROUP, obstacleId, 1, obstacleId),
                SyncGroupResponseData.class);
        assertThat(synced.errorCode()).isZero();
    }
}
