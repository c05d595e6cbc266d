package io.faultline.broker.group;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.apache.kafka.common.errors.ApiException;
import org.apache.kafka.common.message.DescribeGroupsResponseData.DescribedGroup;
import org.apache.kafka.common.message.DescribeGroupsResponseData.DescribedGroupMember;
import org.apache.kafka.common.message.JoinGroupRequestData;
import org.apache.kafka.common.message.JoinGroupRequestData.JoinGroupRequestProtocol;
import org.apache.kafka.common.message.JoinGroupResponseData;
import org.apache.kafka.common.message.JoinGroupResponseData.JoinGroupResponseMember;
import org.apache.kafka.common.message.ListGroupsResponseData.ListedGroup;
import org.apache.kafka.common.message.SyncGroupRequestData;
import org.apache.kafka.common.message.SyncGroupRequestData.SyncGroupRequestAssignment;
import org.apache.kafka.common.message.SyncGroupResponseData;
import org.apache.kafka.common.protocol.Errors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A classic group: a state machine that its members' requests and a few timers drive.
 *
 * <p>Safe for use by any thread. Answers are given under the group's lock; giving one neither blocks nor calls back.
 */
final class Group {

    private static final Logger LOG = LoggerFactory.getLogger(Group.class);

    private static final short FIRST_THAT_ASKS_FOR_AN_ID = 4;
    private static final short FIRST_THAT_CAN_SKIP_THE_ASSIGNMENT = 9;
    /** A member whose first join is held up longer is given up; it may have gone without a word. */
    private static final long FIRST_JOIN_TIMEOUT_MS = TimeUnit.MINUTES.toMillis(5);

    private final String id;
    private final GroupConfig config;
    private final ScheduledExecutorService timer;
    private final Members members = new Members();
    /** Ids that were given to members who have not joined with them yet, with what forgets them. */
    private final Map<String, Future<?>> pendingIds = new HashMap<>();

    private GroupState state = GroupState.EMPTY;
    private int generation;
    private String protocolType = "";
    private String protocolName;
    /** Counts the states entered: a timer of an earlier one does nothing. */
    private int phase;

    private Future<?> phaseTimer;
    private boolean delayingInitially;
    private boolean joinedDuringDelay;
    /** Changes of its offsets that were let in and are not kept yet. */
    private int changes;
    /** Whether all is ready for the next generation but for those changes. */
    private boolean awaitsChanges;

    Group(String id, GroupConfig config, ScheduledExecutorService timer) {
        this.id = id;
        this.config = config;
        this.timer = timer;
    }

    /**
     * Lets a member join: it is answered when the next generation begins, or at once with an error.
     *
     * @return false if the group is dead; nothing is answered then
     */
    synchronized boolean join(
            JoinGroupRequestData request, short version, GroupClient client, Consumer<JoinGroupResponseData> answer) {
        if (state == GroupState.DEAD) {
            return false;
        }
        try {
            admit(request, version, client, answer);
        } catch (ApiException refused) {
            answer.accept(refusedJoin(request.memberId(), Errors.forException(refused)));
        }
        return true;
    }

    static JoinGroupResponseData refusedJoin(String memberId, Errors error) {
        return new JoinGroupResponseData()
                .setErrorCode(error.code())
                .setMemberId(memberId)
                .setProtocolName("");
    }

    private void admit(
            JoinGroupRequestData request, short version, GroupClient client, Consumer<JoinGroupResponseData> answer) {
        if (!supports(request)) {
            throw Errors.INCONSISTENT_GROUP_PROTOCOL.exception();
        }
        String memberId = request.memberId();
        Member instance = request.groupInstanceId() == null ? null : members.byInstanceId(request.groupInstanceId());
        if (memberId.isEmpty() && instance != null) {
            replace(instance, new Member(newId(request, client), client, request, instance), version, answer);
        } else if (memberId.isEmpty() && request.groupInstanceId() == null && version >= FIRST_THAT_ASKS_FOR_AN_ID) {
            answer.accept(refusedJoin(giveId(request, client), Errors.MEMBER_ID_REQUIRED));
        } else if (memberId.isEmpty()) {
            add(new Member(newId(request, client), client, request), request, answer);
        } else if (forgetPending(memberId)) {
            add(new Member(memberId, client, request), request, answer);
        } else {
            rejoin(identified(memberId, request.groupInstanceId()), request, answer);
        }
    }

