package io.faultline.broker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.function.BooleanSupplier;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ConsumerGroupDescription;
import org.apache.kafka.clients.admin.GroupListing;
import org.apache.kafka.clients.admin.MemberToRemove;
import org.apache.kafka.clients.admin.RemoveMembersFromConsumerGroupOptions;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.CloseOptions.GroupMembershipOperation;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.GroupState;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.FencedInstanceIdException;
import org.apache.kafka.common.errors.GroupNotEmptyException;
import org.apache.kafka.common.errors.GroupSubscribedToTopicException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Groups of the newest Java consumer. */
class ConsumerGroupTest {

    private static final int RECORDS_EACH = 100;
    private static final int PARTITIONS = 6;
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    @TempDir
    Path scratch;

    private EmbeddedBroker broker;
    private Clients clients;
    private final List<Member> members = new ArrayList<>();

    @BeforeEach
    void start() throws Exception {
        startBroker("a", "b");
        clients.createTopic("t", PARTITIONS);
        for (int partition = 0; partition < PARTITIONS; partition++) {
            clients.produce(new TopicPartition("t", partition), RECORDS_EACH, 10);
        }
    }

    private void startBroker(String... directories) throws IOException {
        EmbeddedBroker.Builder builder = EmbeddedBroker.builder()
                .directories(List.of(directories).stream().map(scratch::resolve).toArray(Path[]::new))
                .property("group.min.session.timeout.ms", "500");
        if (broker != null) {
            builder.property("listeners", "PLAINTEXT://" + broker.bootstrapServers());
        }
        broker = builder.start();
        clients = Clients.plaintext(broker);
    }

    @AfterEach
    void stop() {
        members.forEach(Member::close);
        broker.close();
    }

    @Test
    void threeMembersShareThePartitionsAndReadEachRecordOnce() throws Exception {
        join();
        pollUntil(() -> total() == PARTITIONS * RECORDS_EACH);
        join();
        join();
        pollUntil(() -> members.stream().allMatch(member -> member.assigned().size() == PARTITIONS / 3));
        assertThat(assignedToAll()).hasSize(PARTITIONS);
        for (int partition = 0; partition < PARTITIONS; partition++) {
            clients.produce(new TopicPartition("t", partition), RECORDS_EACH, 10);
        }
        pollUntil(() -> total() == 2 * PARTITIONS * RECORDS_EACH);
        assertThat(members).allSatisfy(member -> assertThat(member.records).isPositive());
    }

    @Test
    void membersWithAllDefaultsReadAndCommit() throws Exception {
        EmbeddedBroker.Builder builder = EmbeddedBroker.builder().property("group.initial.rebalance.delay.ms", "300");
        try (EmbeddedBroker other = builder.start();
                Consumer<byte[], byte[]> consumer = Clients.plaintext(other)
                        .member(
                                "g",
                                new ConsumerRebalanceListener() {
                                    @Override
                                    public void onPartitionsRevoked(Collection<TopicPartition> partitions) {}

                                    @Override
                                    public void onPartitionsAssigned(Collection<TopicPartition> partitions) {}
                                },
                                "t")) {
            Clients.plaintext(other).produce(new TopicPartition("t", 0), 10, 10);
            assertThat(Clients.consume(consumer, 10)).hasSize(10);
            consumer.commitSync();
            assertThat(consumer.committed(Set.of(new TopicPartition("t", 0))).values())
                    .extracting(OffsetAndMetadata::offset)
                    .containsExactly(10L);
        }
    }

    @Test
    void aMemberThatLeavesGivesItsPartitionsToTheOthers() throws Exception {
        join();
        join();
        pollUntil(() -> members.stream().allMatch(member -> member.assigned().size() == PARTITIONS / 2));
        members.remove(1).close();
        pollUntil(() -> members.get(0).assigned().size() == PARTITIONS);
    }

