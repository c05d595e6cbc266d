package io.faultline.client.consume;

import io.faultline.client.consume.Flow.Place;
import io.faultline.client.protocol.FetchedRecords.Fetched;
import io.faultline.client.watchdog.Deadline;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.function.BooleanSupplier;
import java.util.regex.Pattern;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.OffsetCommitCallback;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.RecordDeserializationException;
import org.apache.kafka.common.errors.RecordDeserializationException.DeserializationExceptionOrigin;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.serialization.Deserializer;
import org.apache.kafka.common.utils.Utils;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The side of a consumer that runs on the thread of its caller: delivers what has come, has the application take part in
 * rebalances, and knows how far it has read. Used by one thread at a time.
 *
 * @param <K> the keys
 * @param <V> the values
 */
public final class PollingSide<K, V> {

    private static final Logger LOG = LoggerFactory.getLogger(PollingSide.class);

    /** How long giving up partitions waits for a last commit: the others of the group wait for it, too. */
    private static final Duration LAST_COMMIT = Duration.ofSeconds(5);

    private static final ConsumerRebalanceListener NOBODY = new ConsumerRebalanceListener() {
        @Override
        public void onPartitionsRevoked(Collection<TopicPartition> partitions) {
            // Nobody wants to know.
        }

        @Override
        public void onPartitionsAssigned(Collection<TopicPartition> partitions) {
            // Nobody wants to know.
        }
    };

    /** How the partitions come about. */
    private enum Kind {
        NONE,
        ASSIGNED,
        SUBSCRIBED
    }

    private final ConsumePipeline pipeline;
    private final ConsumeConfig config;
    private final Inbox inbox;
    private final Deserializer<K> keys;
    private final Deserializer<V> values;
    private final Executor callbacks;
    private final Map<TopicPartition, PolledPartition> partitions = new LinkedHashMap<>();
    private Kind kind = Kind.NONE;
    private Set<String> subscription = Set.of();
    private ConsumerRebalanceListener listener = NOBODY;
    private Generation generation = Generation.NONE;
    private Deadline nextAutoCommit;
    private RuntimeException listenerFailure;
    private boolean inPoll;

    /**
     * Makes the side of a new consumer.
     *
     * @param pipeline the other side
     * @param keys for keys
     * @param values for values
     * @param callbacks where callbacks of commits are called
     */
    public PollingSide(ConsumePipeline pipeline, Deserializer<K> keys, Deserializer<V> values, Executor callbacks) {
        this.pipeline = pipeline;
        this.config = pipeline.config();
        this.inbox = pipeline.inbox();
        this.keys = keys;
        this.values = values;
        this.callbacks = callbacks;
        this.nextAutoCommit = autoCommitLater();
    }

    private Deadline autoCommitLater() {
        return config.autoCommit()
                .map(interval -> Deadline.after(pipeline.now(), interval))
                .orElse(Deadline.NEVER);
    }

    /**
     * Takes certain partitions, of no group's choosing, in place of those before.
     *
     * @param wanted which
     */
    public void assign(Collection<TopicPartition> wanted) {
        requireNotOtherThan(Kind.ASSIGNED);
        kind = Kind.ASSIGNED;
        autoCommitNow();
        List<Flow> stopped = new ArrayList<>();
        List<Flow> started = new ArrayList<>();
        for (TopicPartition partition : List.copyOf(partitions.keySet())) {
            if (!wanted.contains(partition)) {
                stopped.add(remove(partition));
            }
        }
        for (TopicPartition partition : new LinkedHashSet<>(wanted)) {
            if (!partitions.containsKey(partition)) {
                started.add(add(partition));
            }
        }
        pipeline.assign(started, stopped);
    }

    /**
     * Wants partitions of topics, as the group shares them out.
     *
     * @param topics which; none is as {@link #unsubscribe}
     * @param told of what comes and goes; null for nobody
     */
    public void subscribe(Collection<String> topics, ConsumerRebalanceListener told) {
        if (topics.isEmpty()) {
            unsubscribe();
            return;
        }
        requireNotOtherThan(Kind.SUBSCRIBED);
        pipeline.subscribe(Set.copyOf(topics));
        kind = Kind.SUBSCRIBED;
        listener = told == null ? NOBODY : told;
        subscription = Set.copyOf(topics);
    }

