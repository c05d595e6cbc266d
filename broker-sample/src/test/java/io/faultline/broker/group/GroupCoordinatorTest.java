package io.faultline.broker.group;

import static io.faultline.broker.GroupRequests.assignment;
import static io.faultline.broker.GroupRequests.join;
import static io.faultline.broker.GroupRequests.sync;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.message.DescribeGroupsResponseData.DescribedGroup;
import org.apache.kafka.common.message.JoinGroupRequestData;
import org.apache.kafka.common.message.JoinGroupRequestData.JoinGroupRequestProtocol;
import org.apache.kafka.common.message.JoinGroupResponseData;
import org.apache.kafka.common.message.SyncGroupRequestData;
import org.apache.kafka.common.message.SyncGroupResponseData;
import org.apache.kafka.common.protocol.Errors;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class GroupCoordinatorTest {

    private static final short NEWEST = 9;
    private static final short FIRST = 0;
    private static final int SHORT_MS = 200;
    private static final TopicPartition PARTITION = new TopicPartition("t", 0);

    private final ScheduledThreadPoolExecutor timer = new ScheduledThreadPoolExecutor(1);
    private final CommittedOffsets offsets = new CommittedOffsets(List.of());
    private GroupCoordinator groups = coordinator(0);

    private GroupCoordinator coordinator(int initialDelayMs) {
        return new GroupCoordinator(new GroupConfig(initialDelayMs, 50, 60_000, 3, 10), offsets, timer);
    }

    @AfterEach
    void stop() {
        timer.shutdownNow();
    }

    @Test
    void aNewMemberIsGivenAnIdBeforeItJoins() throws Exception {
        JoinGroupResponseData first = get(joinLater(join("g", "")));
        assertThat(error(first)).isEqualTo(Errors.MEMBER_ID_REQUIRED);
        assertThat(first.memberId()).startsWith("client-");
        JoinGroupResponseData joined = get(joinLater(join("g", first.memberId())));
        assertThat(error(joined)).isEqualTo(Errors.NONE);
        assertThat(joined.memberId()).isEqualTo(first.memberId());
        assertThat(joined.leader()).isEqualTo(first.memberId());
        assertThat(joined.generationId()).isOne();
    }

    @Test
    void membersOfOneGenerationGetWhatTheLeaderAssigns() throws Exception {
        String[] ids = stableGroup(3);
        DescribedGroup described = groups.describe("g").orElseThrow();
        assertThat(described.groupState()).isEqualTo("Stable");
        assertThat(described.protocolData()).isEqualTo("range");
        assertThat(described.members())
                .allSatisfy(member -> assertThat(member.memberAssignment()).isEqualTo(assignment(member.memberId())))
                .extracting(member -> member.memberId())
                .containsExactlyInAnyOrder(ids);
    }

    @Test
    void membersAreToldToJoinAgainWhenOneComes() throws Exception {
        String[] ids = stableGroup(1);
        CompletableFuture<JoinGroupResponseData> second = joinLater(join("g", ""), FIRST);
        assertThat(refusal(() -> heartbeat(ids[0], generation()))).isEqualTo(Errors.REBALANCE_IN_PROGRESS);
        assertThat(error(get(syncLater(sync("g", ids[0], 1))))).isEqualTo(Errors.REBALANCE_IN_PROGRESS);
        assertThat(second).isNotDone();

        JoinGroupResponseData leader = get(joinLater(join("g", ids[0])));
        assertThat(leader.generationId()).isEqualTo(2);
        assertThat(leader.members()).hasSize(2);
        assertThat(get(second).members()).isEmpty();
        assertThat(get(second).leader()).isEqualTo(ids[0]);
    }

    @Test
    void aFollowerWaitsForTheLeadersAssignment() throws Exception {
        String leader = joinOne();
        CompletableFuture<JoinGroupResponseData> second = joinLater(join("g", ""), FIRST);
        get(joinLater(join("g", leader)));
        String follower = get(second).memberId();
        CompletableFuture<SyncGroupResponseData> waiting = syncLater(sync("g", follower, 2));
        assertThat(waiting).isNotDone();
        get(syncLater(sync("g", leader, 2, leader, follower)));
        assertThat(get(waiting).assignment()).isEqualTo(assignment(follower));
        assertThat(get(syncLater(sync("g", follower, 2))).assignment()).isEqualTo(assignment(follower));
    }

    @Test
    void whoIsUnknownOrOfAnotherGenerationIsRefused() throws Exception {
        String[] ids = stableGroup(1);
        assertThat(refusal(() -> heartbeat("other", 1))).isEqualTo(Errors.UNKNOWN_MEMBER_ID);
        assertThat(refusal(() -> heartbeat(ids[0], 7))).isEqualTo(Errors.ILLEGAL_GENERATION);
        assertThat(error(get(syncLater(sync("g", ids[0], 7))))).isEqualTo(Errors.ILLEGAL_GENERATION);
        assertThat(error(get(syncLater(sync("no such group", ids[0], 1))))).isEqualTo(Errors.UNKNOWN_MEMBER_ID);
        assertThat(error(get(joinLater(join("g", "other"))))).isEqualTo(Errors.UNKNOWN_MEMBER_ID);
        assertThat(error(get(joinLater(join("no such group", "other"))))).isEqualTo(Errors.UNKNOWN_MEMBER_ID);
        assertThat(refusal(() -> groups.leave("g", "other", null))).isEqualTo(Errors.UNKNOWN_MEMBER_ID);
        assertThat(refusal(() -> heartbeat(ids[0], 1))).isEqualTo(Errors.NONE);
    }

    @Test
    void whatMakesNoMemberIsRefused() throws Exception {
        assertThat(error(get(joinLater(join("", ""))))).isEqualTo(Errors.INVALID_GROUP_ID);
        assertThat(error(get(joinLater(join("g", "").setSessionTimeoutMs(1)))))
                .isEqualTo(Errors.INVALID_SESSION_TIMEOUT);
        assertThat(error(get(joinLater(join("g", "").setProtocolType("")))))
                .isEqualTo(Errors.INCONSISTENT_GROUP_PROTOCOL);
        stableGroup(3);
        JoinGroupRequestData other = join("g", "").setProtocolType("connect");
        assertThat(error(get(joinLater(other)))).isEqualTo(Errors.INCONSISTENT_GROUP_PROTOCOL);
        assertThat(error(get(joinLater(join("g", ""))))).isEqualTo(Errors.GROUP_MAX_SIZE_REACHED);
    }

    @Test
    void theProtocolThatMostPreferAmongThoseOfAllIsTaken() throws Exception {
        String first = get(joinLater(protocols("a", "b"), FIRST)).memberId();
        CompletableFuture<JoinGroupResponseData> second = joinLater(protocols("c", "b", "a"), FIRST);
        CompletableFuture<JoinGroupResponseData> third = joinLater(protocols("b", "a"), FIRST);
        get(joinLater(protocols("a", "b").setMemberId(first)));
        assertThat(get(second).protocolName()).isEqualTo("b");
        assertThat(get(third).protocolName()).isEqualTo("b");
    }

    private static JoinGroupRequestData protocols(String... names) {
        JoinGroupRequestData request = join("g", "");
        request.protocols().clear();
        for (String name : names) {
            request.protocols().add(new JoinGroupRequestProtocol().setName(name).setMetadata(new byte[1]));
        }
        return request;
    }

    @Test
    void theFirstGenerationWaitsForMoreMembers() throws Exception {
        groups = coordinator(SHORT_MS);
        CompletableFuture<JoinGroupResponseData> first = joinLater(join("g", ""), FIRST);
        CompletableFuture<JoinGroupResponseData> second = joinLater(join("g", ""), FIRST);
        assertThat(get(first).generationId()).isOne();
        assertThat(get(second).generationId()).isOne();
        assertThat(get(first).members()).hasSize(2);
    }

    @Test
    void aSilentMemberIsGivenUpAfterItsSession() throws Exception {
        String silent = get(joinLater(join("g", "").setSessionTimeoutMs(SHORT_MS), FIRST))
                .memberId();
        get(syncLater(sync("g", silent, 1, silent)));
        await().until(() -> groups.describe("g").orElseThrow().members().isEmpty());
        assertThat(refusal(() -> heartbeat(silent, 1))).isEqualTo(Errors.UNKNOWN_MEMBER_ID);
        assertThat(groups.describe("g").orElseThrow().groupState()).isEqualTo("Empty");
    }

    @Test
    void aMemberThatDoesNotJoinAgainInTimeIsGivenUp() throws Exception {
        String slow = get(joinLater(join("g", "").setRebalanceTimeoutMs(SHORT_MS), FIRST))
                .memberId();
        get(syncLater(sync("g", slow, 1, slow)));
        CompletableFuture<JoinGroupResponseData> second =
                joinLater(join("g", "").setRebalanceTimeoutMs(SHORT_MS), FIRST);
        assertThat(get(second).generationId()).isEqualTo(2);
        assertThat(get(second).members()).hasSize(1);
        assertThat(get(second).leader()).isEqualTo(get(second).memberId());
        assertThat(refusal(() -> heartbeat(slow, 1))).isEqualTo(Errors.UNKNOWN_MEMBER_ID);
    }

    @Test
    void aLeaderThatDoesNotAssignInTimeIsGivenUp() throws Exception {
        String leader = get(joinLater(join("g", "").setRebalanceTimeoutMs(SHORT_MS), FIRST))
                .memberId();
        await().until(() -> groups.describe("g").orElseThrow().members().isEmpty());
        assertThat(refusal(() -> heartbeat(leader, 1))).isEqualTo(Errors.UNKNOWN_MEMBER_ID);
    }

    @Test
    void anIdThatIsNotUsedHoldsUpNobodyForLong() throws Exception {
        String[] ids = stableGroup(1);
        get(joinLater(join("g", "").setSessionTimeoutMs(SHORT_MS)));
        JoinGroupRequestData again = join("g", ids[0]);
        again.protocols().find("range").setMetadata("other".getBytes());
        assertThat(error(get(joinLater(again)))).isEqualTo(Errors.NONE);
    }

    @Test
    void aMemberThatLeavesBeginsANewGeneration() throws Exception {
        String[] ids = stableGroup(2);
        groups.leave("g", ids[0], null);
        assertThat(refusal(() -> heartbeat(ids[1], generation()))).isEqualTo(Errors.REBALANCE_IN_PROGRESS);
        JoinGroupResponseData joined = get(joinLater(join("g", ids[1])));
        assertThat(joined.leader()).isEqualTo(ids[1]);
        assertThat(joined.members()).hasSize(1);
        groups.leave("g", ids[1], null);
        assertThat(groups.describe("g").orElseThrow().groupState()).isEqualTo("Empty");
    }

    @Test
    void aStaticMemberComesBackWithoutANewGenerationAndFencesItsPredecessor() throws Exception {
        String before = joinStatic("");
        get(syncLater(sync("g", before, 1, before)));
        JoinGroupResponseData back = get(joinLater(join("g", "").setGroupInstanceId("one")));
        assertThat(back.generationId()).isOne();
        assertThat(back.memberId()).isNotEqualTo(before);
        assertThat(back.leader()).isEqualTo(back.memberId());
        assertThat(back.skipAssignment()).isTrue();
        assertThat(get(syncLater(sync("g", back.memberId(), 1))).assignment()).isEqualTo(assignment(before));

        assertThat(refusal(() -> groups.heartbeat("g", before, "one", 1))).isEqualTo(Errors.FENCED_INSTANCE_ID);
        assertThat(error(get(joinLater(join("g", before).setGroupInstanceId("one")))))
                .isEqualTo(Errors.FENCED_INSTANCE_ID);
        assertThat(error(get(syncLater(sync("g", before, 1).setGroupInstanceId("one")))))
                .isEqualTo(Errors.FENCED_INSTANCE_ID);
        assertThat(refusal(() -> checkCommit("g", before, "one", 1))).isEqualTo(Errors.FENCED_INSTANCE_ID);
        assertThat(refusal(() -> groups.heartbeat("g", back.memberId(), "one", 1)))
                .isEqualTo(Errors.NONE);
        assertThat(refusal(() -> groups.heartbeat("g", back.memberId(), "two", 1)))
                .isEqualTo(Errors.UNKNOWN_MEMBER_ID);
    }

    @Test
    void anOlderStaticLeaderThatComesBackIsNotAskedToAssign() throws Exception {
        String before = joinStatic("");
        get(syncLater(sync("g", before, 1, before)));
        JoinGroupResponseData back = get(joinLater(join("g", "").setGroupInstanceId("one"), (short) 5));
        assertThat(back.leader()).isEqualTo(before);
        assertThat(back.members()).isEmpty();
    }

    @Test
    void aStaticMemberIsRemovedByItsInstanceId() throws Exception {
        joinStatic("");
        assertThat(refusal(() -> groups.leave("g", "", "two"))).isEqualTo(Errors.UNKNOWN_MEMBER_ID);
        groups.leave("g", "", "one");
        assertThat(groups.describe("g").orElseThrow().members()).isEmpty();
    }

    @Test
    void onlyMembersOfTheGenerationCommitForAGroupThatHasSome() throws Exception {
        assertThat(refusal(() -> checkCommit("g", "", null, -1))).isEqualTo(Errors.NONE);
        String[] ids = stableGroup(1);
        assertThat(refusal(() -> checkCommit("g", ids[0], null, 1))).isEqualTo(Errors.NONE);
        assertThat(refusal(() -> checkCommit("g", ids[0], null, 0))).isEqualTo(Errors.ILLEGAL_GENERATION);
        assertThat(refusal(() -> checkCommit("g", "other", null, 1))).isEqualTo(Errors.UNKNOWN_MEMBER_ID);
        assertThat(refusal(() -> checkCommit("g", "", null, -1))).isEqualTo(Errors.UNKNOWN_MEMBER_ID);
        assertThat(refusal(() -> checkCommit("new", ids[0], null, 1))).isEqualTo(Errors.ILLEGAL_GENERATION);
        joinLater(join("g", ids[0]));
        assertThat(refusal(() -> checkCommit("g", ids[0], null, 2))).isEqualTo(Errors.REBALANCE_IN_PROGRESS);
    }

    @Test
    void aTextThatIsTooLongIsRefused() {
        assertThat(refusal(() -> groups.checkMetadata("0123456789"))).isEqualTo(Errors.NONE);
        assertThat(refusal(() -> groups.checkMetadata("0123456789x"))).isEqualTo(Errors.OFFSET_METADATA_TOO_LARGE);
    }

    @Test
    void aCommitThatNoDirectoryKeepsIsTriedAgain() {
        assertThat(refusal(() -> groups.commit("g", "", null, -1, Map.of(PARTITION, new CommittedOffset(1, 0, "", 0)))))
                .isEqualTo(Errors.COORDINATOR_NOT_AVAILABLE);
    }

    @Test
    void aGroupWithMembersIsNotDeleted() throws Exception {
        assertThat(refusal(() -> groups.delete("g"))).isEqualTo(Errors.GROUP_ID_NOT_FOUND);
        String[] ids = stableGroup(1);
        assertThat(refusal(() -> groups.delete("g"))).isEqualTo(Errors.NON_EMPTY_GROUP);
        assertThat(groups.deleteOffsets("g", Set.of(PARTITION))).containsExactly(PARTITION);
        groups.leave("g", ids[0], null);
        groups.delete("g");
        assertThat(groups.describe("g")).isEmpty();
        assertThat(groups.list()).isEmpty();
        assertThat(joinOne()).isNotEmpty();
    }

    @Test
    void aGroupWithNeitherMembersNorOffsetsIsForgotten() throws Exception {
        String[] ids = stableGroup(1);
        groups.removeEmptyGroups();
        assertThat(groups.list()).hasSize(1);
        groups.leave("g", ids[0], null);
        groups.removeEmptyGroups();
        assertThat(groups.list()).isEmpty();
    }

    private String joinOne() throws Exception {
        return get(joinLater(join("g", ""), FIRST)).memberId();
    }

    private String joinStatic(String memberId) throws Exception {
        return get(joinLater(join("g", memberId).setGroupInstanceId("one"))).memberId();
    }

    /** Members that have their assignments. */
    private String[] stableGroup(int size) throws Exception {
        String[] ids = new String[size];
        ids[0] = joinOne();
        List<CompletableFuture<JoinGroupResponseData>> others = new java.util.ArrayList<>();
        for (int index = 1; index < size; index++) {
            others.add(joinLater(join("g", ""), FIRST));
        }
        if (size > 1) {
            get(joinLater(join("g", ids[0])));
        }
        for (int index = 1; index < size; index++) {
            ids[index] = get(others.get(index - 1)).memberId();
        }
        for (String id : ids) {
            syncLater(sync("g", id, generation(), id.equals(ids[0]) ? ids : new String[0]));
        }
        return ids;
    }

    private int generation() {
        for (int candidate = 1; candidate < 10; candidate++) {
            int generation = candidate;
            boolean current = groups.describe("g").orElseThrow().members().stream()
                    .anyMatch(member ->
                            refusal(() -> heartbeat(member.memberId(), generation)) != Errors.ILLEGAL_GENERATION);
            if (current) {
                return generation;
            }
        }
        throw new AssertionError("no generation has begun");
    }

    private void checkCommit(String groupId, String memberId, String instanceId, int generation) {
        groups.commit(groupId, memberId, instanceId, generation, Map.of());
    }

    private void heartbeat(String memberId, int generation) {
        groups.heartbeat("g", memberId, null, generation);
    }

    private CompletableFuture<JoinGroupResponseData> joinLater(JoinGroupRequestData request) {
        return joinLater(request, NEWEST);
    }

    private CompletableFuture<JoinGroupResponseData> joinLater(JoinGroupRequestData request, short version) {
        CompletableFuture<JoinGroupResponseData> answer = new CompletableFuture<>();
        groups.join(request, version, new GroupClient("client", "127.0.0.1"), answer::complete);
        return answer;
    }

    private CompletableFuture<SyncGroupResponseData> syncLater(SyncGroupRequestData request) {
        CompletableFuture<SyncGroupResponseData> answer = new CompletableFuture<>();
        groups.sync(request, answer::complete);
        return answer;
    }

    private static <T> T get(CompletableFuture<T> answer) throws Exception {
        return answer.get(10, TimeUnit.SECONDS);
    }

    private static Errors error(JoinGroupResponseData response) {
        return Errors.forCode(response.errorCode());
    }

    private static Errors error(SyncGroupResponseData response) {
        return Errors.forCode(response.errorCode());
    }

    private static Errors refusal(ThrowingCallable call) {
        Throwable refused = catchThrowable(call);
        return refused == null ? Errors.NONE : Errors.forException(refused);
    }
}