    private boolean supports(JoinGroupRequestData request) {
        if (members.isEmpty()) {
            return true;
        }
        return request.protocolType().equals(protocolType)
                && request.protocols().valuesList().stream()
                        .map(JoinGroupRequestProtocol::name)
                        .anyMatch(members.commonProtocols()::contains);
    }

    private static String newId(JoinGroupRequestData request, GroupClient client) {
        String prefix = request.groupInstanceId() == null ? client.id() : request.groupInstanceId();
        return prefix + "-" + UUID.randomUUID();
    }

    private String giveId(JoinGroupRequestData request, GroupClient client) {
        checkRoom();
        String given = newId(request, client);
        pendingIds.put(given, schedule(request.sessionTimeoutMs(), () -> {
            if (pendingIds.remove(given) != null) {
                completeJoinIfAllJoined();
            }
        }));
        return given;
    }

    private boolean forgetPending(String memberId) {
        Future<?> expiry = pendingIds.remove(memberId);
        if (expiry != null) {
            expiry.cancel(false);
        }
        return expiry != null;
    }

    private void checkRoom() {
        if (members.size() + pendingIds.size() >= config.maxSize()) {
            throw Errors.GROUP_MAX_SIZE_REACHED.exception();
        }
    }

    /** Finds a member by what it says of itself. */
    private Member identified(String memberId, String instanceId) {
        Member member = instanceId == null ? members.byId(memberId) : members.byInstanceId(instanceId);
        if (member == null) {
            throw Errors.UNKNOWN_MEMBER_ID.exception();
        }
        if (!member.id().equals(memberId)) {
            throw Errors.FENCED_INSTANCE_ID.exception();
        }
        return member;
    }

    private void add(Member member, JoinGroupRequestData request, Consumer<JoinGroupResponseData> answer) {
        checkRoom();
        protocolType = request.protocolType();
        members.add(member);
        member.awaitJoin(answer);
        watchSession(member, member.sessionTimeoutMs());
        if (state == GroupState.PREPARING_REBALANCE) {
            joinedDuringDelay = true;
            completeJoinIfAllJoined();
        } else {
            prepareRebalance(member.id() + " joins");
        }
    }

    private void rejoin(Member member, JoinGroupRequestData request, Consumer<JoinGroupResponseData> answer) {
        boolean sameAsBefore = member.matches(request);
        member.update(request);
        member.seen();
        // Who says nothing new may have missed the answer; only a leader of a stable group asks for a new round that
        // way.
        boolean repeats = sameAsBefore
                && (state == GroupState.COMPLETING_REBALANCE
                        || (state == GroupState.STABLE && !members.isLeader(member)));
        if (repeats) {
            answer.accept(joined(member));
            return;
        }
        member.awaitJoin(answer);
        if (state == GroupState.PREPARING_REBALANCE) {
            completeJoinIfAllJoined();
        } else {
            prepareRebalance(member.id() + " joins again");
        }
    }

    /** A static member comes back under a new id: its assignment is kept, and the process before it is fenced. */
    private void replace(Member before, Member next, short version, Consumer<JoinGroupResponseData> answer) {
        String leaderBefore = members.leaderId();
        members.replace(before, next);
        before.answerJoin(refusedJoin(before.id(), Errors.FENCED_INSTANCE_ID));
        before.answerSync(refusedSync(Errors.FENCED_INSTANCE_ID));
        watchSession(next, next.sessionTimeoutMs());
        if (state == GroupState.STABLE && members.selectProtocol().equals(protocolName)) {
            next.setSynced(true);
            JoinGroupResponseData response = joined(next);
            if (version >= FIRST_THAT_CAN_SKIP_THE_ASSIGNMENT) {
                response.setSkipAssignment(members.isLeader(next));
            } else {
                // It would assign anew, unasked, if it knew that it leads.
                response.setLeader(leaderBefore).setMembers(List.of());
            }
            answer.accept(response);
            return;
        }
        next.awaitJoin(answer);
        if (state == GroupState.PREPARING_REBALANCE) {
            completeJoinIfAllJoined();
        } else {
            prepareRebalance(next.id() + " replaces " + before.id());
        }
    }

