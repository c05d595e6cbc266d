package io.faultline.client.consume;

import io.faultline.client.consume.Flow.Place;
import io.faultline.client.consume.Flow.State;
import io.faultline.client.loop.EventLoop;
import io.faultline.client.metadata.ClusterView;
import io.faultline.client.metadata.Metadata;
import io.faultline.client.metadata.PartitionView;
import io.faultline.client.network.Backoff;
import io.faultline.client.network.Call;
import io.faultline.client.network.CallFailure;
import io.faultline.client.network.Network;
import io.faultline.client.network.PeerId;
import io.faultline.client.watchdog.Deadline;
import io.faultline.client.watchdog.Watchdog;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.apache.kafka.clients.consumer.LogTruncationException;
import org.apache.kafka.clients.consumer.NoOffsetForPartitionException;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.OffsetOutOfRangeException;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.message.OffsetForLeaderEpochRequestData;
import org.apache.kafka.common.message.OffsetForLeaderEpochRequestData.OffsetForLeaderPartition;
import org.apache.kafka.common.message.OffsetForLeaderEpochRequestData.OffsetForLeaderTopic;
import org.apache.kafka.common.message.OffsetForLeaderEpochResponseData;
import org.apache.kafka.common.message.OffsetForLeaderEpochResponseData.EpochEndOffset;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;

/**
 * Finds out from where partitions are fetched: where the caller said, else where the group committed, else where
 * {@code auto.offset.reset} says. When a partition has another leader it is asked whether its log still has what was read (KIP-320):
 * a log that was truncated in between would otherwise be read on in its middle, and nobody would know. On the loop.
 */
final class Positions {

    private static final int CONSUMER = -1;

    private final EventLoop loop;
    private final Network network;
    private final Metadata metadata;
    private final ConsumeConfig config;
    private final OffsetsByTime byTime;
    private final Optional<CommittedOffsets> committed;
    private final Inbox inbox;
    private final Backoff backoff;
    private final Runnable onReady;

    /**
     * @param committed where committed offsets are; empty without a group
     * @param onReady told when partitions can be fetched
     */
    Positions(
            EventLoop loop,
            Network network,
            Metadata metadata,
            ConsumeConfig config,
            OffsetsByTime byTime,
            Optional<CommittedOffsets> committed,
            Inbox inbox,
            Backoff backoff,
            Runnable onReady) {
        this.loop = loop;
        this.network = network;
        this.metadata = metadata;
        this.config = config;
        this.byTime = byTime;
        this.committed = committed;
        this.inbox = inbox;
        this.backoff = backoff;
        this.onReady = onReady;
    }

    /** Looks for the places of those that have none. */
    void find(Collection<Flow> flows) {
        Map<TopicPartition, Flow> uncommitted = new LinkedHashMap<>();
        for (Flow flow : flows) {
            if (flow.state() == State.UNKNOWN && !flow.isEnded()) {
                flow.state(State.ASKED);
                if (flow.resetTo().isEmpty() && committed.isPresent()) {
                    uncommitted.put(flow.partition(), flow);
                } else {
                    reset(flow);
                }
            }
        }
        if (!uncommitted.isEmpty()) {
            findCommitted(uncommitted);
        }
    }

    private void findCommitted(Map<TopicPartition, Flow> flows) {
        Map<Flow, Integer> seeks = new HashMap<>();
        flows.values().forEach(flow -> seeks.put(flow, flow.seeks()));
        committed
                .orElseThrow()
                .find(flows.keySet(), Deadline.NEVER)
                .whenComplete((offsets, failure) -> flows.forEach((partition, flow) -> {
                    if (isCurrent(flow, seeks.get(flow))) {
                        OffsetAndMetadata offset = failure == null ? offsets.get(partition) : null;
                        if (failure != null) {
                            notFound(flow, failure);
                        } else if (offset != null) {
                            ready(flow, new Place(offset.offset(), offset.leaderEpoch()));
                        } else {
                            reset(flow);
                        }
                    }
                }));
    }

    /** Said to the caller, who may have it set right: a topic that may not be read, say. So it is looked for again. */
    private void notFound(Flow flow, Throwable failure) {
        inbox.put(new Inbox.NoPosition(flow, flow.seeks(), asKafkaException(failure)));
        int seeks = flow.seeks();
        loop.watchdogs()
                .arm(
                        Watchdog.RETRY_BACKOFF,
                        "looking for the position in " + flow.partition() + " again",
                        loop.in(backoff.after(flow.failed())),
                        () -> {
                            if (isCurrent(flow, seeks)) {
                                flow.state(State.UNKNOWN);
                                find(List.of(flow));
                            }
                        });
    }

    private static KafkaException asKafkaException(Throwable failure) {
        return failure instanceof KafkaException known ? known : new KafkaException(failure);
    }

    private static boolean isCurrent(Flow flow, int seeks) {
        return !flow.isEnded() && flow.seeks() == seeks && flow.state() == State.ASKED;
    }

    private void reset(Flow flow) {
        OptionalLong timestamp =
                flow.resetTo().isPresent() ? flow.resetTo() : config.reset().timestamp();
        if (timestamp.isEmpty()) {
            inbox.put(new Inbox.NoPosition(
                    flow,
                    flow.seeks(),
                    flow.place() == null
                            ? new NoOffsetForPartitionException(flow.partition())
                            : new OffsetOutOfRangeException(
                                    "the log has no such offset, and auto.offset.reset is none",
                                    Map.of(flow.partition(), flow.place().offset()))));
            return; // until the caller seeks
        }
        int seeks = flow.seeks();
        byTime.find(Map.of(flow.partition(), timestamp.getAsLong()), Deadline.NEVER)
                .whenComplete((places, failure) -> {
                    if (isCurrent(flow, seeks)) {
                        if (failure != null) {
                            notFound(flow, failure);
                        } else if (places.containsKey(flow.partition())) {
                            ready(flow, places.get(flow.partition()));
                        } else { // no record is so new: the end
                            flow.forgetPlace(OptionalLong.of(-1));
                            find(List.of(flow));
                        }
                    }
                });
    }

