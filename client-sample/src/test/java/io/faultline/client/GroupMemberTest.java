package io.faultline.client;

import static io.faultline.client.StubConsumers.PARTITION;
import static io.faultline.client.StubConsumers.PATIENCE;
import static io.faultline.client.StubConsumers.SHORT;
import static io.faultline.client.StubConsumers.heartbeat;
import static io.faultline.client.StubConsumers.poll;
import static io.faultline.client.StubConsumers.pollUntil;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.faultline.client.stub.Reply;
import io.faultline.client.stub.StubCluster;
import io.faultline.client.stub.StubRequest;
import io.faultline.client.watchdog.Watchdog;
import java.io.IOException;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.kafka.clients.consumer.CommitFailedException;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor.Assignment;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.CooperativeStickyAssignor;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.internals.ConsumerProtocol;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.FencedInstanceIdException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.message.HeartbeatRequestData;
import org.apache.kafka.common.message.HeartbeatResponseData;
import org.apache.kafka.common.message.JoinGroupRequestData;
import org.apache.kafka.common.message.JoinGroupResponseData;
import org.apache.kafka.common.message.OffsetCommitRequestData;
import org.apache.kafka.common.message.OffsetCommitResponseData;
import org.apache.kafka.common.message.OffsetFetchResponseData;
import org.apache.kafka.common.message.SyncGroupResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** A member of a group, and a coordinator that does what they do in bad hours. */
@Timeout(180)
class GroupMemberTest {

    private StubConsumers consumers;
    private StubCluster cluster;
    private final List<String> told = new CopyOnWriteArrayList<>();

    @BeforeEach
    void start() throws IOException {
        consumers = new StubConsumers(2, 1);
        cluster = consumers.cluster();
        consumers.produce("0", "1");
    }

    @AfterEach
    void close() throws IOException {
        consumers.close();
    }

    /** Commits in onPartitionsRevoked, and notes all. */
    private final class Committing implements ConsumerRebalanceListener {

        private final Consumer<String, String> consumer;

        Committing(Consumer<String, String> consumer) {
            this.consumer = consumer;
        }

        @Override
        public void onPartitionsRevoked(Collection<TopicPartition> partitions) {
            told.add("revoked");
            consumer.commitSync(null, PATIENCE);
        }

        @Override
        public void onPartitionsAssigned(Collection<TopicPartition> partitions) {
            told.add("assigned");
        }

        @Override
        public void onPartitionsLost(Collection<TopicPartition> partitions) {
            told.add("lost");
        }
    }

    private Consumer<String, String> committing(Map<String, String> more) {
        Consumer<String, String> consumer = consumers.member(more);
        consumer.subscribe(List.of("t"), new Committing(consumer));
        return consumer;
    }

    private List<Integer> generationsOfCommits() {
        return cluster.requests(ApiKeys.OFFSET_COMMIT).stream()
                .map(request -> request.body(OffsetCommitRequestData.class).generationIdOrMemberEpoch())
                .toList();
    }

    private long count(ApiKeys api, int node) {
        return cluster.requests(api).stream()
                .filter(request -> request.node() == node)
                .count();
    }

    @Test
    void aListenerCommitsWhenTheConsumerIsClosed() {
        Consumer<String, String> consumer = committing(Map.of());
        poll(consumer, 2);
        consumer.close(PATIENCE);
        assertThat(told).containsExactly("assigned", "revoked");
        assertThat(cluster.committed("t", 0)).isEqualTo(2);
        assertThat(cluster.requests(ApiKeys.LEAVE_GROUP)).hasSize(1);
    }

