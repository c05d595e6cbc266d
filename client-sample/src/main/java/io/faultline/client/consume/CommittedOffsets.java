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
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.errors.TimeoutException;
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
 * Asks the coordinator what the group has committed. Not while it holds a JoinGroup or SyncGroup: on the same connection the
 * question would wait behind that, time out first, and take the connection and the rebalance with it. On the loop.
 */
final class CommittedOffsets {

    private static final int OLDEST = 8; // the first that names groups
    private static final int NEWEST = 9;

    private final EventLoop loop;
    private final Network network;
    private final ConsumeConfig config;
    private final GroupConfig group;
    private final Coordinator coordinator;
    private final Backoff backoff;
    private final Set<Query> queries = new HashSet<>();
    private BooleanSupplier isHeld = () -> false;

    CommittedOffsets(
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

    /** Knows when the coordinator holds a request. */
    void heldWhile(BooleanSupplier held) {
        isHeld = held;
    }

    /** Sends what can be sent. */
    void advance() {
        List.copyOf(queries).forEach(Query::ask);
    }

    /** The client is closed. */
    void failAll(KafkaException why) {
        List.copyOf(queries).forEach(query -> query.end(why));
    }

    /**
     * Asks for committed offsets until they are known.
     *
     * @return the offsets, without those partitions that have none; completed on the loop, at the latest at the deadline
     */
    CompletableFuture<Map<TopicPartition, OffsetAndMetadata>> find(
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
        private PeerId peer;
        private boolean asked;
        private int failures;

        Query(Set<TopicPartition> partitions) {
            this.partitions = partitions;
        }

        void ask() {
            if (!asked && coordinator.known().isPresent() && !isHeld.getAsBoolean()) {
                asked = true;
                peer = coordinator.known().get();
                network.call(
                        peer,
                        Call.of(ApiKeys.OFFSET_FETCH, version -> request(), config.requestTimeout(), this)
                                .between(OLDEST, NEWEST));
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
            Errors error = response.groups().isEmpty() ? Errors.COORDINATOR_LOAD_IN_PROGRESS : Errors.NONE;
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
                coordinator.works();
                watchdog.disarm();
                queries.remove(this);
                found.complete(offsets);
            } else if (error.exception() instanceof RetriableException) {
                if (error == Errors.NOT_COORDINATOR || error == Errors.COORDINATOR_NOT_AVAILABLE) {
                    coordinator.lost(peer, error.message());
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
                coordinator.lost(peer, failure.message());
                askAgain();
            }
        }

        private void askAgain() {
            loop.watchdogs()
                    .arm(
                            Watchdog.RETRY_BACKOFF,
                            "asking for committed offsets again",
                            loop.in(backoff.after(++failures)),
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