    /**
     * Wants partitions of all topics whose names match.
     *
     * @param names which
     * @param told of what comes and goes; null for nobody
     */
    public void subscribe(Pattern names, ConsumerRebalanceListener told) {
        requireNotOtherThan(Kind.SUBSCRIBED);
        pipeline.subscribe(names);
        kind = Kind.SUBSCRIBED;
        listener = told == null ? NOBODY : told;
        subscription = Set.of();
    }

    private void requireNotOtherThan(Kind wanted) {
        if (kind != Kind.NONE && kind != wanted) {
            throw new IllegalStateException(
                    "subscribing to topics and assigning partitions exclude each other; unsubscribe first");
        }
    }

    /** Gives everything up, and leaves the group. */
    public void unsubscribe() {
        giveUpAll(LAST_COMMIT);
        await(pipeline.leave(LAST_COMMIT), Deadline.after(pipeline.now(), LAST_COMMIT));
        kind = Kind.NONE;
        subscription = Set.of();
        listener = NOBODY;
        throwListenerFailure();
    }

    /** Before leaving: commits, if that is automatic, and tells the application. */
    private void giveUpAll(Duration lastCommit) {
        boolean confirmed = pipeline.isConfirmed() && !anyEnded();
        if (confirmed) {
            commitBeforeGivingUp(lastCommit);
        }
        Set<TopicPartition> all = assignment();
        if (kind == Kind.SUBSCRIBED && !all.isEmpty()) {
            tell(() -> {
                if (confirmed) {
                    listener.onPartitionsRevoked(all);
                } else {
                    listener.onPartitionsLost(all);
                }
            });
        }
        List<Flow> stopped = removeAll(all);
        pipeline.assign(List.of(), stopped);
        generation = Generation.NONE;
    }

    private boolean anyEnded() {
        return partitions.values().stream()
                .anyMatch(partition -> partition.flow().isEnded());
    }

    private List<Flow> removeAll(Collection<TopicPartition> some) {
        return some.stream().map(this::remove).toList();
    }

    private Flow add(TopicPartition partition) {
        Flow flow = new Flow(partition);
        partitions.put(partition, new PolledPartition(flow));
        return flow;
    }

    private Flow remove(TopicPartition partition) {
        PolledPartition removed = partitions.remove(partition);
        removed.end();
        return removed.flow();
    }

    /**
     * The partitions that there are.
     *
     * @return a copy
     */
    public Set<TopicPartition> assignment() {
        return new HashSet<>(partitions.keySet());
    }

    /**
     * The topics that are subscribed to.
     *
     * @return their names; empty with a pattern or an assignment
     */
    public Set<String> subscription() {
        return subscription;
    }

    /**
     * Delivers what has come, or waits for it.
     *
     * @param timeout how long at most
     * @return the records; empty if nothing came
     */
    public ConsumerRecords<K, V> poll(Duration timeout) {
        if (kind == Kind.NONE) {
            throw new IllegalStateException("neither subscribed to topics nor assigned partitions");
        }
        Deadline deadline = Deadline.after(pipeline.now(), timeout);
        inPoll = true;
        try {
            while (true) {
                pipeline.polled();
                inbox.throwFailure();
                inbox.throwIfWoken();
                takeItems();
                inbox.takeStep().ifPresent(this::take);
                throwListenerFailure();
                autoCommitIfDue();
                boolean confirmed = pipeline.isConfirmed();
                ConsumerRecords<K, V> records = deliver();
                long left = deadline.remaining(pipeline.now());
                if (!records.isEmpty() || left <= 0) {
                    return records;
                }
                awaitSomething(!confirmed, Math.min(left, nextAutoCommit.remaining(pipeline.now())));
            }
        } finally {
            inPoll = false;
        }
    }

    /** What is held back while the membership is not confirmed can be delivered as soon as it is. */
    private void awaitSomething(boolean heldBack, long nanos) {
        waiting(() -> inbox.await(() -> heldBack && pipeline.isConfirmed(), nanos));
    }

    private interface Wait {
        void forIt() throws InterruptedException;
    }

    /** In a poll the application is alive while it waits, but not while its own code runs. */
    private void waiting(Wait wait) {
        if (inPoll) {
            pipeline.waiting(true);
        }
        try {
            wait.forIt();
        } catch (InterruptedException interrupted) {
            throw new InterruptException(interrupted);
        } finally {
            if (inPoll) {
                pipeline.waiting(false);
            }
        }
    }