    @Test
    void aListenerCommitsBeforeTheMemberJoinsANewGeneration() {
        Consumer<String, String> consumer = committing(Map.of());
        poll(consumer, 2);
        cluster.script().next(ApiKeys.HEARTBEAT, 1, heartbeat(Errors.REBALANCE_IN_PROGRESS));
        pollUntil(consumer, () -> told.size() == 3);
        assertThat(told).containsExactly("assigned", "revoked", "assigned");
        assertThat(cluster.committed("t", 0)).isEqualTo(2);
        assertThat(generationsOfCommits()).containsExactly(1);
        assertThat(cluster.requests(ApiKeys.OFFSET_COMMIT).get(0).nanos())
                .isLessThan(cluster.requests(ApiKeys.JOIN_GROUP).get(1).nanos());
    }

    @Test
    void aListenerCommitsWhatACooperativeMemberGivesUp() {
        Consumer<String, String> consumer =
                committing(Map.of("partition.assignment.strategy", CooperativeStickyAssignor.class.getName()));
        poll(consumer, 2);
        shareOutNothing();
        cluster.script().next(ApiKeys.HEARTBEAT, 1, heartbeat(Errors.REBALANCE_IN_PROGRESS));
        pollUntil(consumer, () -> told.contains("revoked"));
        assertThat(cluster.committed("t", 0)).isEqualTo(2);
    }

    @Test
    void aListenerCommitsWhenTheCoordinatorHasMoved() {
        Consumer<String, String> consumer = committing(Map.of());
        poll(consumer, 2);
        cluster.coordinate(2);
        consumer.close(PATIENCE);
        assertThat(told).containsExactly("assigned", "revoked");
        assertThat(cluster.committed("t", 0)).isEqualTo(2);
    }

    @Test
    void aCommitIsNeverSentUnderANewerGenerationThanThatOfItsPoll() throws Exception {
        Consumer<String, String> consumer = committing(Map.of());
        poll(consumer, 2);
        cluster.script().always(ApiKeys.OFFSET_COMMIT, commit(Errors.COORDINATOR_LOAD_IN_PROGRESS));
        CompletableFuture<Exception> outcome = new CompletableFuture<>();
        consumer.commitAsync(null, (offsets, failure) -> outcome.complete(failure));
        cluster.await(ApiKeys.OFFSET_COMMIT, 1);
        cluster.script().next(ApiKeys.HEARTBEAT, 1, heartbeat(Errors.ILLEGAL_GENERATION));
        pollUntil(consumer, () -> told.size() == 3);
        assertThat(told).containsExactly("assigned", "lost", "assigned");
        assertThat(outcome.get(60, TimeUnit.SECONDS)).isInstanceOf(CommitFailedException.class);
        assertThat(generationsOfCommits()).containsOnly(1);
    }

    private static Reply commit(Errors error) {
        return Reply.changed(
                OffsetCommitResponseData.class,
                answer -> answer.topics()
                        .forEach(topic ->
                                topic.partitions().forEach(partition -> partition.setErrorCode(error.code()))));
    }

    @Test
    void aCommitThatWaitsFailsAsSoonAsItsGenerationIsOver() {
        Consumer<String, String> consumer = committing(Map.of());
        poll(consumer, 2);
        cluster.script().always(ApiKeys.OFFSET_COMMIT, commit(Errors.COORDINATOR_LOAD_IN_PROGRESS));
        cluster.script()
                .when(
                        request -> request.api() == ApiKeys.HEARTBEAT
                                && !generationsOfCommits().isEmpty(),
                        request -> heartbeat(Errors.UNKNOWN_MEMBER_ID));
        assertThatExceptionOfType(CommitFailedException.class)
                .isThrownBy(() -> consumer.commitSync(null, Duration.ofMillis(Long.MAX_VALUE)));
    }

    @ParameterizedTest
    @EnumSource(names = {"ILLEGAL_GENERATION", "UNKNOWN_MEMBER_ID"})
    void aMemberThatTheGroupHasGoneOnWithoutIsToldAndJoinsAgain(Errors error) {
        Consumer<String, String> consumer = committing(Map.of());
        poll(consumer, 2);
        cluster.script().next(ApiKeys.HEARTBEAT, 1, heartbeat(error));
        pollUntil(consumer, () -> told.size() == 3);
        assertThat(told).containsExactly("assigned", "lost", "assigned");
        String rejoined = cluster.requests(ApiKeys.JOIN_GROUP)
                .get(1)
                .body(JoinGroupRequestData.class)
                .memberId();
        assertThat(rejoined).isEqualTo(error == Errors.UNKNOWN_MEMBER_ID ? "" : "member-1");
    }