    @Test
    void aMemberThatDiesGivesItsPartitionsToTheOthersWhenItsSessionIsOver() throws Exception {
        clients = clients.with("session.timeout.ms", 1_000).with("heartbeat.interval.ms", 100);
        join();
        join();
        pollUntil(() -> members.stream().allMatch(member -> member.assigned().size() == PARTITIONS / 2));
        members.remove(1).die();
        pollUntil(() -> members.get(0).assigned().size() == PARTITIONS);
    }

    @Test
    void aStaticMemberComesBackToItsPartitionsAndNobodyNotices() throws Exception {
        Member first = join();
        clients = clients.with("group.instance.id", "static");
        Member second = join();
        pollUntil(() -> members.stream().allMatch(member -> member.assigned().size() == PARTITIONS / 2));
        Set<TopicPartition> before = second.assigned();
        int roundsBefore = first.rounds;
        members.remove(second);
        second.close();

        Member back = join();
        pollUntil(() -> back.assigned().size() == PARTITIONS / 2);
        assertThat(back.assigned()).isEqualTo(before);
        assertThat(first.rounds).isEqualTo(roundsBefore);
    }

    @Test
    void aStaticMemberFencesTheOneBefore() throws Exception {
        clients = clients.with("group.instance.id", "static");
        Member first = join();
        // Who has read nothing has nothing to commit.
        pollUntil(() -> total() == PARTITIONS * RECORDS_EACH);
        members.clear();
        Member second = join();
        pollUntil(() -> second.assigned().size() == PARTITIONS);
        assertThat(catchThrowable(first.consumer::commitSync)).isInstanceOf(FencedInstanceIdException.class);
        first.close();
    }

    @Test
    void aGroupGoesOnWhereItCommitted() throws Exception {
        Member first = join();
        pollUntil(() -> total() == PARTITIONS * RECORDS_EACH);
        first.consumer.commitSync();
        members.clear();
        first.close();
        Member next = join();
        clients.produce(new TopicPartition("t", 0), 7, 10);
        pollUntil(() -> next.records > 0 && next.assigned().size() == PARTITIONS);
        assertThat(next.records).isLessThanOrEqualTo(7);
    }

    @Test
    void membersGoOnThroughARestartOfTheBroker() throws Exception {
        Member member = join();
        pollUntil(() -> total() == PARTITIONS * RECORDS_EACH);
        member.consumer.commitSync();
        int roundsBefore = member.rounds;
        broker.close();
        startBroker("a", "b");
        clients.produce(new TopicPartition("t", 0), 7, 10);
        TopicPartition partition = new TopicPartition("t", 0);
        // It loses its partitions and gets them back; what it reads meanwhile it may read twice.
        pollUntil(() -> member.rounds == roundsBefore + 2
                && member.assigned().contains(partition)
                && member.consumer.position(partition) == RECORDS_EACH + 7);
        member.consumer.commitSync();
        assertThat(member.consumer.committed(Set.of(partition)).get(partition).offset())
                .isEqualTo(RECORDS_EACH + 7);
    }

    @Test
    void committedOffsetsOutliveEitherDirectory() throws Exception {
        TopicPartition partition = new TopicPartition("t", 1);
        try (Admin admin = clients.admin()) {
            Clients.get(admin.alterConsumerGroupOffsets("g", Map.of(partition, new OffsetAndMetadata(5, "text")))
                    .all());
        }
        broker.close();
        for (String directory : List.of("a", "b")) {
            startBroker(directory);
            try (Admin admin = clients.admin()) {
                assertThat(Clients.get(admin.listConsumerGroupOffsets("g").partitionsToOffsetAndMetadata()))
                        .containsEntry(partition, new OffsetAndMetadata(5, "text"));
            }
            broker.close();
        }
    }

