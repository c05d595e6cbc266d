package io.faultline.client.produce;

import io.faultline.client.loop.Callbacks;
import io.faultline.client.loop.EventLoop;
import io.faultline.client.metadata.ClusterView;
import io.faultline.client.metadata.Metadata;
import io.faultline.client.metadata.MetadataListener;
import io.faultline.client.network.Backoff;
import io.faultline.client.network.CallFailure;
import io.faultline.client.network.Network;
import io.faultline.client.network.PeerId;
import io.faultline.client.network.PeerId.Role;
import io.faultline.client.network.PeerListener;
import io.faultline.client.watchdog.Deadline;
import io.faultline.client.watchdog.Timer;
import io.faultline.client.watchdog.Watchdog;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.random.RandomGenerator;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.errors.InvalidMetadataException;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.message.ProduceResponseData.PartitionProduceResponse;
import org.apache.kafka.common.protocol.Errors;

/**
 * Sends what callers have put into the {@link Accumulator} to the leaders, and sees to it that every batch is settled by its
 * deadline. On the loop.
 */
final class Sender implements PeerListener, MetadataListener, ProduceCall.Listener {

    private final EventLoop loop;
    private final Network network;
    private final Metadata metadata;
    private final ProduceConfig config;
    private final Accumulator accumulator;
    private final Callbacks callbacks;
    private final Backoff backoff;
    private final ProducerIds ids;
    private final Map<TopicPartition, PartitionSender> partitions = new HashMap<>();
    private final Set<PartitionSender> active = new LinkedHashSet<>(); // who was served longest ago, in front
    private final Map<PeerId, Integer> requests = new HashMap<>(); // in flight, by leader
    private final Spooler spooler; // null without a spool
    private ProducerIdentity identity;
    private int flushes;
    private boolean pumpPlanned;
    private Timer linger;

    Sender(
            EventLoop loop,
            Network network,
            Metadata metadata,
            ProduceConfig config,
            Accumulator accumulator,
            SpoolSide spool,
            Callbacks callbacks,
            RandomGenerator random) {
        this.loop = loop;
        this.network = network;
        this.metadata = metadata;
        this.config = config;
        this.accumulator = accumulator;
        this.callbacks = callbacks;
        this.backoff = new Backoff(config.retryBackoff(), config.retryBackoffMax(), random);
        this.ids = new ProducerIds(loop, network, config.requestTimeout(), backoff, this::identified, this::refusedAll);
        this.spooler = spool == null ? null : new Spooler(loop, metadata, config, accumulator, spool, this);
        network.listen(this);
        metadata.listen(this);
    }

    /** A batch was begun: from now on its deadline is kept. */
    void begun(Batch batch) {
        if (!batch.isSettled()) {
            batch.watchedBy(loop.watchdogs()
                    .arm(Watchdog.DELIVERY, "a batch for " + batch.partition(), batch::deadline, () -> expired(batch)));
            metadata.want(batch.partition().topic());
        }
        filled(batch.partition());
    }

    /** An earlier producer has left something in the spool. */
    void recover() {
        if (spooler != null) {
            spooler.recover();
        }
    }

    /** A caller waits for memory. */
    void noMemory() {
        if (spooler != null) {
            planPump();
        }
    }

    /** There is something to send. */
    void filled(TopicPartition partition) {
        active.add(partition(partition));
        planPump();
    }

    PartitionSender partition(TopicPartition partition) {
        return partitions.computeIfAbsent(partition, same -> {
            PartitionSender made = new PartitionSender(partition, accumulator.queue(partition), config);
            metadata.view().topic(partition.topic()).ifPresent(topic -> made.topicIs(topic.id()));
            return made;
        });
    }

    void expired(Batch batch) {
        partition(batch.partition())
                .expired(
                        batch,
                        new TimeoutException(
                                batch.count() + " records for " + batch.partition() + " were not acked within "
                                        + (batch.isSpooled() ? "spool.retention.ms" : timeout())
                                        + "; whether they are in the log is not known"));
        settled(batch);
        planPump();
    }

