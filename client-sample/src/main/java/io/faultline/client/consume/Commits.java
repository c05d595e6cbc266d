package io.faultline.client.consume;

import io.faultline.client.loop.EventLoop;
import io.faultline.client.network.Backoff;
import io.faultline.client.network.Call;
import io.faultline.client.network.CallFailure;
import io.faultline.client.network.Network;
import io.faultline.client.network.PeerId;
import io.faultline.client.watchdog.Deadline;
import io.faultline.client.watchdog.Timer;
import io.faultline.client.watchdog.Watchdog;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.apache.kafka.clients.consumer.CommitFailedException;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.FencedInstanceIdException;
import org.apache.kafka.common.errors.RebalanceInProgressException;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.message.OffsetCommitRequestData;
import org.apache.kafka.common.message.OffsetCommitRequestData.OffsetCommitRequestPartition;
import org.apache.kafka.common.message.OffsetCommitRequestData.OffsetCommitRequestTopic;
import org.apache.kafka.common.message.OffsetCommitResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;

/**
 * Commits offsets, one commit after the other, in the order in which they were wanted, and again until they are acknowledged, so
 * that one never undoes a later one. Each carries the generation of the poll that it is for, and none is sent under a newer one, or
 * while it is not certain that the partitions are still the member's.
 *
 * <p>A connection may be lost with a commit on it, of which nobody knows whether it was executed. What the broker's kernel has not
 * got by then never gets there: such a connection is aborted. But a broker that was frozen has the commit in its socket and may
 * execute it when it thaws, even after a later commit that came on a newer connection, and the group would go back. Under another generation the coordinator refuses it; under the same one nothing can call it back, but it can be outlasted:
 * when the next commit of such a partition has been acknowledged, it is sent once more before its caller is told. The broker that
 * acknowledged it has thawed, and has what lay in its sockets; so the repetition comes behind that, and the last word is the newest.
 * A repetition says the same again, and so does no harm where the doubt was for nothing.
 *
 * <p>On the loop.
 */
final class Commits {

    private static final int OLDEST = 2;
    private static final int NEWEST = 9; // the last that names topics

    /** Whether offsets may be committed. */
    enum Permission {
        /** Now. */
        YES,
        /** Perhaps later: the membership is not confirmed. */
        WAIT,
        /** Not until the caller has polled again: the group is rebalancing. */
        REBALANCING,
        /** Never: the generation is over. */
        NO
    }

    /** Knows of the membership. */
    interface Member {

        /** Whether a commit of a generation may be sent. */
        Permission permission(Generation generation);

        /** The coordinator does not know the generation any more. */
        void onUnknown(Errors error, Generation generation);
    }

    private record Commit(
            Generation generation, Map<TopicPartition, OffsetAndMetadata> offsets, CompletableFuture<Void> done) {}

    private final EventLoop loop;
    private final Network network;
    private final ConsumeConfig config;
    private final GroupConfig group;
    private final Coordinator coordinator;
    private final Backoff backoff;
    private final Deque<Commit> waiting = new ArrayDeque<>();
    private final Set<TopicPartition> doubtful = new HashSet<>(); // of which a former commit may still be executed
    private Member member;
    private boolean inFlight;
    private int failures;
    private Timer pause;

    Commits(
            EventLoop loop,
            Network network,
            ConsumeConfig config,
            GroupConfig group,
            Coordinator coordinator,
            Backoff backoff) {
        this.loop = loop;
        this.network = network;
        this.config = config;
        this.group = group;
        this.coordinator = coordinator;
        this.backoff = backoff;
        coordinator.listen(this::advance, () -> {});
    }

    /** Whose commits they are. */
    void of(Member whose) {
        member = whose;
    }

    /**
     * Commits, behind those that wait already.
     *
     * @return completed on the loop, at the latest at the deadline
     */
    CompletableFuture<Void> commit(
            Generation generation, Map<TopicPartition, OffsetAndMetadata> offsets, Deadline deadline) {
        Commit commit = new Commit(generation, offsets, new CompletableFuture<>());
        Timer watchdog = loop.watchdogs().arm(Watchdog.REQUEST, "a commit of " + offsets.keySet(), deadline, () -> {
            waiting.remove(commit);
            commit.done.completeExceptionally(new TimeoutException("the commit was not acknowledged in time"));
        });
        commit.done.whenComplete((nothing, failure) -> watchdog.disarm());
        waiting.add(commit);
        coordinator.need();
        advance();
        return commit.done;
    }

    /** Sends what can be sent. */
    void advance() {
        while (!inFlight && pause == null && !waiting.isEmpty()) {
            Commit first = waiting.peek();
            Permission permission = member.permission(first.generation);
            if (permission == Permission.NO) {
                end(
                        first,
                        new CommitFailedException("the partitions were given up before their offsets were committed"));
            } else if (permission == Permission.REBALANCING) {
                end(first, rebalancing());
            } else if (permission == Permission.WAIT || coordinator.known().isEmpty()) {
                break;
            } else {
                send(first, coordinator.known().get());
            }
        }
    }

