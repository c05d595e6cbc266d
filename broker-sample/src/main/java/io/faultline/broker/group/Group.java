package io.faultline.broker.group;

import java.util.List;
import java.util.UUID;
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
import org.apache.kafka.common.message.ListGroupsResponseData.ListedGroup;
import org.apache.kafka.common.message.SyncGroupRequestData;
import org.apache.kafka.common.message.SyncGroupResponseData;
import org.apache.kafka.common.protocol.Errors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A classic group: who is a member of it, and may say what. How it gets from one generation to the next is its {@link Rebalance}'s matter.
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
    private final GroupTimer timer;
    private final Members members = new Members();
    private final PendingIds pending;
    private final Rebalance rebalance;

    Group(String id, GroupConfig config, ScheduledExecutorService timer) {
        this.id = id;
        this.config = config;
        this.timer = new GroupTimer(id, this, timer);
        this.pending = new PendingIds(this.timer);
        this.rebalance = new Rebalance(id, members, pending, this.timer, config.initialRebalanceDelayMs());
    }

    /**
     * Lets a member join: it is answered when the next generation begins, or at once with an error.
     *
     * @return false if the group is dead; nothing is answered then
     */
    synchronized boolean join(
            JoinGroupRequestData request, short version, GroupClient client, Consumer<JoinGroupResponseData> answer) {
        if (isDead()) {
            return false;
        }
        try {
            admit(request, version, client, answer);
        } catch (ApiException refused) {
            answer.accept(Refusals.join(request.memberId(), Errors.forException(refused)));
        }
        return true;
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
            answer.accept(Refusals.join(giveId(request, client), Errors.MEMBER_ID_REQUIRED));
        } else if (memberId.isEmpty()) {
            add(new Member(newId(request, client), client, request), request, answer);
        } else if (pending.remove(memberId)) {
            add(new Member(memberId, client, request), request, answer);
        } else {
            rejoin(identified(memberId, request.groupInstanceId()), request, answer);
        }
    }

    private boolean supports(JoinGroupRequestData request) {
        if (members.isEmpty()) {
            return true;
        }
        return request.protocolType().equals(rebalance.protocolType())
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
        pending.add(given, request.sessionTimeoutMs(), rebalance::completeIfAllJoined);
        return given;
    }

    private void checkRoom() {
        if (members.size() + pending.size() >= config.maxSize()) {
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
        members.add(member);
        member.awaitJoin(answer);
        watchSession(member, member.sessionTimeoutMs());
        rebalance.joined(member, request.protocolType());
    }

    private void rejoin(Member member, JoinGroupRequestData request, Consumer<JoinGroupResponseData> answer) {
        boolean sameAsBefore = member.matches(request);
        member.update(request);
        member.seen();
        // Who says nothing new may have missed the answer; only a leader of a stable group asks for a new round that
        // way.
        boolean repeats = sameAsBefore
                && (rebalance.state() == GroupState.COMPLETING_REBALANCE
                        || (rebalance.state() == GroupState.STABLE && !members.isLeader(member)));
        if (repeats) {
            answer.accept(rebalance.answerTo(member));
            return;
        }
        member.awaitJoin(answer);
        rebalance.goOn(member.id() + " joins again");
    }

    /** A static member comes back under a new id: its assignment is kept, and the process before it is fenced. */
    private void replace(Member before, Member next, short version, Consumer<JoinGroupResponseData> answer) {
        String leaderBefore = members.leaderId();
        members.replace(before, next);
        before.answerJoin(Refusals.join(before.id(), Errors.FENCED_INSTANCE_ID));
        before.answerSync(Refusals.sync(Errors.FENCED_INSTANCE_ID));
        watchSession(next, next.sessionTimeoutMs());
        if (rebalance.state() == GroupState.STABLE && members.selectProtocol().equals(rebalance.protocolName())) {
            next.setSynced(true);
            JoinGroupResponseData response = rebalance.answerTo(next);
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
        rebalance.goOn(next.id() + " replaces " + before.id());
    }

    /** Answers a member with its assignment, when the leader has sent it, or with an error. */
    synchronized void sync(SyncGroupRequestData request, Consumer<SyncGroupResponseData> answer) {
        try {
            Member member = current(request.memberId(), request.groupInstanceId(), request.generationId());
            boolean consistent = (request.protocolType() == null
                            || request.protocolType().equals(rebalance.protocolType()))
                    && (request.protocolName() == null || request.protocolName().equals(rebalance.protocolName()));
            if (!consistent) {
                throw Errors.INCONSISTENT_GROUP_PROTOCOL.exception();
            }
            if (rebalance.state() == GroupState.PREPARING_REBALANCE) {
                throw Errors.REBALANCE_IN_PROGRESS.exception();
            }
            member.seen();
            member.setSynced(true);
            if (rebalance.state() == GroupState.STABLE) {
                answer.accept(rebalance.assignmentOf(member));
                return;
            }
            member.awaitSync(answer);
            if (members.isLeader(member)) {
                rebalance.assign(request.assignments());
            }
        } catch (ApiException refused) {
            answer.accept(Refusals.sync(Errors.forException(refused)));
        }
    }

    /** Finds a member of the current generation. */
    private Member current(String memberId, String instanceId, int memberGeneration) {
        Member member = identified(memberId, instanceId);
        if (memberGeneration != rebalance.generation()) {
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
        if (rebalance.state() == GroupState.PREPARING_REBALANCE) {
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
        if (instanceId == null && pending.remove(memberId)) {
            rebalance.completeIfAllJoined();
            return;
        }
        Member instance = instanceId == null ? null : members.byInstanceId(instanceId);
        Member member = memberId.isEmpty() && instance != null ? instance : identified(memberId, instanceId);
        remove(member, "leaves");
    }

    private void remove(Member member, String why) {
        members.remove(member);
        member.answerJoin(Refusals.join(member.id(), Errors.UNKNOWN_MEMBER_ID));
        member.answerSync(Refusals.sync(Errors.UNKNOWN_MEMBER_ID));
        rebalance.left(member.id() + " " + why);
    }

    /**
     * Lets offsets be committed: until {@link #endChange} no generation begins.
     *
     * @return false if the group is dead
     * @throws ApiException if they may not be committed
     */
    synchronized boolean beginCommit(String memberId, String instanceId, int memberGeneration) {
        if (isDead()) {
            return false;
        }
        checkCommit(memberId, instanceId, memberGeneration);
        rebalance.beginOffsetChange();
        return true;
    }

    private void checkCommit(String memberId, String instanceId, int memberGeneration) {
        if (memberGeneration < 0 && rebalance.state() == GroupState.EMPTY) {
            return;
        }
        if (memberGeneration < 0 && memberId.isEmpty() && instanceId == null) {
            // While the group has members, nobody else commits for it.
            throw Errors.UNKNOWN_MEMBER_ID.exception();
        }
        current(memberId, instanceId, memberGeneration).seen();
        if (rebalance.hasEnded()) {
            throw Errors.REBALANCE_IN_PROGRESS.exception();
        }
    }

    /**
     * Lets offsets be deleted: until {@link #endChange} no generation begins.
     *
     * @return false if the group is dead
     */
    synchronized boolean beginDeletion() {
        if (isDead()) {
            return false;
        }
        rebalance.beginOffsetChange();
        return true;
    }

    /** What was begun is kept, or could not be. */
    synchronized void endChange() {
        rebalance.endOffsetChange();
    }

    /** A late watch costs nothing, so a heartbeat only notes the time, and the watch finds out how much is left. */
    private void watchSession(Member member, long delayMs) {
        timer.schedule(delayMs, () -> {
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

    synchronized boolean isDead() {
        return rebalance.state() == GroupState.DEAD;
    }

    /** Says whether it has no members, and is not about to have any. */
    synchronized boolean isEmpty() {
        return rebalance.isEmpty();
    }

    /**
     * Ends the group.
     *
     * @param hasOffsets says whether offsets are committed, from memory
     * @return false if it has members or offsets, or is about to
     */
    synchronized boolean endIfUnused(BooleanSupplier hasOffsets) {
        if (rebalance.isIdle() && !hasOffsets.getAsBoolean()) {
            rebalance.end();
        }
        return isDead();
    }

    /** Says whether a member reads a topic; where that cannot be known, a member does. */
    synchronized boolean reads(String topic) {
        return members.all().stream()
                .anyMatch(member -> Subscriptions.mayRead(
                        rebalance.protocolType(), member.metadata(rebalance.protocolName()), topic));
    }

    synchronized ListedGroup list() {
        return new ListedGroup()
                .setGroupId(id)
                .setProtocolType(rebalance.protocolType())
                .setGroupState(rebalance.state().toString())
                .setGroupType("classic");
    }

    synchronized DescribedGroup describe() {
        boolean stable = rebalance.state() == GroupState.STABLE;
        DescribedGroup described = new DescribedGroup()
                .setGroupId(id)
                .setGroupState(rebalance.state().toString())
                .setProtocolType(rebalance.protocolType())
                .setProtocolData(stable ? rebalance.protocolName() : "");
        for (Member member : members.all()) {
            described
                    .members()
                    .add(new DescribedGroupMember()
                            .setMemberId(member.id())
                            .setGroupInstanceId(member.instanceId())
                            .setClientId(member.client().id())
                            .setClientHost("/" + member.client().host())
                            .setMemberMetadata(stable ? member.metadata(rebalance.protocolName()) : Member.NOTHING)
                            .setMemberAssignment(stable ? member.assignment() : Member.NOTHING));
        }
        return described;
    }
}
