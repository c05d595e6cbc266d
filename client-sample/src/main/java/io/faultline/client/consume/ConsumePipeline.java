package io.faultline.client.consume;

import io.faultline.client.consume.Flow.Place;
import io.faultline.client.loop.EventLoop;
import io.faultline.client.metadata.ClusterView;
import io.faultline.client.metadata.Metadata;
import io.faultline.client.metadata.MetadataListener;
import io.faultline.client.network.Backoff;
import io.faultline.client.network.Network;
import io.faultline.client.watchdog.Deadline;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import java.util.regex.Pattern;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.AuthenticationException;
import org.apache.kafka.common.errors.InvalidGroupIdException;
import org.apache.kafka.common.protocol.Errors;

/**
 * The side of a consumer that runs on the loop. Its methods may be called from any thread: what they ask for is done on the loop,
 * and what comes of it is a future, or lies in the inbox. It holds nothing of the application's.
 */
public final class ConsumePipeline implements MetadataListener {

    private final EventLoop loop;
    private final Metadata metadata;
    private final ConsumeConfig config;
    private final Inbox inbox = new Inbox();
    private final OffsetsByTime byTime;
    private final Optional<Commits> commits;
    private final Optional<CommittedOffsets> committed;
    private final Optional<Membership> membership;
    private final Fetcher fetcher;
    private final Set<CompletableFuture<?>> unsettled = ConcurrentHashMap.newKeySet();
    private volatile long lastPoll;
    private volatile boolean waiting;

    /**
     * Puts it together.
     *
     * @param loop the loop
     * @param network whom to ask
     * @param metadata who leads what
     * @param config how to consume
     * @param random varies pauses
     */
    public ConsumePipeline(
            EventLoop loop, Network network, Metadata metadata, ConsumeConfig config, RandomGenerator random) {
        this.loop = loop;
        this.metadata = metadata;
        this.config = config;
        this.lastPoll = loop.now();
        Backoff backoff = new Backoff(config.retryBackoff(), config.retryBackoffMax(), random);
        byTime = new OffsetsByTime(loop, network, metadata, config, backoff);
        Optional<Coordinator> coordinator = config.group()
                .map(group -> new Coordinator(loop, network, metadata, config, group.id(), backoff, inbox));
        commits = config.group()
                .map(group -> new Commits(loop, network, config, group, coordinator.orElseThrow(), backoff));
        committed = config.group()
                .map(group -> new CommittedOffsets(loop, network, config, group, coordinator.orElseThrow(), backoff));
        fetcher = new Fetcher(
                loop,
                network,
                metadata,
                config,
                fetch -> new Positions(loop, network, metadata, config, byTime, committed, inbox, backoff, fetch),
                inbox,
                backoff);
        membership = config.group()
                .map(group -> new Membership(
                        loop,
                        network,
                        metadata,
                        config,
                        group,
                        coordinator.orElseThrow(),
                        fetcher,
                        inbox,
                        () -> waiting ? loop.now() : lastPoll,
                        backoff));
        membership.ifPresent(member -> {
            commits.orElseThrow().of(member);
            committed.orElseThrow().heldWhile(member::isHeld);
            member.onChange(() -> {
                commits.get().advance();
                committed.get().advance();
            });
        });
        metadata.listen(this);
    }

    Inbox inbox() {
        return inbox;
    }

    ConsumeConfig config() {
        return config;
    }

    long now() {
        return loop.now();
    }

    /** The caller polls, and so is alive. */
    void polled() {
        lastPoll = loop.now();
    }

    /** The caller waits in a poll for something of the client's, however long: that is no time in which it does not poll. */
    void waiting(boolean now) {
        lastPoll = loop.now();
        waiting = now;
    }

    /** Whether what is buffered may be delivered. */
    boolean isConfirmed() {
        return membership.map(member -> member.lease().holds(loop.now())).orElse(true);
    }

    boolean isCooperative() {
        return membership.map(Membership::isCooperative).orElse(false);
    }

    private Membership member() {
        return membership.orElseThrow(
                () -> new InvalidGroupIdException("group.id is not set, and a subscription needs a group"));
    }

    private static InvalidGroupIdException noGroup() {
        return new InvalidGroupIdException("group.id is not set, and committed offsets need a group");
    }

    void subscribe(Set<String> topics) {
        Membership member = member();
        loop.execute(() -> member.subscribe(topics));
    }

    void subscribe(Pattern names) {
        Membership member = member();
        loop.execute(() -> member.subscribe(names));
    }