    private String timeout() {
        return config.deliveryTimeout().toMillis() + " ms";
    }

    void settled(Batch batch) {
        accumulator.live().remove(batch);
        if (batch.isSpooled()) {
            spooler.settled(partition(batch.partition()), batch);
        }
    }

    /** Somebody waits for everything to be sent; until {@link #flushEnds} nothing lingers. */
    void flushBegins() {
        flushes++;
        pump();
    }

    void flushEnds() {
        flushes--;
    }

    /** Sends what can be sent, soon. */
    void planPump() {
        if (!pumpPlanned) {
            pumpPlanned = true;
            loop.execute(() -> {
                pumpPlanned = false;
                pump();
            });
        }
    }

    private void pump() {
        active.removeIf(PartitionSender::isIdle);
        Map<Integer, List<PartitionSender>> byLeader = new HashMap<>();
        boolean leaderless = false;
        for (PartitionSender each : active) {
            Optional<Integer> leader = metadata.view().leader(each.partition());
            if (leader.isPresent()) {
                byLeader.computeIfAbsent(leader.get(), id -> new ArrayList<>()).add(each);
            } else {
                leaderless = true;
            }
        }
        if (leaderless) {
            metadata.refresh();
        }
        byLeader.forEach(this::serve);
        if (spooler != null) {
            spooler.spill(active, this::isAway);
        }
        lingerOn();
    }

    private boolean isAway(PartitionSender partition) {
        return metadata.view()
                .leader(partition.partition())
                .filter(leader -> network.isReady(peer(leader, partition)))
                .isEmpty();
    }

    /** What lies in a file has a connection of its own, so that a disk that hangs holds up nothing else. */
    private static PeerId peer(int leader, PartitionSender partition) {
        return partition.sendsFromFile() ? PeerId.files(leader) : PeerId.broker(leader);
    }

    private void serve(int leader, List<PartitionSender> led) {
        Map<PeerId, List<PartitionSender>> byPeer = new HashMap<>();
        for (PartitionSender each : led) {
            byPeer.computeIfAbsent(peer(leader, each), id -> new ArrayList<>()).add(each);
        }
        byPeer.forEach(this::serve);
    }

    private void serve(PeerId peer, List<PartitionSender> led) {
        if (!network.isReady(peer)) {
            network.connect(peer);
            return;
        }
        for (PartitionSender each : led) {
            provide(peer, each);
        }
        while (requests.getOrDefault(peer, 0) < config.maxInFlight()) {
            List<Batch> batches = collect(peer, led);
            if (batches.isEmpty()) {
                return;
            }
            send(peer, batches);
        }
    }

    private void provide(PeerId leader, PartitionSender partition) {
        if (partition.isPaused() || partition.awaitsView()) {
            return;
        }
        switch (partition.need(identity)) {
            case PRODUCER_ID -> ids.want();
            case LOOK_UP -> lookUp(leader, partition);
            case STAMP -> spooler.stamp(partition, identity);
            default -> {
                // Nothing is in the way.
            }
        }
    }

    private List<Batch> collect(PeerId peer, List<PartitionSender> led) {
        List<Batch> batches = new ArrayList<>();
        int room = config.maxRequestSize();
        for (PartitionSender each : led) {
            if (!batches.isEmpty() && batches.get(0).isSpooled()) {
                break; // a file that cannot be sent is to cost one batch its attempt
            }
            Batch batch =
                    each.next(peer.number(), isFlushed(each), batches.isEmpty() ? Integer.MAX_VALUE : room, identity);
            if (batch != null) {
                batches.add(batch);
                room -= batch.size();
                active.remove(each);
                active.add(each);
            }
        }
        return batches;
    }

    /** Says whether the newest batch need not wait for more records. */
    private boolean isFlushed(PartitionSender partition) {
        return flushes > 0
                || accumulator.memory().hasWaiters()
                || lingerDeadline(partition).isDue(loop.now());
    }