    /** Takes what the loop has, but for a step of a rebalance, which belongs into a poll. */
    private void takeItems() {
        Inbox.Item item = inbox.take();
        while (item != null) {
            if (item instanceof Chunk chunk) {
                of(chunk.flow()).ifPresentOrElse(partition -> partition.add(chunk), chunk::close);
            } else if (item instanceof Inbox.PositionFound found) {
                of(found.flow()).ifPresent(partition -> partition.found(found));
            } else if (item instanceof Inbox.Truncated truncation) {
                of(truncation.flow())
                        .ifPresent(partition -> partition.after(truncation).ifPresent(place -> seek(partition, place)));
            } else if (item instanceof Inbox.NoPosition missing) {
                throwUnlessMoved(missing);
            } else if (item instanceof Inbox.Trouble trouble) {
                throw trouble.exception();
            }
            item = inbox.take();
        }
    }

    private void throwUnlessMoved(Inbox.NoPosition missing) {
        if (of(missing.flow())
                .filter(partition -> partition.isAfter(missing.seeks()))
                .isPresent()) {
            throw missing.exception();
        }
    }

    private Optional<PolledPartition> of(Flow flow) {
        return Optional.ofNullable(partitions.get(flow.partition())).filter(partition -> partition.flow() == flow);
    }

    private void take(Step step) {
        if (step instanceof Step.Prepare prepare) {
            prepare(prepare);
        } else if (step instanceof Step.Lost lost) {
            lost(lost);
        } else if (step instanceof Step.Assigned assigned) {
            assigned(assigned);
        }
    }

    private void prepare(Step.Prepare step) {
        commitBeforeGivingUp(LAST_COMMIT);
        List<Flow> stopped = List.of();
        if (step.giveUp() && !partitions.isEmpty()) {
            Set<TopicPartition> all = assignment();
            tell(() -> listener.onPartitionsRevoked(all));
            stopped = removeAll(all);
        }
        pipeline.prepared(step.number(), assignment(), stopped);
    }

    private void lost(Step.Lost step) {
        Set<TopicPartition> all = assignment();
        if (!all.isEmpty()) {
            tell(() -> listener.onPartitionsLost(all));
        }
        List<Flow> stopped = removeAll(all);
        generation = Generation.NONE;
        pipeline.prepared(step.number(), Set.of(), stopped);
    }

    private void assigned(Step.Assigned step) {
        // What goes was claimed when the group rebalanced, and is given to nobody before this member joins without it:
        // until
        // then it may be committed, in the new generation.
        generation = step.generation();
        Set<TopicPartition> revoked = assignment();
        revoked.removeAll(step.partitions());
        List<Flow> stopped = List.of();
        if (!revoked.isEmpty()) {
            commitBeforeGivingUp(LAST_COMMIT);
            tell(() -> listener.onPartitionsRevoked(revoked));
            stopped = removeAll(revoked);
        }
        List<Flow> started = new ArrayList<>();
        Set<TopicPartition> added = new HashSet<>(step.partitions());
        added.removeAll(partitions.keySet());
        added.forEach(partition -> started.add(add(partition)));
        boolean again = pipeline.isCooperative() && !revoked.isEmpty();
        pipeline.taken(step.number(), assignment(), started, stopped, again);
        tell(() -> listener.onPartitionsAssigned(added));
    }

    /** Whatever the application throws, the rebalance goes on; the poll throws it afterwards. */
    private void tell(Runnable call) {
        try {
            call.run();
        } catch (RuntimeException failure) {
            LOG.warn("A rebalance listener failed", failure);
            if (listenerFailure == null) {
                listenerFailure = failure;
            }
        }
    }

    private void throwListenerFailure() {
        RuntimeException failure = listenerFailure;
        listenerFailure = null;
        if (failure != null) {
            throw failure instanceof KafkaException known
                    ? known
                    : new KafkaException("a rebalance listener failed", failure);
        }
    }

