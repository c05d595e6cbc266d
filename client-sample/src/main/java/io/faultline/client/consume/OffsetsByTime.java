package io.faultline.client.consume;

import io.faultline.client.consume.Flow.Place;
import io.faultline.client.loop.EventLoop;
import io.faultline.client.metadata.Metadata;
import io.faultline.client.metadata.PartitionView;
import io.faultline.client.network.Backoff;
import io.faultline.client.network.Call;
import io.faultline.client.network.CallFailure;
import io.faultline.client.network.Network;
import io.faultline.client.network.PeerId;
import io.faultline.client.watchdog.Deadline;
import io.faultline.client.watchdog.Timer;
import io.faultline.client.watchdog.Watchdog;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.message.ListOffsetsRequestData;
import org.apache.kafka.common.message.ListOffsetsRequestData.ListOffsetsPartition;
import org.apache.kafka.common.message.ListOffsetsRequestData.ListOffsetsTopic;
import org.apache.kafka.common.message.ListOffsetsResponseData;
import org.apache.kafka.common.message.ListOffsetsResponseData.ListOffsetsPartitionResponse;
import org.apache.kafka.common.message.ListOffsetsResponseData.ListOffsetsTopicResponse;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;

/**
 * Asks the leaders for the offsets at timestamps, again and again until all are known, each broker for all of its partitions at
 * once. On the loop.
 */
final class OffsetsByTime {

    private static final int CONSUMER = -1;

    /** The first version that has leader epochs in its answers is 4; up to 10 they are all alike for a consumer. */
    private static final int NEWEST = 10;

    private final EventLoop loop;
    private final Network network;
    private final Metadata metadata;
    private final ConsumeConfig config;
    private final Backoff backoff;

    OffsetsByTime(EventLoop loop, Network network, Metadata metadata, ConsumeConfig config, Backoff backoff) {
        this.loop = loop;
        this.network = network;
        this.metadata = metadata;
        this.config = config;
        this.backoff = backoff;
    }

    /**
     * Finds offsets.
     *
     * @param timestamps what is wanted
     * @param deadline until when
     * @return the places, without those partitions that have no record so new; completed on the loop
     */
    CompletableFuture<Map<TopicPartition, Place>> find(Map<TopicPartition, Long> timestamps, Deadline deadline) {
        Query query = new Query(timestamps);
        query.watchdog = loop.watchdogs()
                .arm(
                        Watchdog.REQUEST,
                        "offsets by time of " + timestamps.keySet(),
                        deadline,
                        () -> query.fail(new TimeoutException(
                                "offsets of " + query.open.keySet() + " could not be found in time")));
        timestamps.keySet().forEach(partition -> metadata.want(partition.topic()));
        query.ask();
        return query.found;
    }

    private final class Query {

        private final Map<TopicPartition, Long> open;
        private final Map<TopicPartition, Place> places = new HashMap<>();
        private final CompletableFuture<Map<TopicPartition, Place>> found = new CompletableFuture<>();
        private Timer watchdog;
        private Timer pause;
        private int unanswered;
        private int failures;

        Query(Map<TopicPartition, Long> timestamps) {
            open = new HashMap<>(timestamps);
        }

        private void ask() {
            pause = null;
            Map<Integer, List<TopicPartition>> byLeader = new HashMap<>();
            for (TopicPartition partition : open.keySet()) {
                metadata.view()
                        .leader(partition)
                        .ifPresent(leader -> byLeader.computeIfAbsent(leader, same -> new ArrayList<>())
                                .add(partition));
            }
            unanswered = byLeader.size();
            byLeader.forEach(this::ask);
            if (byLeader.values().stream().mapToInt(List::size).sum() < open.size()) {
                metadata.refresh();
            }
            if (unanswered == 0) {
                goOn();
            }
        }

        private void ask(int leader, List<TopicPartition> partitions) {
            network.call(
                    PeerId.broker(leader),
                    Call.of(
                                    ApiKeys.LIST_OFFSETS,
                                    version -> request(partitions),
                                    config.requestTimeout(),
                                    new Call.Handler<ListOffsetsResponseData>() {
                                        @Override
                                        public void onResponse(ListOffsetsResponseData response, short version) {
                                            response.topics().forEach(Query.this::take);
                                            answered();
                                        }

                                        @Override
                                        public void onFailure(CallFailure failure) {
                                            metadata.refresh();
                                            answered();
                                        }
                                    })
                            .between(1, NEWEST));
        }

        private ListOffsetsRequestData request(List<TopicPartition> partitions) {
            Map<String, ListOffsetsTopic> topics = new HashMap<>();
            for (TopicPartition partition : partitions) {
                if (open.containsKey(partition)) {
                    topics.computeIfAbsent(partition.topic(), name -> new ListOffsetsTopic().setName(name))
                            .partitions()
                            .add(new ListOffsetsPartition()
                                    .setPartitionIndex(partition.partition())
                                    .setTimestamp(open.get(partition))
                                    .setCurrentLeaderEpoch(metadata.view()
                                            .partition(partition)
                                            .map(PartitionView::leaderEpoch)
                                            .orElse(-1)));
                }
            }
            return new ListOffsetsRequestData()
                    .setReplicaId(CONSUMER)
                    .setIsolationLevel(config.terms().isolation().id())
                    .setTopics(new ArrayList<>(topics.values()));
        }

        private void take(ListOffsetsTopicResponse topic) {
            for (ListOffsetsPartitionResponse answer : topic.partitions()) {
                TopicPartition partition = new TopicPartition(topic.name(), answer.partitionIndex());
                Errors error = Errors.forCode(answer.errorCode());
                if (error == Errors.NONE && open.remove(partition) != null) {
                    if (answer.offset() >= 0) {
                        Optional<Integer> epoch =
                                answer.leaderEpoch() < 0 ? Optional.empty() : Optional.of(answer.leaderEpoch());
                        places.put(partition, new Place(answer.offset(), epoch));
                    }
                } else if (error != Errors.NONE && !(error.exception() instanceof RetriableException)) {
                    fail(new KafkaException("the offset of " + partition + " cannot be found", error.exception()));
                } else if (error != Errors.NONE) {
                    metadata.refresh();
                }
            }
        }

        private void answered() {
            unanswered--;
            if (unanswered == 0) {
                goOn();
            }
        }

        private void goOn() {
            if (open.isEmpty() && !found.isDone()) {
                watchdog.disarm();
                found.complete(places);
            } else if (!found.isDone() && pause == null) {
                Duration wait = backoff.after(++failures);
                pause = loop.watchdogs()
                        .arm(Watchdog.RETRY_BACKOFF, "asking for offsets again", loop.in(wait), this::ask);
            }
        }

        private void fail(KafkaException cause) {
            watchdog.disarm();
            if (pause != null) {
                pause.disarm();
            }
            found.completeExceptionally(cause);
        }
    }
}