    private Deadline lingerDeadline(PartitionSender partition) {
        Batch oldest = accumulator.queue(partition.partition()).oldest();
        return oldest == null ? Deadline.NEVER : Deadline.after(oldest.createdAt(), config.linger());
    }

    private void lingerOn() {
        long now = loop.now();
        Deadline next = Deadline.NEVER;
        for (PartitionSender each : active) {
            Deadline deadline = lingerDeadline(each);
            if (!deadline.isDue(now)) { // one that is due waits for something else
                next = next.earlier(deadline);
            }
        }
        if (linger != null) {
            linger.disarm();
            linger = null;
        }
        if (next != Deadline.NEVER) {
            linger = loop.watchdogs().schedule("more records for a batch", next, this::pump);
        }
    }

    private void send(PeerId peer, List<Batch> batches) {
        Map<String, Uuid> topicIds = new HashMap<>();
        for (Batch batch : batches) {
            topicIds.put(batch.partition().topic(), partition(batch.partition()).topicId());
        }
        requests.merge(peer, 1, Integer::sum);
        network.call(peer, new ProduceCall(peer, batches, topicIds, config, this).call());
    }

    private void lookUp(PeerId leader, PartitionSender partition) {
        partition.lookUpBegins();
        new LogLookup(
                        network,
                        leader,
                        config.requestTimeout(),
                        partition,
                        found -> {
                            List<Batch> undecided = partition.lookedUp(found.offsets(), found.end(), found.whole());
                            found.offsets().keySet().forEach(this::settled);
                            undecided.forEach(batch -> spooler.undecided(partition, batch));
                            planPump();
                        },
                        cause -> {
                            partition.lookUpFailed();
                            metadata.refresh();
                            pause(partition);
                        })
                .begin();
    }

    private void identified(ProducerIdentity fresh) {
        identity = fresh;
        pump();
    }

    /** Everything fails that is there, but for what is in the spool: the cluster will have none of it. */
    private void refusedAll(KafkaException cause) {
        for (PartitionSender each : List.copyOf(partitions.values())) {
            each.failMemory(cause);
        }
        accumulator.live().removeIf(Batch::isSettled);
    }

    /** Everything fails that is there. */
    private void failAll(KafkaException cause) {
        for (PartitionSender each : List.copyOf(partitions.values())) {
            each.failAll(cause);
        }
        accumulator.live().removeIf(Batch::isSettled);
    }

    /** The client is closed. */
    void close(KafkaException cause) {
        accumulator.live().forEach(batch -> partition(batch.partition()));
        if (spooler != null) {
            spooler.close();
        }
        failAll(cause);
        accumulator.live().forEach(batch -> batch.fail(cause)); // what is on its way into the spool
    }

    @Override
    public void onAnswering() {
        callbacks.expect();
    }

    @Override
    public void onAnswer(ProduceCall call, Batch batch, PartitionProduceResponse answer) {
        PartitionSender partition = partition(batch.partition());
        Errors error = Errors.forCode(answer.errorCode());
        switch (error) {
            case NONE -> partition.acked(batch, answer.baseOffset(), answer.logAppendTimeMs());
            case DUPLICATE_SEQUENCE_NUMBER -> partition.acked(batch, -1, -1);
            case OUT_OF_ORDER_SEQUENCE_NUMBER, UNKNOWN_PRODUCER_ID, INVALID_PRODUCER_EPOCH, PRODUCER_FENCED -> {
                partition.misnumbered(batch, error);
                pause(partition);
            }
            case MESSAGE_TOO_LARGE, RECORD_LIST_TOO_LARGE -> split(partition, batch, error);
            default -> failed(partition, batch, error, answer.errorMessage());
        }
        if (batch.isSettled()) {
            settled(batch);
        }
    }