    private void ready(Flow flow, Place place) {
        flow.begin(place);
        inbox.put(new Inbox.PositionFound(flow, flow.seeks(), place));
        validate(flow, metadata.view());
        onReady.run();
    }

    /** The broker says that there is no such offset: begin where the configuration says. */
    void outOfRange(Flow flow) {
        flow.forgetPlace(OptionalLong.empty());
        flow.state(State.ASKED);
        reset(flow);
    }

    /** There is a newer view: a partition with another leader is asked about again. */
    void validate(Collection<Flow> flows, ClusterView view) {
        flows.forEach(flow -> validate(flow, view));
    }

    /** Asks nobody if it is not known which leader the last record was from, or if the leader is the same. */
    void validate(Flow flow, ClusterView view) {
        PartitionView partition = view.partition(flow.partition()).orElse(null);
        if (flow.state() != State.READY || partition == null || !partition.hasLeader()) {
            return;
        }
        Integer known = flow.leaderEpoch();
        int newest = partition.leaderEpoch();
        if (newest < 0 || flow.place().epoch().isEmpty() || (known != null && known >= newest)) {
            flow.leaderEpoch(newest < 0 ? null : Integer.valueOf(newest));
            return;
        }
        flow.state(State.VALIDATING);
        askLeader(flow, partition);
    }

    private void askLeader(Flow flow, PartitionView partition) {
        int seeks = flow.seeks();
        int newest = partition.leaderEpoch();
        network.call(
                PeerId.broker(partition.leader()),
                Call.of(
                                ApiKeys.OFFSET_FOR_LEADER_EPOCH,
                                version -> epochRequest(flow, newest),
                                config.requestTimeout(),
                                new Call.Handler<OffsetForLeaderEpochResponseData>() {
                                    @Override
                                    public void onResponse(OffsetForLeaderEpochResponseData response, short version) {
                                        if (isStillAsked(flow, seeks)) {
                                            response.topics()
                                                    .forEach(topic -> topic.partitions()
                                                            .forEach(end -> validated(flow, newest, end)));
                                        }
                                    }

                                    @Override
                                    public void onFailure(CallFailure failure) {
                                        if (isStillAsked(flow, seeks)) {
                                            if (failure.reason() == CallFailure.Reason.UNSUPPORTED_VERSION) {
                                                flow.leaderEpoch(newest); // it cannot be asked, as before KIP-320
                                                flow.state(State.READY);
                                                onReady.run();
                                            } else {
                                                validateLater(flow);
                                            }
                                        }
                                    }
                                })
                        .between(3, 4));
    }

    private static boolean isStillAsked(Flow flow, int seeks) {
        return !flow.isEnded() && flow.seeks() == seeks && flow.state() == State.VALIDATING;
    }

    private static OffsetForLeaderEpochRequestData epochRequest(Flow flow, int currentEpoch) {
        OffsetForLeaderTopic topic =
                new OffsetForLeaderTopic().setTopic(flow.partition().topic());
        topic.partitions()
                .add(new OffsetForLeaderPartition()
                        .setPartition(flow.partition().partition())
                        .setCurrentLeaderEpoch(currentEpoch)
                        .setLeaderEpoch(flow.place().epoch().orElseThrow()));
        OffsetForLeaderEpochRequestData request = new OffsetForLeaderEpochRequestData().setReplicaId(CONSUMER);
        request.topics().add(topic);
        return request;
    }

    private void validated(Flow flow, int newest, EpochEndOffset end) {
        if (end.errorCode() != Errors.NONE.code()) {
            validateLater(flow);
            return;
        }
        flow.leaderEpoch(newest);
        flow.state(State.READY);
        if (end.endOffset() < 0) {
            outOfRange(flow); // the log has nothing of that epoch, nor of any before
        } else if (end.endOffset() < flow.place().offset()) {
            truncated(flow, end);
        }
        onReady.run();
    }

    private void truncated(Flow flow, EpochEndOffset end) {
        TopicPartition partition = flow.partition();
        flow.state(State.ASKED); // until the caller seeks, or has said up to where it has read
        if (config.reset().timestamp().isEmpty()) {
            inbox.put(new Inbox.NoPosition(
                    flow,
                    flow.seeks(),
                    new LogTruncationException(
                            "the log of " + partition + " was truncated to " + end.endOffset()
                                    + " behind what was read of it",
                            Map.of(partition, flow.place().offset()),
                            Map.of(
                                    partition,
                                    new OffsetAndMetadata(end.endOffset(), Optional.of(end.leaderEpoch()), "")))));
        } else {
            Place divergence = new Place(end.endOffset(), Optional.of(end.leaderEpoch()));
            inbox.put(new Inbox.Truncated(flow, flow.seeks(), divergence));
        }
    }

    private void validateLater(Flow flow) {
        metadata.refresh();
        int seeks = flow.seeks();
        loop.watchdogs()
                .arm(
                        Watchdog.RETRY_BACKOFF,
                        "asking the leader of " + flow.partition() + " about its log again",
                        loop.in(backoff.after(flow.failed())),
                        () -> {
                            if (isStillAsked(flow, seeks)) {
                                flow.state(State.READY);
                                validate(flow, metadata.view());
                                onReady.run();
                            }
                        });
    }
}