    private ConsumerRecords<K, V> deliver() {
        if (!pipeline.isConfirmed()) {
            return ConsumerRecords.empty();
        }
        Map<TopicPartition, List<ConsumerRecord<K, V>>> records = new HashMap<>();
        Map<TopicPartition, OffsetAndMetadata> next = new HashMap<>();
        int count = 0;
        for (Map.Entry<TopicPartition, PolledPartition> entry : List.copyOf(partitions.entrySet())) {
            if (count < config.maxPollRecords()) {
                List<ConsumerRecord<K, V>> some =
                        deliver(entry.getKey(), entry.getValue(), config.maxPollRecords() - count, count > 0);
                if (!some.isEmpty()) {
                    count += some.size();
                    records.put(entry.getKey(), some);
                    next.put(entry.getKey(), entry.getValue().toCommit());
                    partitions.remove(entry.getKey()); // behind the others: each has its turn
                    partitions.put(entry.getKey(), entry.getValue());
                }
            }
        }
        return records.isEmpty() ? ConsumerRecords.empty() : new ConsumerRecords<>(records, next);
    }

    private List<ConsumerRecord<K, V>> deliver(
            TopicPartition name, PolledPartition partition, int most, boolean others) {
        List<ConsumerRecord<K, V>> some = new ArrayList<>();
        try {
            while (some.size() < most
                    && !partition.isPaused()
                    && !partition.flow().isEnded()) {
                Fetched fetched = partition.peek(pipeline);
                if (fetched == null) {
                    break;
                }
                some.add(record(name, fetched));
                partition.delivered();
            }
        } catch (KafkaException unreadable) {
            if (some.isEmpty() && !others) {
                throw unreadable;
            }
            // What was read before is delivered first; the next poll meets the same again.
        }
        return some;
    }

    private ConsumerRecord<K, V> record(TopicPartition partition, Fetched fetched) {
        RecordHeaders headers = new RecordHeaders(fetched.headers());
        K key = read(keys, DeserializationExceptionOrigin.KEY, partition, fetched, headers, fetched.key());
        V value = read(values, DeserializationExceptionOrigin.VALUE, partition, fetched, headers, fetched.value());
        return new ConsumerRecord<>(
                partition.topic(),
                partition.partition(),
                fetched.offset(),
                fetched.timestamp(),
                fetched.timestampType(),
                size(fetched.key()),
                size(fetched.value()),
                key,
                value,
                headers,
                fetched.leaderEpoch());
    }

    private static int size(byte[] bytes) {
        return bytes == null ? ConsumerRecord.NULL_SIZE : bytes.length;
    }

    private static <T> T read(
            Deserializer<T> deserializer,
            DeserializationExceptionOrigin origin,
            TopicPartition partition,
            Fetched fetched,
            RecordHeaders headers,
            byte[] bytes) {
        try {
            return deserializer.deserialize(partition.topic(), headers, bytes);
        } catch (RuntimeException failure) {
            throw new RecordDeserializationException(
                    origin,
                    partition,
                    fetched.offset(),
                    fetched.timestamp(),
                    fetched.timestampType(),
                    Utils.wrapNullable(fetched.key()),
                    Utils.wrapNullable(fetched.value()),
                    headers,
                    "the " + origin + " of the record at offset " + fetched.offset() + " of " + partition
                            + " cannot be deserialized; seek past it to go on",
                    failure);
        }
    }

    /**
     * Goes to an offset.
     *
     * @param partition one of those that there are
     * @param offset where to
     * @param leaderEpoch of the record before; empty if not known
     */
    public void seek(TopicPartition partition, long offset, Optional<Integer> leaderEpoch) {
        if (offset < 0) {
            throw new IllegalArgumentException("offset " + offset + " of " + partition + " is negative");
        }
        seek(required(partition), new Place(offset, leaderEpoch));
    }

    private void seek(PolledPartition moved, Place to) {
        pipeline.seek(moved.flow(), moved.seek(to.offset(), to.epoch()), to);
    }

    /**
     * Goes to where a timestamp is.
     *
     * @param some of those that there are; all of them if empty
     * @param timestamp -1 for the end, -2 for the beginning
     */
    public void seekToTime(Collection<TopicPartition> some, long timestamp) {
        for (TopicPartition partition : some.isEmpty() ? assignment() : some) {
            PolledPartition moved = required(partition);
            pipeline.seekToTime(moved.flow(), moved.seek(-1, Optional.empty()), timestamp);
        }
    }