    @Test
    void groupsAreAdministered() throws Exception {
        TopicPartition partition = new TopicPartition("t", 0);
        Member member = join();
        pollUntil(() -> total() == PARTITIONS * RECORDS_EACH);
        member.consumer.commitSync();
        try (Admin admin = clients.admin()) {
            assertThat(Clients.get(admin.listGroups().all()))
                    .extracting(GroupListing::groupId)
                    .containsExactly("g");
            ConsumerGroupDescription described = Clients.get(
                            admin.describeConsumerGroups(List.of("g")).all())
                    .get("g");
            assertThat(described.groupState()).isEqualTo(GroupState.STABLE);
            assertThat(described.members()).singleElement().satisfies(one -> {
                assertThat(one.assignment().topicPartitions()).isEqualTo(member.assigned());
                assertThat(one.host()).isEqualTo("/127.0.0.1");
            });
            assertThat(Clients.get(admin.listConsumerGroupOffsets("g").partitionsToOffsetAndMetadata()))
                    .hasSize(PARTITIONS)
                    .containsEntry(
                            partition,
                            member.consumer.committed(Set.of(partition)).get(partition));
            assertThat(failure(() ->
                            Clients.get(admin.deleteConsumerGroups(List.of("g")).all())))
                    .isInstanceOf(GroupNotEmptyException.class);
            assertThat(failure(() -> Clients.get(admin.deleteConsumerGroupOffsets("g", Set.of(partition))
                            .all())))
                    .isInstanceOf(GroupSubscribedToTopicException.class);

            members.clear();
            member.close();
            Clients.get(admin.deleteConsumerGroupOffsets("g", Set.of(partition)).all());
            assertThat(Clients.get(admin.listConsumerGroupOffsets("g").partitionsToOffsetAndMetadata()))
                    .hasSize(PARTITIONS - 1);
            Clients.get(admin.deleteConsumerGroups(List.of("g")).all());
            assertThat(Clients.get(admin.listGroups().all())).isEmpty();
        }
    }

    @Test
    void staticMembersAreRemovedByAnAdministrator() throws Exception {
        clients = clients.with("group.instance.id", "static");
        Member member = join();
        pollUntil(() -> member.assigned().size() == PARTITIONS);
        try (Admin admin = clients.admin()) {
            Clients.get(admin.removeMembersFromConsumerGroup(
                            "g", new RemoveMembersFromConsumerGroupOptions(Set.of(new MemberToRemove("static"))))
                    .all());
            assertThat(Clients.get(admin.describeConsumerGroups(List.of("g")).all())
                            .get("g")
                            .groupState())
                    .isEqualTo(GroupState.EMPTY);
        }
    }

    private static Throwable failure(org.assertj.core.api.ThrowableAssert.ThrowingCallable call) {
        Throwable thrown = catchThrowable(call);
        return thrown instanceof ExecutionException ? thrown.getCause() : thrown;
    }

    private Member join() {
        Member member = new Member(clients);
        members.add(member);
        return member;
    }

    private int total() {
        return members.stream().mapToInt(member -> member.records).sum();
    }

    private Set<TopicPartition> assignedToAll() {
        Set<TopicPartition> all = new HashSet<>();
        members.forEach(member -> all.addAll(member.assigned()));
        return all;
    }

    private void pollUntil(BooleanSupplier condition) {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime())
                    .as(
                            "assigned %s, %s records",
                            members.stream().map(Member::assigned).toList(), total())
                    .isLessThan(deadline);
            members.forEach(Member::poll);
        }
    }

    /** A consumer that counts. */
    private static final class Member implements ConsumerRebalanceListener {

        private final Consumer<byte[], byte[]> consumer;
        private int records;
        private int rounds;

        Member(Clients clients) {
            consumer = clients.member("g", this, "t");
        }

        void poll() {
            records += consumer.poll(Duration.ofMillis(20)).count();
        }

        Set<TopicPartition> assigned() {
            return Set.copyOf(consumer.assignment());
        }

        @Override
        public void onPartitionsRevoked(Collection<TopicPartition> partitions) {
            rounds++;
        }

        @Override
        public void onPartitionsAssigned(Collection<TopicPartition> partitions) {
            rounds++;
        }

        /** Goes without a word to the group. */
        void die() {
            consumer.close(CloseOptions.groupMembershipOperation(GroupMembershipOperation.REMAIN_IN_GROUP));
        }

        void close() {
            consumer.close(CloseOptions.timeout(Duration.ofSeconds(1)));
        }
    }
}