    void prepared(int step, Set<TopicPartition> kept, Collection<Flow> stopped) {
        loop.execute(() -> {
            fetcher.stop(stopped);
            member().prepared(step, kept);
        });
    }

    void taken(int step, Set<TopicPartition> has, Collection<Flow> started, Collection<Flow> stopped, boolean again) {
        loop.execute(() -> {
            fetcher.stop(stopped);
            if (member().taken(step, has, again)) {
                fetcher.start(started);
            } else {
                started.forEach(Flow::end); // lost again before the caller had taken it
            }
        });
    }

    CompletableFuture<Void> leave(Duration timeout) {
        return onLoop(
                () -> membership.map(member -> member.leave(timeout)).orElse(CompletableFuture.completedFuture(null)));
    }

    void assign(Collection<Flow> started, Collection<Flow> stopped) {
        loop.execute(() -> {
            fetcher.stop(stopped);
            fetcher.start(started);
        });
    }

    void seek(Flow flow, int number, Place to) {
        loop.execute(() -> {
            flow.seek(number, to);
            fetcher.positions().validate(flow, metadata.view());
            fetcher.fetch();
        });
    }

    void seekToTime(Flow flow, int number, long timestamp) {
        loop.execute(() -> {
            flow.seekToTime(number, timestamp);
            fetcher.positions().find(List.of(flow));
        });
    }

    void pause(Collection<Flow> flows, boolean paused) {
        loop.execute(() -> {
            flows.forEach(flow -> flow.paused(paused));
            fetcher.fetch();
        });
    }

    void taken(Chunk chunk) {
        loop.execute(() -> fetcher.taken(chunk.flow(), chunk.seeks()));
    }

    CompletableFuture<Void> commit(
            Generation generation, Map<TopicPartition, OffsetAndMetadata> offsets, Deadline deadline) {
        Commits group = commits.orElseThrow(ConsumePipeline::noGroup);
        return onLoop(() -> group.commit(generation, offsets, deadline));
    }

    CompletableFuture<Map<TopicPartition, OffsetAndMetadata>> committed(
            Set<TopicPartition> partitions, Deadline deadline) {
        CommittedOffsets group = committed.orElseThrow(ConsumePipeline::noGroup);
        return onLoop(() -> group.find(partitions, deadline));
    }

    CompletableFuture<Map<TopicPartition, Place>> offsets(Map<TopicPartition, Long> timestamps, Deadline deadline) {
        return onLoop(() -> byTime.find(timestamps, deadline));
    }

    /** What is done on the loop completes a future, and the caller looks up. */
    private <T> CompletableFuture<T> onLoop(Supplier<CompletableFuture<T>> action) {
        CompletableFuture<T> result = new CompletableFuture<>();
        unsettled.add(result);
        result.whenComplete((value, failure) -> unsettled.remove(result));
        loop.execute(() -> action.get().whenComplete((value, failure) -> {
            if (failure == null) {
                result.complete(value);
            } else {
                result.completeExceptionally(failure);
            }
            inbox.signal();
        }));
        KafkaException end = inbox.failure();
        if (end != null) { // a loop that has ended does nothing more
            result.completeExceptionally(end);
        }
        return result;
    }

    @Override
    public void onView(ClusterView before, ClusterView now) {
        membership.ifPresent(member -> member.onView(now));
        fetcher.onView(now);
    }

    @Override
    public void onTopicError(String topic, Errors error) {
        if (error == Errors.TOPIC_AUTHORIZATION_FAILED || error == Errors.INVALID_TOPIC_EXCEPTION) {
            inbox.put(new Inbox.Trouble(
                    new KafkaException("topic " + topic + ": " + error.message(), error.exception())));
        }
    }

    @Override
    public void onFailure(Exception cause) {
        if (cause instanceof AuthenticationException untrusted) {
            inbox.put(new Inbox.Trouble(untrusted));
        }
    }

    /**
     * The consumer is closed: gives up what is still waited for. On the loop.
     *
     * @param why for those who wait
     */
    public void close(KafkaException why) {
        commits.ifPresent(group -> group.failAll(why));
        committed.ifPresent(group -> group.failAll(why));
        inbox.fail(why);
    }

    /**
     * The loop is lost: what it still had to do fails, and so does all that is asked for from now on. On the thread that noticed.
     *
     * @param why the cause
     */
    public void lost(KafkaException why) {
        inbox.fail(why);
        unsettled.forEach(each -> each.completeExceptionally(why));
    }
}