    private void prepareRebalance(String why) {
        LOG.info("Group {} rebalances from generation {}: {}", id, generation, why);
        if (state == GroupState.COMPLETING_REBALANCE) {
            for (Member member : members.all()) {
                member.assign(Member.NOTHING);
                member.answerSync(refusedSync(Errors.REBALANCE_IN_PROGRESS));
            }
        }
        boolean first = state == GroupState.EMPTY;
        enter(GroupState.PREPARING_REBALANCE);
        if (first) {
            delayingInitially = true;
            joinedDuringDelay = false;
            long delayMs = config.initialRebalanceDelayMs();
            delayInitially(delayMs, Math.max(0, members.longestRebalanceTimeoutMs() - delayMs));
        } else {
            after(members.longestRebalanceTimeoutMs(), this::completeJoin);
            completeJoinIfAllJoined();
        }
    }

    /** Each member that comes during a delay begins another one, within the rebalance time-out. */
    private void delayInitially(long delayMs, long remainingMs) {
        after(delayMs, () -> {
            if (joinedDuringDelay && remainingMs > 0) {
                joinedDuringDelay = false;
                long nextMs = Math.min(config.initialRebalanceDelayMs(), remainingMs);
                delayInitially(nextMs, remainingMs - nextMs);
            } else {
                completeJoin();
            }
        });
    }

    private void completeJoinIfAllJoined() {
        if (state == GroupState.PREPARING_REBALANCE
                && !delayingInitially
                && pendingIds.isEmpty()
                && members.haveAllJoined()) {
            completeJoin();
        }
    }

    /** The next generation begins when whatever this one commits is kept: who is assigned a partition reads it, and must not miss it. */
    private void completeJoin() {
        if (changes > 0) {
            awaitsChanges = true;
            return;
        }
        for (Member absent : members.matching(member -> member.instanceId() == null && !member.isAwaitingJoin())) {
            LOG.info("Group {} loses {}, which did not join in time", id, absent.id());
            members.remove(absent);
        }
        if (!members.isEmpty() && !members.electLeader()) {
            // Static members only, and none has come back yet; their sessions say when to give them up.
            after(members.longestRebalanceTimeoutMs(), this::completeJoin);
            return;
        }
        generation = generation == Integer.MAX_VALUE ? 1 : generation + 1;
        if (members.isEmpty()) {
            protocolName = null;
            enter(GroupState.EMPTY);
            return;
        }
        protocolName = members.selectProtocol();
        enter(GroupState.COMPLETING_REBALANCE);
        LOG.info("Group {} begins generation {} with {} members", id, generation, members.size());
        for (Member member : members.all()) {
            member.setSynced(false);
            member.answerJoin(joined(member));
        }
        int begun = generation;
        schedule(members.longestRebalanceTimeoutMs(), () -> removeWhoDidNotSync(begun));
    }

    private JoinGroupResponseData joined(Member member) {
        JoinGroupResponseData response = new JoinGroupResponseData()
                .setMemberId(member.id())
                .setGenerationId(generation)
                .setProtocolType(protocolType)
                .setProtocolName(protocolName)
                .setLeader(members.leaderId());
        if (members.isLeader(member)) {
            for (Member each : members.all()) {
                response.members()
                        .add(new JoinGroupResponseMember()
                                .setMemberId(each.id())
                                .setGroupInstanceId(each.instanceId())
                                .setMetadata(each.metadata(protocolName)));
            }
        }
        return response;
    }

    private void removeWhoDidNotSync(int begun) {
        boolean current = state == GroupState.COMPLETING_REBALANCE || state == GroupState.STABLE;
        if (generation == begun && current) {
            List<Member> silent = members.matching(member -> !member.isSynced());
            silent.forEach(members::remove);
            if (!silent.isEmpty()) {
                prepareRebalance(silent.size() + " members did not sync in time");
            }
        }
    }

