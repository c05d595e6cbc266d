package io.faultline.client.consume;

import io.faultline.client.loop.EventLoop;
import io.faultline.client.metadata.ClusterView;
import io.faultline.client.metadata.Metadata;
import io.faultline.client.network.Backoff;
import io.faultline.client.network.Call;
import io.faultline.client.network.CallFailure;
import io.faultline.client.network.Network;
import io.faultline.client.network.PeerId;
import io.faultline.client.protocol.GroupProtocol;
import io.faultline.client.watchdog.Deadline;
import io.faultline.client.watchdog.Timer;
import io.faultline.client.watchdog.Watchdog;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.FencedInstanceIdException;
import org.apache.kafka.common.internals.Topic;
import org.apache.kafka.common.message.HeartbeatRequestData;
import org.apache.kafka.common.message.HeartbeatResponseData;
import org.apache.kafka.common.message.JoinGroupRequestData;
import org.apache.kafka.common.message.JoinGroupResponseData;
import org.apache.kafka.common.message.LeaveGroupRequestData;
import org.apache.kafka.common.message.LeaveGroupRequestData.MemberIdentity;
import org.apache.kafka.common.message.LeaveGroupResponseData;
import org.apache.kafka.common.message.SyncGroupRequestData;
import org.apache.kafka.common.message.SyncGroupRequestData.SyncGroupRequestAssignment;
import org.apache.kafka.common.message.SyncGroupResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.Errors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Membership of a group by Kafka's classic protocol: join, take an assignment, send heartbeats, give up, join again.
 *
 * <p>There is no way out of it but {@link #leave} and a static member that took this one's name: whatever fails leads back to
 * joining, after a pause. The coordinator is free to hold JoinGroup and SyncGroup for as long as a rebalance may take, so both wait
 * for that time and 5 s more; meanwhile {@link Coordinator#watch} sees to it that the one who holds is still there. Heartbeats
 * that nobody answers for a session time-out end the membership.
 *
 * <p>On the loop, but for {@link #lease}.
 */
final class Membership implements Commits.Member {

    private enum Phase {
        /** Not wanted. */
        OUTSIDE,
        /** Until the caller polls and is ready for a rebalance. */
        WAITING,
        /** Until there is a coordinator, or after a pause. */
        READY,
        /** JoinGroup is held. */
        JOINING,
        /** This member leads the group, and must know the topics first. */
        LEADING,
        /** SyncGroup is held. */
        SYNCING,
        /** Until the caller has taken the assignment. */
        ASSIGNED,
        /** All is well. */
        STABLE
    }

    private static final Logger LOG = LoggerFactory.getLogger(Membership.class);

    private static final Duration LONGER_THAN_A_REBALANCE = Duration.ofSeconds(5);
    private static final Duration TOPICS_KNOWN = Duration.ofSeconds(5);
    private static final Duration LOOK_AT_POLLS = Duration.ofSeconds(1);
    private static final int FIRST_WITH_REASON = 5; // of LeaveGroup
    private static final String PROTOCOL_TYPE = "consumer";

    private final EventLoop loop;
    private final Network network;
    private final Metadata metadata;
    private final ConsumeConfig config;
    private final GroupConfig group;
    private final GroupProtocol protocol;
    private final Coordinator coordinator;
    private final Fetcher fetcher;
    private final Inbox inbox;
    private final Polls polls;
    private final Backoff backoff;
    private final Backoff patience;
    private final Lease lease = new Lease();

    private Phase phase = Phase.OUTSIDE;
    private Set<String> topics = Set.of();
    private Pattern pattern;
    private String memberId = "";
    private int generation = -1;
    private String assignor;
    private Set<TopicPartition> owned = Set.of(); // by the caller
    private int ownedIn = -1; // the generation of that
    private int step;
    private boolean asked; // the caller, to be ready for a rebalance
    private int attempt; // answers to earlier ones say nothing
    private boolean rejoin;
    private boolean heartbeatInFlight;
    private int silences;
    private int failures;
    private Map<String, Integer> led = Map.of(); // as the leader has assigned them: the partitions of each topic
    private Timer heartbeat;
    private Timer session;
    private Timer pollWatch;
    private Timer pause;
    private Runnable onChange = () -> {};

    /** Knows when the application polls. */
    interface Polls {

        /**
         * When the application last polled, or did something else that counts as a sign of life.
         *
         * @return the time; that of now while it is in a poll
         */
        long lastNanos();
    }

    Membership(
            EventLoop loop,
            Network network,
            Metadata metadata,
            ConsumeConfig config,
            GroupConfig group,
            Coordinator coordinator,
            Fetcher fetcher,
            Inbox inbox,
            Polls polls,
            Backoff backoff) {
        this.loop = loop;
        this.network = network;
        this.metadata = metadata;
        this.config = config;
        this.group = group;
        this.protocol = new GroupProtocol(group.assignors(), group.rack());
        this.coordinator = coordinator;
        this.fetcher = fetcher;
        this.inbox = inbox;
        this.polls = polls;
        this.backoff = backoff;
        Duration most = group.sessionTimeout().compareTo(config.requestTimeout()) < 0
                ? group.sessionTimeout()
                : config.requestTimeout();
        this.patience = new Backoff(
                group.heartbeatInterval().compareTo(most) < 0 ? group.heartbeatInterval() : most,
                most,
                backoff.random());
        coordinator.listen(this::advance, this::coordinatorLost);
    }

    Lease lease() {
        return lease;
    }

    boolean isCooperative() {
        return protocol.isCooperative();
    }

    /** Wants partitions of some topics, in place of what was wanted before. */
    void subscribe(Set<String> some) {
        pattern = null;
        metadata.wantAllTopics(false);
        want(some);
    }

    /** Wants partitions of all topics whose names match, in place of what was wanted before. */
    void subscribe(Pattern names) {
        pattern = names;
        metadata.wantAllTopics(true);
        want(matching(metadata.view()));
    }

    private Set<String> matching(ClusterView view) {
        return view.topics().keySet().stream()
                .filter(name -> !Topic.isInternal(name) && pattern.matcher(name).matches())
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private void want(Set<String> some) {
        topics = Set.copyOf(some);
        topics.forEach(metadata::want);
        lease.needed(true);
        coordinator.need();
        if (phase == Phase.OUTSIDE) {
            phase = Phase.WAITING;
            watchPolls();
        } else {
            rejoin = true;
        }
        advance();
    }

    /** The topics that are subscribed to, those that match a pattern. */
    Set<String> topics() {
        return topics;
    }

    void onView(ClusterView view) {
        if (phase == Phase.OUTSIDE) {
            return;
        }
        if (pattern != null) {
            Set<String> now = matching(view);
            if (!now.equals(topics)) {
                want(now);
            }
        }
        if (phase == Phase.STABLE && !led.isEmpty() && !led.equals(partitions(led.keySet(), view))) {
            rejoin = true; // the leader sees that there is more, or less, to share out
        }
        advance();
    }

    private static Map<String, Integer> partitions(Collection<String> names, ClusterView view) {
        Map<String, Integer> counts = new HashMap<>();
        names.forEach(name -> counts.put(
                name, view.topic(name).map(topic -> topic.partitions().size()).orElse(0)));
        return counts;
    }

    /** Does what is next, if it can be done. */
    private void advance() {
        if (phase == Phase.STABLE && rejoin) {
            phase = Phase.WAITING;
            asked = false;
        }
        if (coordinator.known().isEmpty()) {
            return;
        }
        if (phase == Phase.WAITING && !asked) {
            asked = true;
            step++;
            inbox.put(new Step.Prepare(step, !protocol.isCooperative()));
        } else if (phase == Phase.READY && pause == null) {
            joinUnlessBehind();
        }
        if (heartbeat == null) {
            beat();
        }
    }

    /**
     * The caller is ready for a rebalance.
     *
     * @param answered the step
     * @param kept what it still has
     */
    void prepared(int answered, Set<TopicPartition> kept) {
        if (answered == step && phase == Phase.WAITING) {
            owned = Set.copyOf(kept);
            rejoin = false;
            phase = Phase.READY;
            advance();
        }
    }

    /**
     * If the group has gone into a generation of which this member never got its assignment, what it still has from an earlier one
     * may be given to others in the next, and so is lost before it joins.
     */
    private void joinUnlessBehind() {
        if (generation >= 0 && !owned.isEmpty() && generation != ownedIn) {
            lost("a generation was missed", Phase.READY);
        } else {
            join();
        }
    }

    private void join() {
        phase = Phase.JOINING;
        attempt++;
        coordinator.watch();
        callHeld(ApiKeys.JOIN_GROUP, 5, 9, version -> joinRequest(), this::joined);
    }

    /**
     * A call that the coordinator may hold for as long as a rebalance lasts. Without a coordinator there is a pause in its place; an
     * answer that comes when the member is elsewhere already says nothing.
     */
    private <R extends ApiMessage> void callHeld(
            ApiKeys api, int oldest, int newest, Call.Body body, Consumer<R> answer) {
        if (coordinator.known().isEmpty()) {
            again();
            return;
        }
        PeerId peer = coordinator.known().get();
        Phase thisPhase = phase;
        int thisAttempt = attempt;
        Call.Handler<R> handler = new Call.Handler<>() {
            @Override
            public void onResponse(R response, short version) {
                if (thisAttempt == attempt && thisPhase == phase) {
                    answer.accept(response);
                }
            }

            @Override
            public void onFailure(CallFailure failure) {
                if (thisAttempt == attempt) {
                    noAnswer(peer, failure);
                }
            }
        };
        network.call(
                peer,
                Call.of(api, body, group.rebalanceTimeout().plus(LONGER_THAN_A_REBALANCE), handler)
                        .under(Watchdog.REBALANCE)
                        .between(oldest, newest));
    }

    private JoinGroupRequestData joinRequest() {
        return new JoinGroupRequestData()
                .setGroupId(group.id())
                .setSessionTimeoutMs(millis(group.sessionTimeout()))
                .setRebalanceTimeoutMs(millis(group.rebalanceTimeout()))
                .setMemberId(memberId)
                .setGroupInstanceId(group.instanceId())
                .setProtocolType(PROTOCOL_TYPE)
                .setProtocols(protocol.subscription(topics, owned, generation));
    }

    private static int millis(Duration duration) {
        return (int) Math.min(duration.toMillis(), Integer.MAX_VALUE);
    }

    private void joined(JoinGroupResponseData response) {
        Errors error = Errors.forCode(response.errorCode());
        if (error == Errors.MEMBER_ID_REQUIRED) {
            memberId = response.memberId();
            join();
        } else if (error != Errors.NONE) {
            refused(error);
        } else {
            memberId = response.memberId();
            generation = response.generationId();
            assignor = response.protocolName();
            led = Map.of();
            onChange.run();
            if (response.leader().equals(memberId) && !response.skipAssignment()) {
                lead(response);
            } else {
                sync(Map.of());
            }
        }
    }

    /** The leader has to know the topics of all members, those that it does not read itself among them. */
    private void lead(JoinGroupResponseData response) {
        phase = Phase.LEADING;
        Set<String> all;
        try {
            all = GroupProtocol.topics(response.members());
        } catch (RuntimeException unreadable) {
            cannotShareOut(unreadable);
            return;
        }
        all.forEach(metadata::want);
        assignWhenKnown(response, all, attempt, loop.in(TOPICS_KNOWN));
    }

    private void assignWhenKnown(JoinGroupResponseData response, Set<String> all, int thisAttempt, Deadline latest) {
        if (thisAttempt != attempt || phase != Phase.LEADING) {
            return;
        }
        ClusterView view = metadata.view();
        if (view.topics().keySet().containsAll(all) || latest.isDue(loop.now())) {
            assign(response, all, view);
        } else {
            loop.watchdogs()
                    .schedule(
                            "topics of the group",
                            loop.in(config.retryBackoff()),
                            () -> assignWhenKnown(response, all, thisAttempt, latest));
        }
    }

    private void assign(JoinGroupResponseData response, Set<String> all, ClusterView view) {
        Map<String, byte[]> assignments;
        try {
            assignments = protocol.assign(assignor, response.members(), view);
        } catch (RuntimeException failure) { // of an assignor
            cannotShareOut(failure);
            return;
        }
        led = partitions(all, view);
        sync(assignments);
    }

    private void cannotShareOut(RuntimeException failure) {
        inbox.put(new Inbox.Trouble(new KafkaException("the partitions could not be shared out", failure)));
        again();
    }

    private void sync(Map<String, byte[]> assignments) {
        phase = Phase.SYNCING;
        List<SyncGroupRequestAssignment> shared = new ArrayList<>();
        assignments.forEach((member, assignment) ->
                shared.add(new SyncGroupRequestAssignment().setMemberId(member).setAssignment(assignment)));
        SyncGroupRequestData request = new SyncGroupRequestData()
                .setGroupId(group.id())
                .setGenerationId(generation)
                .setMemberId(memberId)
                .setGroupInstanceId(group.instanceId())
                .setProtocolType(PROTOCOL_TYPE)
                .setProtocolName(assignor)
                .setAssignments(shared);
        callHeld(ApiKeys.SYNC_GROUP, 3, 5, version -> request, this::synced);
    }

    private void synced(SyncGroupResponseData response) {
        Errors error = Errors.forCode(response.errorCode());
        if (error != Errors.NONE) {
            refused(error);
            return;
        }
        Set<TopicPartition> partitions;
        try {
            partitions = protocol.assigned(
                    assignor, response.assignment(), group.id(), generation, memberId, group.instanceId());
        } catch (KafkaException malformed) {
            inbox.put(new Inbox.Trouble(malformed));
            again();
            return;
        }
        coordinator.unwatch();
        failures = 0;
        phase = Phase.ASSIGNED;
        step++;
        inbox.put(new Step.Assigned(step, new Generation(generation, memberId), partitions));
        keepSession();
        quietHeart();
        beat();
    }

    private void quietHeart() {
        if (heartbeat != null) {
            heartbeat.disarm();
            heartbeat = null;
        }
    }

    /**
     * The caller has taken its assignment.
     *
     * @param answered the step
     * @param has what it has now
     * @param again whether it had to give something up that others wait for
     * @return false if that is not its assignment any more
     */
    boolean taken(int answered, Set<TopicPartition> has, boolean again) {
        if (answered != step || phase != Phase.ASSIGNED) {
            return false;
        }
        owned = Set.copyOf(has);
        ownedIn = generation;
        phase = Phase.STABLE;
        rejoin |= again;
        advance();
        return true;
    }

    /** A JoinGroup or SyncGroup was answered with an error. */
    private void refused(Errors error) {
        switch (error) {
            case UNKNOWN_MEMBER_ID -> {
                memberId = "";
                lost("the coordinator does not know this member", Phase.READY);
            }
            case ILLEGAL_GENERATION -> lost("the generation is over", Phase.READY);
            case FENCED_INSTANCE_ID -> fenced();
            case NOT_COORDINATOR, COORDINATOR_NOT_AVAILABLE -> {
                coordinator.known().ifPresent(peer -> coordinator.lost(peer, error.message()));
                again();
            }
            case COORDINATOR_LOAD_IN_PROGRESS -> again();
            case REBALANCE_IN_PROGRESS -> {
                phase = Phase.READY;
                advance();
            }
            default -> {
                inbox.put(new Inbox.Trouble(new KafkaException(
                        "group " + group.id() + " cannot be joined: " + error.message(), error.exception())));
                again();
            }
        }
    }

    private void noAnswer(PeerId peer, CallFailure failure) {
        if (failure.reason() == CallFailure.Reason.UNSUPPORTED_VERSION) {
            inbox.put(new Inbox.Trouble(failure.asException()));
        }
        coordinator.lost(peer, failure.message());
        again();
    }

    /** Joins again after a pause. */
    private void again() {
        if (phase == Phase.OUTSIDE || phase == Phase.WAITING) {
            return;
        }
        attempt++;
        phase = Phase.READY;
        coordinator.unwatch();
        if (pause == null) {
            pause = loop.watchdogs()
                    .arm(
                            Watchdog.RETRY_BACKOFF,
                            "joining " + group.id() + " again",
                            loop.in(backoff.after(++failures)),
                            () -> {
                                pause = null;
                                advance();
                            });
        }
        onChange.run();
    }

    private void coordinatorLost() {
        quietHeart();
        if (isHeld()) {
            again();
        }
    }

    /** Whether the coordinator holds a request: what is sent on the same connection waits behind it. */
    boolean isHeld() {
        return phase == Phase.JOINING || phase == Phase.SYNCING || phase == Phase.LEADING;
    }

    private boolean isMember() {
        return generation >= 0 && (phase == Phase.WAITING || phase == Phase.ASSIGNED || phase == Phase.STABLE);
    }

    /** Sends a heartbeat, unless one is on its way; the next one comes in {@code heartbeat.interval.ms}. */
    private void beat() {
        if (!isMember() || heartbeatInFlight || coordinator.known().isEmpty()) {
            return;
        }
        heartbeatInFlight = true;
        PeerId peer = coordinator.known().get();
        Generation of = new Generation(generation, memberId);
        long sent = loop.now();
        network.call(
                peer,
                Call.of(
                                ApiKeys.HEARTBEAT,
                                version -> new HeartbeatRequestData()
                                        .setGroupId(group.id())
                                        .setGenerationId(of.id())
                                        .setMemberId(of.memberId())
                                        .setGroupInstanceId(group.instanceId()),
                                patience.after(silences + 1),
                                new Call.Handler<HeartbeatResponseData>() {
                                    @Override
                                    public void onResponse(HeartbeatResponseData response, short version) {
                                        heartbeatInFlight = false;
                                        silences = 0;
                                        beaten(peer, of, sent, Errors.forCode(response.errorCode()));
                                    }

                                    @Override
                                    public void onFailure(CallFailure failure) {
                                        heartbeatInFlight = false;
                                        if (failure.reason() == CallFailure.Reason.TIMED_OUT) {
                                            silences++;
                                        }
                                        coordinator.lost(peer, failure.message());
                                        beat(); // if there is another coordinator already
                                    }
                                })
                        .between(3, 4));
    }

    private void beaten(PeerId peer, Generation of, long sent, Errors error) {
        if (!of.equals(new Generation(generation, memberId))) {
            beat(); // of the present generation, which had to wait for this answer
            return;
        }
        heartbeat = loop.watchdogs().schedule("a heartbeat", loop.in(group.heartbeatInterval()), () -> {
            heartbeat = null;
            beat();
        });
        switch (error) {
            case NONE -> confirmed(sent);
            case REBALANCE_IN_PROGRESS -> {
                confirmed(sent); // the coordinator knows the member, and waits for it
                // In any other phase it is about to join for this very rebalance.
                if (phase == Phase.STABLE || phase == Phase.ASSIGNED) {
                    rejoin = true;
                    advance();
                }
            }
            case UNKNOWN_MEMBER_ID -> {
                memberId = "";
                lost("the coordinator does not know this member any more", Phase.WAITING);
            }
            case ILLEGAL_GENERATION -> lost("the group has gone on without this member", Phase.WAITING);
            case FENCED_INSTANCE_ID -> fenced();
            case NOT_COORDINATOR, COORDINATOR_NOT_AVAILABLE -> coordinator.lost(peer, error.message());
            default -> LOG.debug("A heartbeat of {} was answered with {}", group.id(), error);
        }
    }

    private void confirmed(long sent) {
        Deadline until = Deadline.after(sent, group.sessionTimeout());
        lease.until(until.nanos());
        if (session != null) {
            session.rearm(until);
        }
        coordinator.works();
        inbox.signal();
        onChange.run();
    }

    /** Has something run whenever what may be committed, or asked for, may have changed. */
    void onChange(Runnable then) {
        onChange = then;
    }

    private void keepSession() {
        if (session != null) {
            session.disarm();
        }
        session = loop.watchdogs()
                .arm(
                        Watchdog.HEARTBEAT,
                        "heartbeats of " + group.id(),
                        loop.in(group.sessionTimeout()),
                        this::sessionLapsed);
    }

    private void sessionLapsed() {
        session = null;
        if (isMember()) {
            coordinator.condemn(new IOException("no heartbeat was answered within the session"));
            // The member's id is kept: if the coordinator has not expired it, joining by it leaves no ghost behind.
            lost("no heartbeat was answered within " + group.sessionTimeout(), Phase.WAITING);
        }
    }

    /** The partitions may have gone to others. The caller is told before this member joins again, if it has any. */
    private void lost(String why, Phase next) {
        LOG.info("{}: the membership of {} is lost: {}", config.clientId(), group.id(), why);
        generation = -1;
        led = Map.of();
        lease.end();
        attempt++;
        coordinator.unwatch();
        if (session != null) {
            session.disarm();
            session = null;
        }
        quietHeart();
        fetcher.stop(List.copyOf(fetcher.flows()));
        boolean callerHasSome = !owned.isEmpty() || phase == Phase.ASSIGNED;
        phase = callerHasSome ? Phase.WAITING : next;
        asked = callerHasSome;
        step++; // whatever the caller was asked before is void
        if (callerHasSome) {
            inbox.put(new Step.Lost(step));
        }
        onChange.run();
        advance();
    }

    private void fenced() {
        inbox.fail(new FencedInstanceIdException(
                "another member has the group.instance.id " + group.instanceId() + " of this one"));
        lost("another member has its name", Phase.WAITING);
        phase = Phase.OUTSIDE;
    }

    private void watchPolls() {
        Deadline late =
                Deadline.after(polls.lastNanos(), group.rebalanceTimeout()).later(loop.in(LOOK_AT_POLLS));
        pollWatch = loop.watchdogs().schedule("a poll", late, () -> {
            if (phase != Phase.OUTSIDE) {
                if (loop.now() - polls.lastNanos() >= Deadline.saturatedNanos(group.rebalanceTimeout())
                        && generation >= 0) {
                    LOG.warn(
                            "{} has not polled for {}: it leaves {}, and joins again when it polls",
                            config.clientId(),
                            group.rebalanceTimeout(),
                            group.id());
                    sendLeave(Duration.ofSeconds(1), "it has not polled within max.poll.interval.ms");
                    memberId = "";
                    lost("it has not polled", Phase.WAITING);
                }
                watchPolls();
            }
        });
    }

    /**
     * Leaves. A static member says nothing, so that it can come back within its session.
     *
     * @param timeout how long an answer is waited for
     * @return completed on the loop when that is done, or given up
     */
    CompletableFuture<Void> leave(Duration timeout) {
        if (phase == Phase.OUTSIDE) {
            return CompletableFuture.completedFuture(null);
        }
        CompletableFuture<Void> left = sendLeave(timeout, "the consumer is closed or does not subscribe any more");
        phase = Phase.OUTSIDE;
        attempt++;
        step++;
        generation = -1;
        memberId = "";
        owned = Set.of();
        rejoin = false;
        pattern = null;
        lease.end();
        lease.needed(false);
        coordinator.unwatch();
        quietHeart();
        for (Timer timer : new Timer[] {session, pollWatch, pause}) {
            if (timer != null) {
                timer.disarm();
            }
        }
        session = null;
        pause = null;
        onChange.run();
        return left;
    }

    private CompletableFuture<Void> sendLeave(Duration timeout, String reason) {
        CompletableFuture<Void> left = new CompletableFuture<>();
        if (group.instanceId() != null
                || memberId.isEmpty()
                || coordinator.known().isEmpty()) {
            left.complete(null);
            return left;
        }
        String leaving = memberId;
        PeerId peer = coordinator.known().get();
        network.call(
                isHeld() ? PeerId.broker(peer.number()) : peer, // not behind what is held
                Call.of(
                                ApiKeys.LEAVE_GROUP,
                                version -> {
                                    MemberIdentity identity = new MemberIdentity().setMemberId(leaving);
                                    if (version >= FIRST_WITH_REASON) {
                                        identity.setReason(reason);
                                    }
                                    return new LeaveGroupRequestData()
                                            .setGroupId(group.id())
                                            .setMembers(List.of(identity));
                                },
                                timeout,
                                new Call.Handler<LeaveGroupResponseData>() {
                                    @Override
                                    public void onResponse(LeaveGroupResponseData response, short version) {
                                        left.complete(null);
                                    }

                                    @Override
                                    public void onFailure(CallFailure failure) {
                                        left.complete(null); // the session will end
                                    }
                                })
                        .between(3, FIRST_WITH_REASON));
        return left;
    }

    @Override
    public Commits.Permission permission(Generation of) {
        if (of.equals(Generation.NONE)) {
            return phase == Phase.OUTSIDE ? Commits.Permission.YES : Commits.Permission.NO;
        }
        if (!of.equals(new Generation(generation, memberId)) || phase == Phase.OUTSIDE) {
            return Commits.Permission.NO;
        }
        if (isHeld()) {
            return Commits.Permission.REBALANCING;
        }
        return lease.holds(loop.now()) ? Commits.Permission.YES : Commits.Permission.WAIT;
    }

    @Override
    public void onUnknown(Errors error, Generation of) {
        if (!of.equals(new Generation(generation, memberId))) {
            return;
        }
        if (error == Errors.FENCED_INSTANCE_ID) {
            fenced();
        } else if (isMember()) {
            if (error == Errors.UNKNOWN_MEMBER_ID) {
                memberId = "";
            }
            lost("a commit was refused: " + error.message(), Phase.WAITING);
        }
    }

    /** The member as it is now, for people and for tests. */
    @Override
    public String toString() {
        return phase + " " + memberId + " in generation " + generation;
    }
}