    private void failed(PartitionSender partition, Batch batch, Errors error, String message) {
        KafkaException cause = message == null ? error.exception() : error.exception(message);
        if (cause instanceof InvalidMetadataException) {
            metadata.refresh();
        }
        if (cause instanceof RetriableException && batch.attempts() <= config.retries()) {
            partition.answeredWithError(batch, leavesDoubt(error));
            pause(partition);
        } else {
            partition.refused(batch, cause);
        }
    }

    /** Says whether a batch may be in the log although the broker answered with an error. */
    private static boolean leavesDoubt(Errors error) {
        return switch (error) {
            case REQUEST_TIMED_OUT, NOT_ENOUGH_REPLICAS_AFTER_APPEND, KAFKA_STORAGE_ERROR, NETWORK_EXCEPTION -> true;
            default -> false;
        };
    }

    private void split(PartitionSender partition, Batch batch, Errors error) {
        if (batch.count() == 1 || batch.isSettled() || batch.isSpooled() || batch.isStoring()) {
            partition.refused(batch, error.exception());
            return;
        }
        List<Batch> parts = batch.split(config);
        for (Batch part : parts) {
            accumulator.live().add(part);
            part.watchedBy(loop.watchdogs()
                    .arm(Watchdog.DELIVERY, "a batch for " + part.partition(), part::deadline, () -> expired(part)));
        }
        accumulator.live().remove(batch);
        partition.split(batch, parts);
        planPump();
    }

    @Override
    public void onUnanswered(ProduceCall call, Batch batch, CallFailure failure) {
        PartitionSender partition = partition(batch.partition());
        KafkaException cause = failure.asException();
        if (batch.isSpooled() && spooler.judges(partition, batch, failure)) {
            return;
        }
        boolean again = failure.reason() != CallFailure.Reason.CLOSED
                && failure.reason() != CallFailure.Reason.UNSUPPORTED_VERSION;
        if (again && batch.attempts() <= config.retries()) {
            partition.unanswered(batch, failure.inDoubt());
            metadata.refresh(); // the leader may be another one by now
            pause(partition);
        } else {
            partition.refused(batch, cause);
        }
        if (batch.isSettled()) {
            settled(batch);
        }
    }

    @Override
    public void onEnd(ProduceCall call) {
        requests.computeIfPresent(call.leader(), (leader, count) -> count == 1 ? null : count - 1);
        planPump();
    }

    void pause(PartitionSender partition) {
        if (!partition.isPaused()) {
            partition.paused(loop.watchdogs()
                    .arm(
                            Watchdog.RETRY_BACKOFF,
                            partition.partition().toString(),
                            loop.in(backoff.after(Math.max(1, partition.failures()))),
                            () -> {
                                partition.resumed();
                                planPump();
                            }));
        }
    }

    @Override
    public void onReady(PeerId peer) {
        if (isOurs(peer)) {
            planPump();
        }
    }

    @Override
    public void onUnreachable(PeerId peer, Exception cause) {
        if (isOurs(peer) && wants(peer)) {
            metadata.refresh(); // another broker may lead by now
        }
        if (spooler != null) {
            planPump();
        }
    }

    @Override
    public boolean wants(PeerId peer) {
        return isOurs(peer)
                && active.stream()
                        .anyMatch(each -> metadata.view()
                                .leader(each.partition())
                                .filter(leader -> peer(leader, each).equals(peer))
                                .isPresent());
    }

    private static boolean isOurs(PeerId peer) {
        return peer.role() == Role.BROKER || peer.role() == Role.FILES;
    }

    @Override
    public void onView(ClusterView before, ClusterView now) {
        for (PartitionSender each : partitions.values()) {
            each.clusterIs(now.clusterId());
            now.topic(each.partition().topic()).ifPresent(topic -> each.topicIs(topic.id()));
        }
        planPump();
    }

    @Override
    public void onTopicError(String topic, Errors error) {
        // Callers who wait for the topic hear of it; its batches wait for a leader until their deadline.
    }

    @Override
    public void onFailure(Exception cause) {
        // Likewise.
    }
}