    @Test
    void aMemberJoinsUnderTheIdThatItIsGiven() {
        cluster.script()
                .next(
                        ApiKeys.JOIN_GROUP,
                        1,
                        new Reply.Answer(new JoinGroupResponseData()
                                .setErrorCode(Errors.MEMBER_ID_REQUIRED.code())
                                .setMemberId("given")));
        poll(committing(Map.of()), 2);
        assertThat(cluster.requests(ApiKeys.JOIN_GROUP))
                .extracting(request -> request.body(JoinGroupRequestData.class).memberId())
                .containsExactly("", "given");
    }

    @Test
    void aStaticMemberWhoseNameWasTakenHasComeToItsEnd() {
        Consumer<String, String> consumer = committing(Map.of("group.instance.id", "one"));
        poll(consumer, 2);
        cluster.script().always(ApiKeys.HEARTBEAT, heartbeat(Errors.FENCED_INSTANCE_ID));
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThatExceptionOfType(FencedInstanceIdException.class)
                        .isThrownBy(() -> consumer.poll(SHORT)));
        assertThatExceptionOfType(FencedInstanceIdException.class).isThrownBy(() -> consumer.poll(SHORT));
        consumer.close(PATIENCE);
        assertThat(told).containsExactly("assigned", "lost");
        assertThat(cluster.requests(ApiKeys.JOIN_GROUP)).hasSize(1);
    }

    @Test
    void aCoordinatorThatIsLoadingIsWaitedForAndKept() {
        Errors loading = Errors.COORDINATOR_LOAD_IN_PROGRESS;
        cluster.script()
                .next(ApiKeys.JOIN_GROUP, 2, new Reply.Answer(new JoinGroupResponseData().setErrorCode(loading.code())))
                .next(
                        ApiKeys.OFFSET_FETCH,
                        2,
                        Reply.changed(
                                OffsetFetchResponseData.class,
                                answer -> answer.groups().forEach(group -> group.setErrorCode(loading.code()))))
                .next(ApiKeys.OFFSET_COMMIT, 2, commit(loading))
                .next(ApiKeys.HEARTBEAT, 2, heartbeat(loading));
        Consumer<String, String> consumer = committing(Map.of());
        poll(consumer, 2);
        consumer.commitSync(null, PATIENCE);
        assertThat(cluster.committed("t", 0)).isEqualTo(2);
        assertThat(told).containsExactly("assigned");
        assertThat(count(ApiKeys.JOIN_GROUP, 1)).isEqualTo(3);
    }

    @Test
    void partitionsAreLostWhenTheSessionHasLapsedUnheard() {
        Consumer<String, String> consumer = committing(Map.of("session.timeout.ms", "3000"));
        poll(consumer, 2);
        cluster.script().always(ApiKeys.HEARTBEAT, Reply.SILENCE);
        pollUntil(consumer, () -> told.contains("lost"));
        cluster.script().clear();
        pollUntil(consumer, () -> told.size() == 3);
        assertThat(told).containsExactly("assigned", "lost", "assigned");
    }

    /** A listener that throws once, when it is told of something. */
    private final class Throwing implements ConsumerRebalanceListener {

        private final String when;
        private boolean thrown;

        Throwing(String when) {
            this.when = when;
        }

        private void tell(String what) {
            told.add(what);
            if (what.equals(when) && !thrown) {
                thrown = true;
                throw new IllegalStateException("a fault of the application");
            }
        }

        @Override
        public void onPartitionsRevoked(Collection<TopicPartition> partitions) {
            tell("revoked");
        }

        @Override
        public void onPartitionsAssigned(Collection<TopicPartition> partitions) {
            tell("assigned");
        }

        @Override
        public void onPartitionsLost(Collection<TopicPartition> partitions) {
            tell("lost");
        }
    }

    @ParameterizedTest
    @CsvSource({"assigned, REBALANCE_IN_PROGRESS", "revoked, REBALANCE_IN_PROGRESS", "lost, UNKNOWN_MEMBER_ID"})
    void whatAListenerThrowsIsThrownByOnePollAndTheRebalanceGoesOn(String when, Errors error) {
        Consumer<String, String> consumer = consumers.member(Map.of());
        consumer.subscribe(List.of("t"), new Throwing(when));
        cluster.script()
                .when(
                        request -> request.api() == ApiKeys.HEARTBEAT
                                && !told.isEmpty() // what was never told as assigned is not told as lost either
                                && cluster.requests(ApiKeys.JOIN_GROUP).size() == 1,
                        request -> heartbeat(error));
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThatExceptionOfType(KafkaException.class)
                        .isThrownBy(() -> consumer.poll(SHORT))
                        .havingCause()
                        .withMessage("a fault of the application"));
        pollUntil(consumer, () -> told.size() == 3);
        assertThat(told)
                .containsExactly("assigned", error == Errors.UNKNOWN_MEMBER_ID ? "lost" : "revoked", "assigned");
        assertThat(consumer.assignment()).containsExactly(PARTITION);
    }

    /** The next time the group shares out, this member gets nothing. */
    private void shareOutNothing() {
        byte[] nothing =
                ConsumerProtocol.serializeAssignment(new Assignment(List.of())).array();
        cluster.script()
                .next(
                        ApiKeys.SYNC_GROUP,
                        1,
                        Reply.changed(SyncGroupResponseData.class, answer -> answer.setAssignment(nothing)));
    }

    @Test
    void whatIsOnItsWayWhenItsPartitionIsRevokedIsDropped() {
        CompletableFuture<Void> gate = new CompletableFuture<>();
        cluster.script().next(ApiKeys.FETCH, 1, new Reply.Hold(gate));
        Consumer<String, String> consumer = committing(Map.of());
        pollUntil(consumer, () -> !cluster.requests(ApiKeys.FETCH).isEmpty());
        shareOutNothing();
        cluster.script().next(ApiKeys.HEARTBEAT, 1, heartbeat(Errors.REBALANCE_IN_PROGRESS));
        pollUntil(consumer, () -> told.size() == 3);
        assertThat(told).containsExactly("assigned", "revoked", "assigned");
        gate.complete(null);
        await().during(Duration.ofMillis(500))
                .atMost(PATIENCE)
                .until(() -> consumer.poll(SHORT).isEmpty());
        cluster.script().next(ApiKeys.HEARTBEAT, 1, heartbeat(Errors.REBALANCE_IN_PROGRESS));
        assertThat(poll(consumer, 2)).containsExactly("0", "1");
    }

    @Test
    void heartbeatsDoNotHideAnApplicationThatHangsInAListener() {
        Consumer<String, String> consumer = consumers.member(Map.of("max.poll.interval.ms", "1500"));
        consumer.subscribe(List.of("t"), new ConsumerRebalanceListener() {
            @Override
            public void onPartitionsRevoked(Collection<TopicPartition> partitions) {
                told.add("revoked");
            }

            @Override
            public void onPartitionsAssigned(Collection<TopicPartition> partitions) {
                if (told.isEmpty()) {
                    told.add("hangs");
                    cluster.await(ApiKeys.LEAVE_GROUP, 1);
                } else {
                    told.add("assigned");
                }
            }

            @Override
            public void onPartitionsLost(Collection<TopicPartition> partitions) {
                told.add("lost");
            }
        });
        pollUntil(consumer, () -> told.size() == 3);
        assertThat(told).containsExactly("hangs", "lost", "assigned");
    }

    @Test
    void aPollThatWaitsForLongIsASignOfLife() {
        Consumer<String, String> consumer = committing(Map.of("max.poll.interval.ms", "1000"));
        poll(consumer, 2);
        int before = cluster.requests(ApiKeys.HEARTBEAT).size();
        consumer.poll(Duration.ofSeconds(3));
        assertThat(cluster.requests(ApiKeys.HEARTBEAT)).hasSizeGreaterThan(before);
        assertThat(cluster.requests(ApiKeys.LEAVE_GROUP)).isEmpty();
    }

    /** As with a session time-out of 45 s and three members who take their time, on another scale. */
    @Test
    void aJoinThatIsHeldBeyondTheRequestTimeoutIsOneJoin() {
        CompletableFuture<Void> allHaveJoined = new CompletableFuture<>();
        cluster.script().next(ApiKeys.JOIN_GROUP, 1, new Reply.Hold(allHaveJoined));
        Consumer<String, String> consumer =
                committing(Map.of("request.timeout.ms", "1000", "session.timeout.ms", "20000"));
        pollUntil(consumer, () -> !cluster.requests(ApiKeys.JOIN_GROUP).isEmpty());
        assertThatExceptionOfType(TimeoutException.class)
                .isThrownBy(() -> consumer.committed(Set.of(PARTITION), Duration.ofSeconds(3)));
        allHaveJoined.complete(null);
        poll(consumer, 2);
        assertThat(cluster.requests(ApiKeys.JOIN_GROUP)).hasSize(1);
    }

    @Test
    void whatIsHeldDoesNotHoldUpLeaving() {
        Consumer<String, String> consumer = committing(Map.of());
        poll(consumer, 2);
        cluster.script().next(ApiKeys.JOIN_GROUP, 1, Reply.SILENCE);
        cluster.script().next(ApiKeys.HEARTBEAT, 1, heartbeat(Errors.REBALANCE_IN_PROGRESS));
        pollUntil(consumer, () -> cluster.requests(ApiKeys.JOIN_GROUP).size() == 2);
        consumer.close(Duration.ofMillis(Long.MAX_VALUE));
        assertThat(cluster.requests(ApiKeys.LEAVE_GROUP)).hasSize(1);
    }

    @Test
    void aBrokerThatIsSaidToCoordinateAndDoesNotIsNotAskedWithoutPause() {
        Consumer<String, String> consumer = committing(Map.of());
        poll(consumer, 2);
        int before = (int) count(ApiKeys.HEARTBEAT, 1);
        cluster.script()
                .always(
                        request -> request.api() == ApiKeys.HEARTBEAT && request.node() == 1,
                        heartbeat(Errors.NOT_COORDINATOR));
        pollUntil(consumer, () -> count(ApiKeys.HEARTBEAT, 1) >= before + 6);
        List<StubRequest> beats = cluster.requests(ApiKeys.HEARTBEAT);
        for (int index = before + 3; index < before + 6; index++) {
            assertThat(beats.get(index).nanos() - beats.get(index - 1).nanos())
                    .isGreaterThan(TimeUnit.MILLISECONDS.toNanos(75)); // retry.backoff.ms, less a fifth
        }
        cluster.coordinate(2);
        pollUntil(consumer, () -> count(ApiKeys.HEARTBEAT, 2) >= 2);
        assertThat(told).containsExactly("assigned");
    }

    @Test
    void aDeadCoordinatorIsForgottenWhenItsConnectionBreaks() throws IOException {
        cluster.coordinate(2);
        Consumer<String, String> consumer = committing(Map.of());
        poll(consumer, 2);
        cluster.coordinate(1);
        cluster.node(2).stop();
        pollUntil(consumer, () -> count(ApiKeys.HEARTBEAT, 1) >= 2);
        assertThat(told).containsExactly("assigned");
    }

    @Test
    void aFormerCoordinatorsConnectionIsGivenBack() {
        Consumer<String, String> consumer = committing(Map.of());
        poll(consumer, 2);
        pollUntil(consumer, () -> count(ApiKeys.HEARTBEAT, 1) >= 1);
        assertThat(cluster.node(1).connections()).isEqualTo(2); // it leads, and coordinates
        cluster.coordinate(2);
        pollUntil(consumer, () -> count(ApiKeys.HEARTBEAT, 2) >= 1);
        pollUntil(consumer, () -> cluster.node(1).connections() == 1);
        assertThat(told).containsExactly("assigned");
    }

    @Test
    void commitsFailInTimeWhileThereIsNoCoordinator() throws Exception {
        cluster.coordinate(-1);
        Consumer<String, String> consumer = consumers.member(Map.of("default.api.timeout.ms", "1000"));
        consumer.assign(List.of(PARTITION));
        Map<TopicPartition, OffsetAndMetadata> offsets = Map.of(PARTITION, new OffsetAndMetadata(1));
        CompletableFuture<Exception> outcome = new CompletableFuture<>();
        consumer.commitAsync(offsets, (same, failure) -> outcome.complete(failure));
        assertThat(outcome.get(60, TimeUnit.SECONDS)).isInstanceOf(TimeoutException.class);
        assertThatExceptionOfType(TimeoutException.class)
                .isThrownBy(() -> consumer.commitSync(offsets, Duration.ofSeconds(1)));
    }

    @Test
    void aCloseIsBoundedWhileACoordinatorIsLookedFor() throws IOException {
        Consumer<String, String> consumer = consumers.member(Map.of("enable.auto.commit", "true"));
        consumer.subscribe(List.of("t"));
        poll(consumer, 2);
        cluster.coordinate(-1);
        cluster.node(1).closeConnections();
        consumer.close(Duration.ofSeconds(2));
        assertThat(consumer.runtime().core().trips().count(Watchdog.CLOSE)).isEqualTo(1);
    }

    @Test
    void aCommitThatAThawedBrokerExecutesLateDoesNotTakeTheGroupBack() {
        Consumer<String, String> consumer = consumers.member(Map.of("retry.backoff.ms", "1000"));
        consumer.subscribe(List.of("t"));
        poll(consumer, 2);
        CompletableFuture<Void> thaw = new CompletableFuture<>();
        AtomicInteger commits = new AtomicInteger();
        cluster.script()
                .when(request -> request.api() == ApiKeys.OFFSET_COMMIT, request -> switch (commits.incrementAndGet()) {
                    case 1 -> new Reply.DoLate(thaw);
                    case 2 -> Reply.changed(OffsetCommitResponseData.class, answer -> thaw.complete(null));
                    default -> Reply.USUAL;
                });
        assertThatExceptionOfType(TimeoutException.class)
                .isThrownBy(
                        () -> consumer.commitSync(Map.of(PARTITION, new OffsetAndMetadata(1)), Duration.ofMillis(300)));
        consumer.commitSync(Map.of(PARTITION, new OffsetAndMetadata(2)), PATIENCE);
        assertThat(cluster.committed("t", 0)).isEqualTo(2);
        assertThat(commits).hasValue(3);
    }

    @Test
    void aThawedMemberDeliversAndCommitsNothingBeforeItsMembershipIsConfirmed() {
        AtomicLong stopped = new AtomicLong();
        Wiring wiring = new Wiring(() -> System.nanoTime() + stopped.get(), Set.of());
        Consumer<String, String> consumer = consumers.member(wiring, Map.of("max.poll.records", "1"));
        consumer.subscribe(List.of("t"), new Committing(consumer));
        assertThat(poll(consumer, 1)).containsExactly("0");
        cluster.script().always(ApiKeys.HEARTBEAT, Reply.SILENCE);
        int fetches = cluster.requests(ApiKeys.FETCH).size();
        cluster.await(ApiKeys.FETCH, fetches + 1); // "1" is buffered
        stopped.set(TimeUnit.MINUTES.toNanos(10));
        assertThat(consumer.poll(Duration.ZERO)).isEmpty();
        // By its offset: whether the partition is still there to be asked depends on how far the loop has come.
        Map<TopicPartition, OffsetAndMetadata> delivered = Map.of(PARTITION, new OffsetAndMetadata(1));
        assertThatExceptionOfType(CommitFailedException.class)
                .isThrownBy(() -> consumer.commitSync(delivered, PATIENCE));
        assertThat(cluster.requests(ApiKeys.OFFSET_COMMIT)).isEmpty();
        cluster.script().clear();
        assertThat(poll(consumer, 2)).containsExactly("0", "1"); // as nothing was committed
        assertThat(told).containsExactly("assigned", "lost", "assigned");
    }

    @Test
    void eachHeartbeatCarriesTheGenerationOfTheMember() {
        Consumer<String, String> consumer = committing(Map.of());
        poll(consumer, 2);
        pollUntil(consumer, () -> cluster.requests(ApiKeys.HEARTBEAT).size() >= 3);
        assertThat(cluster.requests(ApiKeys.HEARTBEAT))
                .extracting(request -> request.body(HeartbeatRequestData.class).generationId())
                .containsOnly(1);
    }

    /** A heartbeat that was on its way when the member joined is answered before its JoinGroup is, and says what it knows. */
    @Test
    void aRebalanceThatIsHeardOfOnceMoreWhileTheMemberJoinsIsNotAnotherOne() {
        Consumer<String, String> consumer =
                consumers.member(Map.of("heartbeat.interval.ms", "1000")); // and as long for an answer
        consumer.subscribe(List.of("t"), new Throwing("never")); // nor commits, which would wait behind the heartbeat
        poll(consumer, 2);
        int before = cluster.requests(ApiKeys.HEARTBEAT).size();
        AtomicInteger beats = new AtomicInteger();
        cluster.script()
                .when(
                        request -> request.api() == ApiKeys.HEARTBEAT
                                && request.body(HeartbeatRequestData.class).generationId() == 1,
                        request -> Reply.changed(HeartbeatResponseData.class, answer -> {
                            if (beats.incrementAndGet() == 2) {
                                cluster.await(ApiKeys.JOIN_GROUP, 2);
                            }
                            answer.setErrorCode(Errors.REBALANCE_IN_PROGRESS.code());
                        }));
        cluster.await(ApiKeys.HEARTBEAT, before + 2); // while the member waits for its application
        pollUntil(consumer, () -> heartbeatsSince(2) >= 3);
        assertThat(told).containsExactly("assigned", "revoked", "assigned");
        assertThat(cluster.requests(ApiKeys.JOIN_GROUP)).hasSize(2);
    }

    private long heartbeatsSince(int generation) {
        return cluster.requests(ApiKeys.HEARTBEAT).stream()
                .filter(request -> request.body(HeartbeatRequestData.class).generationId() >= generation)
                .count();
    }

    /** What a cooperative member kept through a rebalance that failed may be another's in the next. */
    @Test
    void aCooperativeMemberThatMissedAGenerationLosesWhatItHadBeforeItJoins() {
        Consumer<String, String> consumer =
                committing(Map.of("partition.assignment.strategy", CooperativeStickyAssignor.class.getName()));
        poll(consumer, 2);
        cluster.script()
                .next(
                        ApiKeys.SYNC_GROUP,
                        1,
                        Reply.changed(
                                SyncGroupResponseData.class,
                                answer -> answer.setErrorCode(Errors.REBALANCE_IN_PROGRESS.code())));
        cluster.script().next(ApiKeys.HEARTBEAT, 1, heartbeat(Errors.REBALANCE_IN_PROGRESS));
        pollUntil(consumer, () -> told.size() >= 3 && told.get(told.size() - 1).equals("assigned"));
        assertThat(told).containsExactly("assigned", "lost", "assigned");
        assertThat(cluster.requests(ApiKeys.JOIN_GROUP)).hasSize(3);
    }
}
