package io.faultline.broker.group;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Future;
import org.apache.kafka.common.message.JoinGroupResponseData;
import org.apache.kafka.common.message.JoinGroupResponseData.JoinGroupResponseMember;
import org.apache.kafka.common.message.SyncGroupRequestData.SyncGroupRequestAssignment;
import org.apache.kafka.common.message.SyncGroupResponseData;
import org.apache.kafka.common.protocol.Errors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The state of a group, and how it gets from one generation to the next: its members join, then its leader assigns; who is too late is
 * left behind. Guarded by its {@link Group}.
 *
 * <p>A generation begins when all that the one before commits is kept: who is assigned a partition reads what is committed of it, and must
 * not miss anything.
 */
final class Rebalance {

    private static final Logger LOG = LoggerFactory.getLogger(Rebalance.class);

    private final String groupId;
    private final Members members;
    private final PendingIds pending;
    private final GroupTimer timer;
    private final int initialDelayMs;

    private GroupState state = GroupState.EMPTY;
    private int generation;
    private String protocolType = "";
    private String protocolName;
    /** Counts the states entered: a timer of an earlier one does nothing. */
    private int phase;

    private Future<?> phaseTimer;
    private boolean delayingInitially;
    private boolean joinedDuringDelay;
    /** Changes of the group's offsets that were let in and are not kept yet. */
    private int offsetChanges;
    /** Whether all is ready for the next generation but for those changes. */
    private boolean awaitsOffsetChanges;

    /**
     * Makes the state of a group without members.
     *
     * @param groupId the group, for the log
     * @param members its members
     * @param pending the ids of those who are about to join
     * @param timer runs time-outs
     * @param initialDelayMs how long the first member waits for others
     */
    Rebalance(String groupId, Members members, PendingIds pending, GroupTimer timer, int initialDelayMs) {
        this.groupId = groupId;
        this.members = members;
        this.pending = pending;
        this.timer = timer;
        this.initialDelayMs = initialDelayMs;
    }

    GroupState state() {
        return state;
    }

    int generation() {
        return generation;
    }

    String protocolType() {
        return protocolType;
    }

    /** Null where the members have not agreed on one. */
    String protocolName() {
        return protocolName;
    }

    /** A new member, which waits for the answer to its join, is among the members. */
    void joined(Member member, String type) {
        protocolType = type;
        joinedDuringDelay = true;
        goOn(member.id() + " joins");
    }

    /** A member waits for the answer to its join: a rebalance that is under way goes on, or one begins. */
    void goOn(String why) {
        if (state == GroupState.PREPARING_REBALANCE) {
            completeIfAllJoined();
        } else {
            begin(why);
        }
    }

    /** A member is not among the members any more. */
    void left(String why) {
        if (state == GroupState.STABLE || state == GroupState.COMPLETING_REBALANCE) {
            begin(why);
        } else {
            completeIfAllJoined();
        }
    }

    private void begin(String why) {
        LOG.info("Group {} rebalances from generation {}: {}", groupId, generation, why);
        if (state == GroupState.COMPLETING_REBALANCE) {
            for (Member member : members.all()) {
                member.assign(Member.NOTHING);
                member.answerSync(Refusals.sync(Errors.REBALANCE_IN_PROGRESS));
            }
        }
        boolean first = state == GroupState.EMPTY;
        enter(GroupState.PREPARING_REBALANCE);
        if (first) {
            delayingInitially = true;
            joinedDuringDelay = false;
            delayInitially(initialDelayMs, Math.max(0, members.longestRebalanceTimeoutMs() - initialDelayMs));
        } else {
            after(members.longestRebalanceTimeoutMs(), this::complete);
            completeIfAllJoined();
        }
    }

    /** Each member that comes during a delay begins another one, within the rebalance time-out. */
    private void delayInitially(long delayMs, long remainingMs) {
        after(delayMs, () -> {
            if (joinedDuringDelay && remainingMs > 0) {
                joinedDuringDelay = false;
                long nextMs = Math.min(initialDelayMs, remainingMs);
                delayInitially(nextMs, remainingMs - nextMs);
            } else {
                complete();
            }
        });
    }

    /** Ends the joining if there is nobody to wait for. */
    void completeIfAllJoined() {
        if (state == GroupState.PREPARING_REBALANCE
                && !delayingInitially
                && pending.isEmpty()
                && members.haveAllJoined()) {
            complete();
        }
    }

    private void complete() {
        if (offsetChanges > 0) {
            awaitsOffsetChanges = true;
            return;
        }
        for (Member absent : members.matching(member -> member.instanceId() == null && !member.isAwaitingJoin())) {
            LOG.info("Group {} loses {}, which did not join in time", groupId, absent.id());
            members.remove(absent);
        }
        if (!members.isEmpty() && !members.electLeader()) {
            // Static members only, and none has come back yet; their sessions say when to give them up.
            after(members.longestRebalanceTimeoutMs(), this::complete);
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
        LOG.info("Group {} begins generation {} with {} members", groupId, generation, members.size());
        for (Member member : members.all()) {
            member.setSynced(false);
            member.answerJoin(answerTo(member));
        }
        int begun = generation;
        timer.schedule(members.longestRebalanceTimeoutMs(), () -> removeWhoDidNotSync(begun));
    }

    /** What a member of the generation is answered that joins it. */
    JoinGroupResponseData answerTo(Member member) {
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
                begin(silent.size() + " members did not sync in time");
            }
        }
    }

    /** Gives the members what the leader assigns them. */
    void assign(List<SyncGroupRequestAssignment> assignments) {
        Map<String, byte[]> byMember = new HashMap<>();
        assignments.forEach(assignment -> byMember.put(assignment.memberId(), assignment.assignment()));
        enter(GroupState.STABLE);
        for (Member member : members.all()) {
            member.assign(byMember.getOrDefault(member.id(), Member.NOTHING));
            member.answerSync(assignmentOf(member));
        }
    }

    /** What a member is answered that asks for its assignment. */
    SyncGroupResponseData assignmentOf(Member member) {
        return new SyncGroupResponseData()
                .setProtocolType(protocolType)
                .setProtocolName(protocolName)
                .setAssignment(member.assignment());
    }

    /** Whether the offsets of the generation, if there is one, may not be changed by its members: the next one has its own. */
    boolean hasEnded() {
        return state == GroupState.COMPLETING_REBALANCE || awaitsOffsetChanges;
    }

    /** Offsets are about to change: until {@link #endOffsetChange} no generation begins. */
    void beginOffsetChange() {
        offsetChanges++;
    }

    /** The change is kept, or could not be. */
    void endOffsetChange() {
        offsetChanges--;
        if (awaitsOffsetChanges && offsetChanges == 0) {
            complete();
        }
    }

    /** Says whether there are no members, and are not about to be any. */
    boolean isEmpty() {
        return state == GroupState.EMPTY && pending.isEmpty();
    }

    /** Says whether, beside that, no offsets are about to change. */
    boolean isIdle() {
        return isEmpty() && offsetChanges == 0;
    }

    /** Ends the group for good. */
    void end() {
        enter(GroupState.DEAD);
    }

    private void enter(GroupState next) {
        state = next;
        phase++;
        delayingInitially = false;
        awaitsOffsetChanges = false;
        if (phaseTimer != null) {
            phaseTimer.cancel(false);
            phaseTimer = null;
        }
    }

    /** Runs something later, unless the group has entered another state by then. */
    private void after(long delayMs, Runnable action) {
        int seen = phase;
        phaseTimer = timer.schedule(delayMs, () -> {
            if (phase == seen) {
                action.run();
            }
        });
    }
}