    private static RebalanceInProgressException rebalancing() {
        return new RebalanceInProgressException("the group rebalances; poll, then commit again");
    }

    private void send(Commit commit, PeerId peer) {
        inFlight = true;
        network.call(
                peer,
                Call.of(
                                ApiKeys.OFFSET_COMMIT,
                                version -> commitRequest(commit),
                                config.requestTimeout(),
                                new Call.Handler<OffsetCommitResponseData>() {
                                    @Override
                                    public void onResponse(OffsetCommitResponseData response, short version) {
                                        inFlight = false;
                                        answered(commit, peer, worstOf(response));
                                    }

                                    @Override
                                    public void onFailure(CallFailure failure) {
                                        inFlight = false;
                                        if (failure.inDoubt()) {
                                            doubtful.addAll(commit.offsets.keySet());
                                        }
                                        coordinator.lost(peer, failure.message());
                                        again();
                                    }
                                })
                        .between(OLDEST, NEWEST));
    }

    private OffsetCommitRequestData commitRequest(Commit commit) {
        Map<String, OffsetCommitRequestTopic> topics = new HashMap<>();
        commit.offsets.forEach((partition, offset) -> topics.computeIfAbsent(
                        partition.topic(), name -> new OffsetCommitRequestTopic().setName(name))
                .partitions()
                .add(new OffsetCommitRequestPartition()
                        .setPartitionIndex(partition.partition())
                        .setCommittedOffset(offset.offset())
                        .setCommittedLeaderEpoch(offset.leaderEpoch().orElse(-1))
                        .setCommittedMetadata(offset.metadata())));
        boolean isMember = commit.generation.id() >= 0;
        return new OffsetCommitRequestData()
                .setGroupId(group.id())
                .setGenerationIdOrMemberEpoch(commit.generation.id())
                .setMemberId(commit.generation.memberId())
                .setGroupInstanceId(isMember ? group.instanceId() : null)
                .setTopics(new ArrayList<>(topics.values()));
    }

    /** One that cannot be retried counts for more than one that can. */
    private static Errors worstOf(OffsetCommitResponseData response) {
        Errors worst = Errors.NONE;
        for (var topic : response.topics()) {
            for (var partition : topic.partitions()) {
                Errors error = Errors.forCode(partition.errorCode());
                if (worst == Errors.NONE || (error != Errors.NONE && !isRetriable(error))) {
                    worst = error;
                }
            }
        }
        return worst;
    }

    /** A topic that is gone is retriable for others; a commit would hold up those behind it. */
    private static boolean isRetriable(Errors error) {
        return error.exception() instanceof RetriableException && error != Errors.UNKNOWN_TOPIC_OR_PARTITION;
    }

    private void answered(Commit commit, PeerId peer, Errors worst) {
        switch (worst) {
            case NONE -> acknowledged(commit);
            case COORDINATOR_NOT_AVAILABLE, NOT_COORDINATOR -> {
                coordinator.lost(peer, worst.message());
                again();
            }
            case UNKNOWN_MEMBER_ID, ILLEGAL_GENERATION -> {
                end(commit, new CommitFailedException("the group has gone on without this member"));
                member.onUnknown(worst, commit.generation);
                advance();
            }
            case FENCED_INSTANCE_ID -> {
                end(commit, new FencedInstanceIdException(worst.message()));
                member.onUnknown(worst, commit.generation);
                advance();
            }
            case REBALANCE_IN_PROGRESS -> {
                end(commit, rebalancing());
                advance();
            }
            default -> {
                if (isRetriable(worst)) {
                    again();
                } else {
                    end(commit, new KafkaException("the commit was refused: " + worst.message(), worst.exception()));
                    advance();
                }
            }
        }
    }

    private void acknowledged(Commit commit) {
        failures = 0;
        coordinator.works();
        boolean isToBeRepeated = waiting.contains(commit) && doubtful.removeAll(commit.offsets.keySet());
        if (!isToBeRepeated) {
            end(commit, null);
        }
        advance();
    }

    private void end(Commit commit, KafkaException failure) {
        waiting.remove(commit);
        if (failure == null) {
            commit.done.complete(null);
        } else {
            commit.done.completeExceptionally(failure);
        }
    }

    private void again() {
        if (pause == null) {
            pause = loop.watchdogs()
                    .arm(Watchdog.RETRY_BACKOFF, "committing again", loop.in(backoff.after(++failures)), () -> {
                        pause = null;
                        advance();
                    });
        }
    }

    /** The client is closed. */
    void failAll(KafkaException why) {
        List.copyOf(waiting).forEach(commit -> end(commit, why));
    }
}