    /** Answers a member with its assignment, when the leader has sent it, or with an error. */
    synchronized void sync(SyncGroupRequestData request, Consumer<SyncGroupResponseData> answer) {
        try {
            Member member = current(request.memberId(), request.groupInstanceId(), request.generationId());
            boolean consistent = (request.protocolType() == null
                            || request.protocolType().equals(protocolType))
                    && (request.protocolName() == null || request.protocolName().equals(protocolName));
            if (!consistent) {
                throw Errors.INCONSISTENT_GROUP_PROTOCOL.exception();
            }
            if (state == GroupState.PREPARING_REBALANCE) {
                throw Errors.REBALANCE_IN_PROGRESS.exception();
            }
            member.seen();
            member.setSynced(true);
            if (state == GroupState.STABLE) {
                answer.accept(synced(member));
                return;
            }
            member.awaitSync(answer);
            if (members.isLeader(member)) {
                assign(request.assignments());
            }
        } catch (ApiException refused) {
            answer.accept(refusedSync(Errors.forException(refused)));
        }
    }

    private void assign(List<SyncGroupRequestAssignment> assignments) {
        Map<String, byte[]> byMember = new HashMap<>();
        assignments.forEach(assignment -> byMember.put(assignment.memberId(), assignment.assignment()));
        enter(GroupState.STABLE);
        for (Member member : members.all()) {
            member.assign(byMember.getOrDefault(member.id(), Member.NOTHING));
            member.answerSync(synced(member));
        }
    }

    private SyncGroupResponseData synced(Member member) {
        return new SyncGroupResponseData()
                .setProtocolType(protocolType)
                .setProtocolName(protocolName)
                .setAssignment(member.assignment());
    }

    static SyncGroupResponseData refusedSync(Errors error) {
        return new SyncGroupResponseData().setErrorCode(error.code());
    }

    /** Finds a member of the current generation. */
    private Member current(String memberId, String instanceId, int memberGeneration) {
        Member member = identified(memberId, instanceId);
        if (memberGeneration != generation) {
            throw Errors.ILLEGAL_GENERATION.exception();
        }
        return member;
    }

    /**
     * Takes a sign of life.
     *
     * @throws ApiException if the member must join again, or is none
     */
    synchronized void heartbeat(String memberId, String instanceId, int memberGeneration) {
        current(memberId, instanceId, memberGeneration).seen();
        if (state == GroupState.PREPARING_REBALANCE) {
            throw Errors.REBALANCE_IN_PROGRESS.exception();
        }
    }

    /**
     * Lets a member go.
     *
     * @param memberId its id; empty for a static member that is named by its instance id only
     * @throws ApiException if it is none
     */
    synchronized void leave(String memberId, String instanceId) {
        if (instanceId == null && forgetPending(memberId)) {
            completeJoinIfAllJoined();
            return;
        }
        Member instance = instanceId == null ? null : members.byInstanceId(instanceId);
        Member member = memberId.isEmpty() && instance != null ? instance : identified(memberId, instanceId);
        remove(member, "leaves");
    }

    private void remove(Member member, String why) {
        members.remove(member);
        member.answerJoin(refusedJoin(member.id(), Errors.UNKNOWN_MEMBER_ID));
        member.answerSync(refusedSync(Errors.UNKNOWN_MEMBER_ID));
        if (state == GroupState.STABLE || state == GroupState.COMPLETING_REBALANCE) {
            prepareRebalance(member.id() + " " + why);
        } else {
            completeJoinIfAllJoined();
        }
    }

    /**
     * Lets offsets be committed: until {@link #endChange} no generation begins.
     *
     * @return false if the group is dead
     * @throws ApiException if they may not be committed
     */
    synchronized boolean beginCommit(String memberId, String instanceId, int memberGeneration) {
        if (state == GroupState.DEAD) {
            return false;
        }
        checkCommit(memberId, instanceId, memberGeneration);
        changes++;
        return true;
    }

    private void checkCommit(String memberId, String instanceId, int memberGeneration) {
        if (memberGeneration < 0 && state == GroupState.EMPTY) {
            return;
        }
        if (memberGeneration < 0 && memberId.isEmpty() && instanceId == null) {
            // While the group has members, nobody else commits for it.
            throw Errors.UNKNOWN_MEMBER_ID.exception();
        }
        current(memberId, instanceId, memberGeneration).seen();
        if (state == GroupState.COMPLETING_REBALANCE || awaitsChanges) {
            throw Errors.REBALANCE_IN_PROGRESS.exception();
        }
    }