    private PolledPartition required(TopicPartition partition) {
        PolledPartition known = partitions.get(partition);
        if (known == null) {
            throw new IllegalStateException(partition + " is not assigned to this consumer");
        }
        return known;
    }

    /**
     * The offset of the next record to be delivered.
     *
     * @param partition one of those that there are
     * @param timeout how long to wait until it is known
     * @return the offset
     */
    public long position(TopicPartition partition, Duration timeout) {
        PolledPartition asked = required(partition);
        Deadline deadline = Deadline.after(pipeline.now(), timeout);
        while (asked.position() < 0) {
            inbox.throwFailure();
            inbox.throwIfWoken();
            takeItems();
            if (asked.position() < 0) {
                long left = deadline.remaining(pipeline.now());
                if (left <= 0) {
                    throw new TimeoutException("the position of " + partition + " was not found within " + timeout);
                }
                waiting(() -> inbox.awaitOnly(inbox::hasItems, true, left));
            }
        }
        return asked.position();
    }

    /**
     * Delivers nothing more of some partitions, or does again. What was fetched of them is kept.
     *
     * @param some of those that there are
     * @param paused whether to pause
     */
    public void pause(Collection<TopicPartition> some, boolean paused) {
        List<Flow> flows = new ArrayList<>();
        for (TopicPartition partition : some) {
            PolledPartition known = required(partition);
            known.paused(paused);
            flows.add(known.flow());
        }
        pipeline.pause(flows, paused);
    }

    /**
     * The partitions that are paused.
     *
     * @return a copy
     */
    public Set<TopicPartition> paused() {
        Set<TopicPartition> paused = new HashSet<>();
        partitions.forEach((name, partition) -> {
            if (partition.isPaused()) {
                paused.add(name);
            }
        });
        return paused;
    }

    /** All that was delivered by the last poll and those before. */
    private Map<TopicPartition, OffsetAndMetadata> delivered() {
        Map<TopicPartition, OffsetAndMetadata> offsets = new HashMap<>();
        partitions.forEach((name, partition) -> {
            if (partition.position() >= 0 && !partition.flow().isEnded()) {
                offsets.put(name, partition.toCommit());
            }
        });
        return offsets;
    }

    private void autoCommitIfDue() {
        if (nextAutoCommit.isDue(pipeline.now())) {
            autoCommitNow();
        }
    }

    private void autoCommitNow() {
        if (config.autoCommit().isPresent() && config.group().isPresent()) {
            nextAutoCommit = autoCommitLater();
            Map<TopicPartition, OffsetAndMetadata> offsets = delivered();
            if (!offsets.isEmpty()) {
                pipeline.commit(generation, offsets, Deadline.after(pipeline.now(), config.apiTimeout()))
                        .whenComplete((nothing, failure) -> {
                            if (failure != null) {
                                LOG.warn("An automatic commit of {} failed: {}", offsets, failure.toString());
                            }
                        });
            }
        }
    }

    private void commitBeforeGivingUp(Duration timeout) {
        if (config.autoCommit().isPresent() && config.group().isPresent()) {
            Map<TopicPartition, OffsetAndMetadata> offsets = delivered();
            if (!offsets.isEmpty()) {
                Deadline deadline = Deadline.after(pipeline.now(), timeout);
                try {
                    await(pipeline.commit(generation, offsets, deadline), deadline);
                } catch (KafkaException failure) {
                    LOG.warn("The last commit of {} failed: {}", offsets, failure.toString());
                }
            }
        }
    }

    /**
     * Commits, and waits until that is acknowledged.
     *
     * @param offsets what to commit; null for all that was delivered
     * @param timeout how long to wait
     */
    public void commitSync(Map<TopicPartition, OffsetAndMetadata> offsets, Duration timeout) {
        Map<TopicPartition, OffsetAndMetadata> what = offsets == null ? delivered() : Map.copyOf(offsets);
        if (!what.isEmpty()) {
            Deadline deadline = Deadline.after(pipeline.now(), timeout);
            awaitOrWake(pipeline.commit(generation, what, deadline), deadline);
        }
    }

