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
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
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
import org.apache.kafka.common.message.OffsetFetchRequestData;
import org.apache.kafka.common.message.OffsetFetchRequestData.OffsetFetchRequestGroup;
import org.apache.kafka.common.message.OffsetFetchRequestData.OffsetFetchRequestTopics;
import org.apache.kafka.common.message.OffsetFetchResponseData;
import org.apache.kafka.common.message.OffsetFetchResponseData.OffsetFetchResponseGroup;
import org.apache.kafka.common.message.OffsetFetchResponseData.OffsetFetchResponsePartitions;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.RequestUtils;

/**
 * Commits offsets and asks for committed ones. Commits are sent one after the other, in the order in which they were wanted, and
 * again until they are acknowledged, so that one never undoes a later one. Each carries the generation of the poll that it is for,
 * and none is sent under a newer one, or while it is not certain that the partitions are still the member's. On the loop.
 */
final class Commits {

    private static final int OLDEST_COMMIT = 2;
    private static final int NEWEST_COMMIT = 9; // the last that names topics
    private static final int OLDEST_FETCH = 8; // the first that names groups
    private static final int NEWEST_FETCH = 9;

    /** Whether offsets may be committed. */
    enum Permission {
        /** Now. */
        YES,
        /** Perhaps later: the membership is not confirmed, or the group is rebalancing. */
        WAIT,
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
    private final Set<Query> queries = new HashSet<>();
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
            } else if (permission == Permission.WAIT || coordinator.known().isEmpty()) {
                break;
            } else {
                send(first);
            }
        }
        if (coordinator.known().isPresent()) {
            List.copyOf(queries).forEach(Query::ask);
        }
    }

    private void send(Commit commit) {
        inFlight = true;
        network.call(
                coordinator.known().orElseThrow(),
                Call.of(
                                ApiKeys.OFFSET_COMMIT,
                                version -> commitRequest(commit),
                                config.requestTimeout(),
                                new Call.Handler<OffsetCommitResponseData>() {
                                    @Override
                                    public void onResponse(OffsetCommitResponseData response, short version) {
                                        inFlight = false;
                                        committed(commit, response);
                                    }

                                    @Override
                                    public void onFailure(CallFailure failure) {
                                        inFlight = false;
                                        coordinator.lost(failure.message());
                                        again();
                                    }
                                })
                        .between(OLDEST_COMMIT, NEWEST_COMMIT));
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

    private void committed(Commit commit, OffsetCommitResponseData response) {
        Errors worst = Errors.NONE;
        for (var topic : response.topics()) {
            for (var partition : topic.partitions()) {
                Errors error = Errors.forCode(partition.errorCode());
                if (worst == Errors.NONE
                        || (error != Errors.NONE && !(error.exception() instanceof RetriableException))) {
                    worst = error;
                }
            }
        }
        switch (worst) {
            case NONE -> {
                failures = 0;
                end(commit, null);
                advance();
            }
            case COORDINATOR_NOT_AVAILABLE, NOT_COORDINATOR -> {
                coordinator.lost(worst.message());
                again();
            }
            case UNKNOWN_MEMBER_ID, ILLEGAL_GENERATION -> {
                member.onUnknown(worst, commit.generation);
                end(commit, new CommitFailedException("the group has gone on without this member"));
                advance();
            }
            case FENCED_INSTANCE_ID -> {
                member.onUnknown(worst, commit.generation);
                end(commit, new FencedInstanceIdException(worst.message()));
                advance();
            }
            case REBALANCE_IN_PROGRESS -> {
                end(commit, new RebalanceInProgressException("the group rebalances; poll, then commit again"));
                advance();
            }
            default -> {
                if (worst.exception() instanceof RetriableException) {
                    again();
                } else {
                    end(commit, new KafkaException("the commit was refused: " + worst.message(), worst.exception()));
                    advance();
                }
            }
        }
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
        List.copyOf(queries).forEach(query -> query.end(why));
    }

    /**
     * Asks for committed offsets until they are known.
     *
     * @return the offsets, without those partitions that have none; completed on the loop, at the latest at the deadline
     */
    CompletableFuture<Map<TopicPartition, OffsetAndMetadata>> committed(
            Collection<TopicPartition> partitions, Deadline deadline) {
        Query query = new Query(Set.copyOf(partitions));
        query.watchdog = loop.watchdogs()
                .arm(
                        Watchdog.REQUEST,
                        "the committed offsets of " + partitions,
                        deadline,
                        () -> query.end(new TimeoutException("the committed offsets could not be found out in time")));
        queries.add(query);
        coordinator.need();
        query.ask();
        return query.found;
    }

    private final class Query implements Call.Handler<OffsetFetchResponseData> {

        private final Set<TopicPartition> partitions;
        private final CompletableFuture<Map<TopicPartition, OffsetAndMetadata>> found = new CompletableFuture<>();
        private Timer watchdog;
        private boolean asked;
        private int queryFailures;

        Query(Set<TopicPartition> partitions) {
            this.partitions = partitions;
        }

        void ask() {
            Optional<PeerId> peer = coordinator.known();
            if (!asked && peer.isPresent()) {
                asked = true;
                network.call(
                        peer.get(),
                        Call.of(ApiKeys.OFFSET_FETCH, version -> request(), config.requestTimeout(), this)
                                .between(OLDEST_FETCH, NEWEST_FETCH));
            }
        }

        private OffsetFetchRequestData request() {
            Map<String, OffsetFetchRequestTopics> topics = new HashMap<>();
            for (TopicPartition partition : partitions) {
                topics.computeIfAbsent(partition.topic(), name -> new OffsetFetchRequestTopics().setName(name))
                        .partitionIndexes()
                        .add(partition.partition());
            }
            return new OffsetFetchRequestData()
                    .setRequireStable(config.committedOnly())
                    .setGroups(List.of(new OffsetFetchRequestGroup()
                            .setGroupId(group.id())
                            .setTopics(new ArrayList<>(topics.values()))));
        }

        @Override
        public void onResponse(OffsetFetchResponseData response, short version) {
            Map<TopicPartition, OffsetAndMetadata> offsets = new HashMap<>();
            Errors error = Errors.NONE;
            for (OffsetFetchResponseGroup answer : response.groups()) {
                error = Errors.forCode(answer.errorCode());
                for (var topic : answer.topics()) {
                    for (OffsetFetchResponsePartitions partition : topic.partitions()) {
                        if (partition.errorCode() != Errors.NONE.code()) {
                            error = Errors.forCode(partition.errorCode());
                        } else if (partition.committedOffset() >= 0) {
                            offsets.put(
                                    new TopicPartition(topic.name(), partition.partitionIndex()),
                                    new OffsetAndMetadata(
                                            partition.committedOffset(),
                                            RequestUtils.getLeaderEpoch(partition.committedLeaderEpoch()),
                                            partition.metadata()));
                        }
                    }
                }
            }
            if (error == Errors.NONE) {
                watchdog.disarm();
                queries.remove(this);
                found.complete(offsets);
            } else if (error.exception() instanceof RetriableException) {
                if (error == Errors.NOT_COORDINATOR || error == Errors.COORDINATOR_NOT_AVAILABLE) {
                    coordinator.lost(error.message());
                }
                askAgain();
            } else {
                end(new KafkaException("committed offsets are refused: " + error.message(), error.exception()));
            }
        }

        @Override
        public void onFailure(CallFailure failure) {
            if (failure.reason() == CallFailure.Reason.UNSUPPORTED_VERSION) {
                end(failure.asException());
            } else {
                coordinator.lost(failure.message());
                askAgain();
            }
        }

        private void askAgain() {
            loop.watchdogs()
                    .arm(
                            Watchdog.RETRY_BACKOFF,
                            "asking for committed offsets again",
                            loop.in(backoff.after(++queryFailures)),
                            () -> {
                                asked = false;
                                if (!found.isDone()) {
                                    ask();
                                }
                            });
        }

        void end(KafkaException failure) {
            watchdog.disarm();
            queries.remove(this);
            found.completeExceptionally(failure);
        }
    }
}