    /**
     * Lets offsets be deleted: until {@link #endChange} no generation begins.
     *
     * @return false if the group is dead
     */
    synchronized boolean beginDeletion() {
        if (state == GroupState.DEAD) {
            return false;
        }
        changes++;
        return true;
    }

    /** What was begun is kept, or could not be. */
    synchronized void endChange() {
        changes--;
        if (awaitsChanges && changes == 0) {
            completeJoin();
        }
    }

    /** A late watch costs nothing, so a heartbeat only notes the time, and the watch finds out how much is left. */
    private void watchSession(Member member, long delayMs) {
        schedule(delayMs, () -> {
            if (members.byId(member.id()) != member) {
                return;
            }
            long silentMs = member.millisSinceSeen();
            // Who waits for an answer of ours cannot be expected to say anything.
            boolean waits = member.isAwaitingSync()
                    || (member.isAwaitingJoin() && (member.hasJoinedBefore() || silentMs < FIRST_JOIN_TIMEOUT_MS));
            if (waits) {
                watchSession(member, member.sessionTimeoutMs());
            } else if (silentMs < member.sessionTimeoutMs()) {
                watchSession(member, member.sessionTimeoutMs() - silentMs);
            } else {
                LOG.info("Group {} gives up {} after {} ms of silence", id, member.id(), silentMs);
                remove(member, "said nothing for " + silentMs + " ms");
            }
        });
    }

    private void enter(GroupState next) {
        state = next;
        phase++;
        delayingInitially = false;
        awaitsChanges = false;
        if (phaseTimer != null) {
            phaseTimer.cancel(false);
            phaseTimer = null;
        }
    }

    /** Runs something later, unless the group has entered another state by then. */
    private void after(long delayMs, Runnable action) {
        int seen = phase;
        phaseTimer = schedule(delayMs, () -> {
            if (phase == seen) {
                action.run();
            }
        });
    }

    private Future<?> schedule(long delayMs, Runnable action) {
        try {
            return timer.schedule(() -> runLocked(action), delayMs, TimeUnit.MILLISECONDS);
        } catch (RejectedExecutionException stopping) {
            return CompletableFuture.completedFuture(null);
        }
    }

    private synchronized void runLocked(Runnable action) {
        try {
            action.run();
        } catch (RuntimeException unexpected) {
            LOG.error("Group {} goes on after", id, unexpected);
        }
    }

    synchronized boolean isDead() {
        return state == GroupState.DEAD;
    }

    /** Says whether it has no members, and is not about to have any. */
    synchronized boolean isEmpty() {
        return state == GroupState.EMPTY && pendingIds.isEmpty();
    }

    /**
     * Ends the group.
     *
     * @param hasOffsets says whether offsets are committed, from memory
     * @return false if it has members or offsets, or is about to
     */
    synchronized boolean endIfUnused(BooleanSupplier hasOffsets) {
        if (isEmpty() && changes == 0 && !hasOffsets.getAsBoolean()) {
            enter(GroupState.DEAD);
        }
        return state == GroupState.DEAD;
    }

    /** Says whether a member reads a topic; where that cannot be known, a member does. */
    synchronized boolean reads(String topic) {
        return members.all().stream()
                .anyMatch(member -> Subscriptions.mayRead(protocolType, member.metadata(protocolName), topic));
    }

    synchronized ListedGroup list() {
        return new ListedGroup()
                .setGroupId(id)
                .setProtocolType(protocolType)
                .setGroupState(state.toString())
                .setGroupType("classic");
    }

    synchronized DescribedGroup describe() {
        boolean stable = state == GroupState.STABLE;
        DescribedGroup described = new DescribedGroup()
                .setGroupId(id)
                .setGroupState(state.toString())
                .setProtocolType(protocolType)
                .setProtocolData(stable ? protocolName : "");
        for (Member member : members.all()) {
            described
                    .members()
                    .add(new DescribedGroupMember()
                            .setMemberId(member.id())
                            .setGroupInstanceId(member.instanceId())
                            .setClientId(member.client().id())
                            .setClientHost("/" + member.client().host())
                            .setMemberMetadata(stable ? member.metadata(protocolName) : Member.NOTHING)
                            .setMemberAssignment(stable ? member.assignment() : Member.NOTHING));
        }
        return described;
    }
}