    /**
     * Commits.
     *
     * @param offsets what to commit; null for all that was delivered
     * @param callback told what came of it, on the callback thread; null for nobody
     */
    public void commitAsync(Map<TopicPartition, OffsetAndMetadata> offsets, OffsetCommitCallback callback) {
        Map<TopicPartition, OffsetAndMetadata> what = offsets == null ? delivered() : Map.copyOf(offsets);
        CompletableFuture<Void> done = what.isEmpty()
                ? CompletableFuture.completedFuture(null)
                : pipeline.commit(generation, what, Deadline.after(pipeline.now(), config.apiTimeout()));
        if (callback != null) {
            done.whenComplete((nothing, failure) ->
                    callbacks.execute(() -> callback.onComplete(what, failure == null ? null : unwrapped(failure))));
        }
    }

    private static Exception unwrapped(Throwable failure) {
        Throwable cause =
                failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
        return cause instanceof Exception known ? known : new KafkaException(cause);
    }

    /**
     * What the group has committed.
     *
     * @param some of which partitions
     * @param timeout how long to wait
     * @return by partition; null for those of which nothing was committed
     */
    public Map<TopicPartition, OffsetAndMetadata> committed(Set<TopicPartition> some, Duration timeout) {
        Deadline deadline = Deadline.after(pipeline.now(), timeout);
        Map<TopicPartition, OffsetAndMetadata> found = awaitOrWake(pipeline.committed(some, deadline), deadline);
        Map<TopicPartition, OffsetAndMetadata> all = new HashMap<>();
        some.forEach(partition -> all.put(partition, found.get(partition)));
        return all;
    }

    /**
     * The offsets at a timestamp.
     *
     * @param some of which partitions
     * @param timestamp -1 for the end, -2 for the beginning
     * @param timeout how long to wait
     * @return by partition
     */
    public Map<TopicPartition, Long> offsets(Collection<TopicPartition> some, long timestamp, Duration timeout) {
        Map<TopicPartition, Long> timestamps = new HashMap<>();
        some.forEach(partition -> timestamps.put(partition, timestamp));
        Deadline deadline = Deadline.after(pipeline.now(), timeout);
        Map<TopicPartition, Long> offsets = new HashMap<>();
        awaitOrWake(pipeline.offsets(timestamps, deadline), deadline)
                .forEach((partition, place) -> offsets.put(partition, place.offset()));
        return offsets;
    }

    private <T> T awaitOrWake(CompletableFuture<T> future, Deadline deadline) {
        return await(future, deadline, true);
    }

    private <T> T await(CompletableFuture<T> future, Deadline deadline) {
        return await(future, deadline, false);
    }

    private <T> T await(CompletableFuture<T> future, Deadline deadline, boolean wakeable) {
        BooleanSupplier done = future::isDone;
        while (!done.getAsBoolean()) {
            inbox.throwFailure();
            if (wakeable) {
                inbox.throwIfWoken();
            }
            long left = deadline.remaining(pipeline.now());
            if (left <= 0) {
                throw new TimeoutException("no answer in time");
            }
            waiting(() -> inbox.awaitOnly(done, wakeable, left));
        }
        try {
            return future.join();
        } catch (CompletionException failure) {
            throw failure.getCause() instanceof KafkaException known ? known : new KafkaException(failure.getCause());
        }
    }

    /** Has a call that waits, or the next one, throw a {@link org.apache.kafka.common.errors.WakeupException}. Any thread. */
    public void wakeup() {
        inbox.wakeup();
    }

    /**
     * The generation that the partitions are of.
     *
     * @return {@link Generation#NONE} outside of a group
     */
    public Generation generation() {
        return generation;
    }

    /**
     * Before the end: commits if that is automatic, gives up all partitions, and leaves the group.
     *
     * @param timeout how long that may take
     */
    public void close(Duration timeout) {
        Deadline deadline = Deadline.after(pipeline.now(), timeout);
        if (inbox.failure() != null) {
            giveUpWithoutLoop();
            return;
        }
        giveUpAll(timeout);
        Duration left = Duration.ofNanos(deadline.remaining(pipeline.now()));
        try {
            await(pipeline.leave(left), deadline);
        } catch (KafkaException late) {
            LOG.warn("The group was left without an answer: {}", late.toString());
        }
        throwListenerFailure();
    }

    private void giveUpWithoutLoop() {
        Set<TopicPartition> all = assignment();
        if (kind == Kind.SUBSCRIBED && !all.isEmpty()) {
            tell(() -> listener.onPartitionsLost(all));
        }
        removeAll(all);
        throwListenerFailure();
    }
}
