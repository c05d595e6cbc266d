package io.faultline.client.produce;

import io.faultline.classifier.Classification;
import io.faultline.classifier.Verdict;
import io.faultline.client.loop.EventLoop;
import io.faultline.client.metadata.Metadata;
import io.faultline.client.network.CallFailure;
import io.faultline.client.network.FileSendException;
import io.faultline.client.protocol.FramePart.FileRegion;
import io.faultline.client.protocol.RecordReader;
import io.faultline.client.spool.Attempt;
import io.faultline.client.spool.Recovered;
import io.faultline.client.spool.RecoveredBatch;
import io.faultline.client.spool.RecoveryListener;
import io.faultline.client.spool.Spool;
import io.faultline.client.spool.SpoolEntry;
import io.faultline.client.spool.UndecidedException;
import io.faultline.client.spool.Unstored;
import io.faultline.client.spool.Verdicts;
import io.faultline.client.watchdog.Deadline;
import io.faultline.client.watchdog.Timer;
import io.faultline.client.watchdog.Watchdog;
import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.KafkaStorageException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Moves batches into the spool when they cannot wait in memory any longer, and sees to it that what has to be written down about
 * them is, before anything else happens in their partition. On the loop.
 */
final class Spooler {

    private static final Logger LOG = LoggerFactory.getLogger(Spooler.class);

    /** How long a verdict is waited for. A check that takes longer may hang with the disk. */
    private static final Duration VERDICT = Duration.ofSeconds(2);

    private static final Duration NEXT_TRY = Duration.ofSeconds(1);

    private final EventLoop loop;
    private final Metadata metadata;
    private final ProduceConfig config;
    private final Accumulator accumulator;
    private final SpoolSide side;
    private final Spool spool;
    private final Sender sender;
    private final Verdicts verdicts;
    private final Map<SpoolEntry, Batch> spooled = new LinkedHashMap<>();
    private Deadline nextTry = Deadline.after(Long.MIN_VALUE, Duration.ZERO);
    private Timer spillTimer;
    private boolean closed;

    Spooler(
            EventLoop loop,
            Metadata metadata,
            ProduceConfig config,
            Accumulator accumulator,
            SpoolSide side,
            Sender sender) {
        this.loop = loop;
        this.metadata = metadata;
        this.config = config;
        this.accumulator = accumulator;
        this.side = side;
        this.spool = side.spool();
        this.sender = sender;
        this.verdicts = new Verdicts(loop, spool, side.hooks().verdicts());
    }

    /**
     * Moves into the spool what cannot wait any longer: what its leader is away for while callers wait for memory; and, be the leader
     * there or not, that of which half of {@code delivery.timeout.ms} is over.
     *
     * @param active partitions with something to send
     * @param isAway whether there is no connection to the leader of a partition
     */
    void spill(Collection<PartitionSender> active, Predicate<PartitionSender> isAway) {
        if (spillTimer != null) {
            spillTimer.disarm();
            spillTimer = null;
        }
        long now = loop.now();
        boolean full = accumulator.memory().hasWaiters();
        Deadline next = Deadline.NEVER;
        for (PartitionSender each : List.copyOf(active)) {
            Deadline due = full && (isAway.test(each) || each.hasSpooled()) ? nextTry : due(each);
            if (!due.isDue(now)) {
                next = next.earlier(due);
            } else if (!nextTry.isDue(now) || !isSpilled(each)) {
                next = next.earlier(loop.in(NEXT_TRY));
            }
        }
        if (next != Deadline.NEVER) {
            spillTimer = loop.watchdogs().schedule("batches that go into the spool", next, sender::planPump);
        }
    }

    private Deadline due(PartitionSender partition) {
        Deadline first = Deadline.NEVER;
        for (Batch each : partition.spoolable()) {
            first = first.earlier(half(each));
        }
        Batch oldest = accumulator.queue(partition.partition()).oldest();
        return oldest == null ? first : first.earlier(half(oldest));
    }

    private Deadline half(Batch batch) {
        return Deadline.after(batch.createdAt(), config.deliveryTimeout().dividedBy(2));
    }

    /** Returns false if nothing went on its way now. */
    private boolean isSpilled(PartitionSender partition) {
        List<Batch> numbered = partition.spoolable();
        if (!numbered.isEmpty()) {
            return isNumberedSpilled(partition, numbered);
        }
        if (!partition.maySpoolQueue()) {
            return false;
        }
        PartitionQueue queue = accumulator.queue(partition.partition());
        List<Batch> taken = new ArrayList<>();
        long size = 0;
        for (Batch next = queue.oldest();
                next != null && spool.takes(taken.size() + 1, size + next.sizeBound());
                next = queue.oldest()) {
            taken.add(queue.take());
            size += next.size();
        }
        if (!taken.isEmpty()) {
            store(partition, taken, partition::spooled, queue::putBack);
        }
        return !taken.isEmpty();
    }

    /** All or none: they have their places in one row of numbers. */
    private boolean isNumberedSpilled(PartitionSender partition, List<Batch> numbered) {
        boolean room = spool.takes(
                numbered.size(), numbered.stream().mapToLong(Batch::size).sum());
        if (room) {
            store(partition, numbered, stored -> partition.numberedSpooled(), refused -> {});
        }
        return room;
    }

    private void store(
            PartitionSender partition,
            List<Batch> batches,
            Consumer<List<Batch>> onStored,
            Consumer<List<Batch>> onRefused) {
        partition.hold();
        batches.forEach(batch -> batch.storing(true));
        List<Unstored> unstored = batches.stream()
                .map(batch -> new Unstored(
                        batch.partition(),
                        batch.count(),
                        batch.bytes(),
                        batch.hasStamp() ? attempt(partition, batch) : null))
                .toList();
        spool.store(
                unstored,
                entries -> {
                    endStoring(partition, batches);
                    for (int index = 0; index < entries.size(); index++) {
                        isStored(batches.get(index), entries.get(index));
                    }
                    onStored.accept(
                            batches.stream().filter(batch -> !batch.isSettled()).toList());
                    sender.planPump();
                },
                failure -> {
                    endStoring(partition, batches);
                    onRefused.accept(
                            batches.stream().filter(batch -> !batch.isSettled()).toList());
                    nextTry = loop.in(NEXT_TRY);
                    if (failure != null) {
                        LOG.warn(
                                "Batches for {} stay in memory: the spool does not take them",
                                partition.partition(),
                                failure);
                    }
                    sender.planPump();
                });
    }

    private static void endStoring(PartitionSender partition, List<Batch> batches) {
        partition.release();
        batches.forEach(batch -> batch.storing(false));
    }

    private void isStored(Batch batch, SpoolEntry entry) {
        add(batch, entry);
        boolean late = batch.isSettled();
        batch.stored(entry, Deadline.after(loop.now(), spool.config().retention()));
        if (late) {
            sender.settled(batch);
        } else {
            watch(batch); // its deadline may be an earlier one now
        }
    }

    private void watch(Batch batch) {
        batch.watchedBy(loop.watchdogs()
                .arm(
                        Watchdog.DELIVERY,
                        "a batch for " + batch.partition(),
                        batch::deadline,
                        () -> sender.expired(batch)));
    }

    private void add(Batch batch, SpoolEntry entry) {
        spooled.put(entry, batch);
        side.figures().added(entry);
    }

    private boolean isRemoved(Batch batch) {
        side.figures().removed(batch.entry());
        return spooled.remove(batch.entry()) != null;
    }

    private Attempt attempt(PartitionSender partition, Batch batch) {
        String cluster = metadata.view().clusterId();
        return new Attempt(cluster == null ? "" : cluster, partition.topicId(), batch.stamp(), partition.nextOffset());
    }

    /** Stamps the next batch of a partition, and writes that down before it is sent. */
    void stamp(PartitionSender partition, ProducerIdentity identity) {
        Batch batch = partition.stampNext(identity);
        if (batch == null) {
            return;
        }
        partition.hold();
        spool.stamp(
                batch.entry(),
                attempt(partition, batch),
                () -> {
                    partition.release();
                    partition.stamped(batch);
                    sender.planPump();
                },
                failure -> {
                    partition.release();
                    partition.notStamped(batch);
                    LOG.warn("A batch for {} waits: the spool cannot be written", partition.partition(), failure);
                    sender.pause(partition);
                });
    }

    /** A batch from the spool is acked or given up: that is written down before the next one is sent. */
    void settled(PartitionSender partition, Batch batch) {
        if (!closed && isRemoved(batch)) {
            partition.hold();
            settle(partition, batch.entry());
        }
    }

    private void settle(PartitionSender partition, SpoolEntry entry) {
        spool.settle(entry, () -> released(partition), failure -> {
            LOG.warn("Batches for {} wait: the spool cannot be written", partition.partition(), failure);
            loop.watchdogs().schedule("writing to the spool again", loop.in(NEXT_TRY), () -> settle(partition, entry));
        });
    }

    private void released(PartitionSender partition) {
        partition.release();
        sender.planPump();
    }

    /** It cannot be known any more whether a batch is in the log: it is kept, and never sent. */
    void undecided(PartitionSender partition, Batch batch) {
        if (!isRemoved(batch)) {
            return;
        }
        String why = batch.isForeign()
                ? "the log that it was sent to is not there any more"
                : "the leader does not know the producer, and has deleted a part of the log where it might be";
        accumulator.live().remove(batch);
        side.figures().undecided(batch.count());
        batch.fail(new UndecidedException(batch.count() + " records for " + batch.partition()
                + " may be in the log or not, and stay in the spool: " + why));
        partition.hold();
        writeUndecided(partition, batch.entry(), why);
    }

    private void writeUndecided(PartitionSender partition, SpoolEntry entry, String why) {
        spool.undecided(
                entry,
                why,
                () -> released(partition),
                failure -> loop.watchdogs()
                        .schedule(
                                "writing to the spool again",
                                loop.in(NEXT_TRY),
                                () -> writeUndecided(partition, entry, why)));
    }

    /**
     * Takes a failed attempt over if it was the transfer from the file that failed: who is to blame decides what becomes of the
     * batch.
     *
     * @return false if it was something else
     */
    boolean judges(PartitionSender partition, Batch batch, CallFailure failure) {
        if (!(failure.cause() instanceof FileSendException sending)
                || sending.getCause() instanceof ClosedChannelException
                || !isOf(batch.entry(), sending.region())) {
            return false;
        }
        partition.unanswered(batch, false); // a request that was cut off is none
        partition.hold();
        if (sending.target() == null) {
            unreadable(partition, batch.entry(), -1, sending);
        } else {
            verdicts.await(sending, VERDICT, verdict -> judged(partition, batch.entry(), verdict));
        }
        return true;
    }

    private static boolean isOf(SpoolEntry entry, FileRegion region) {
        return entry.overlaps(region.channel(), region.position(), region.position() + region.size());
    }

    private void judged(PartitionSender partition, SpoolEntry entry, Optional<Classification> verdict) {
        if (verdict.isEmpty()) {
            spool.read(entry, bytes -> released(partition), failure -> unreadable(partition, entry, -1, failure));
        } else if (verdict.get().verdict() == Verdict.DISK) {
            Classification disk = verdict.get();
            unreadable(partition, entry, disk.unreadablePosition(), disk.asException());
        } else {
            released(partition);
        }
    }

    /** A part of a segment cannot be read: what lies there fails at once, the rest moves elsewhere. */
    private void unreadable(PartitionSender partition, SpoolEntry entry, long position, IOException cause) {
        for (Map.Entry<SpoolEntry, Batch> each : List.copyOf(spooled.entrySet())) {
            boolean hit = position < 0 ? each.getKey() == entry : each.getKey().isAt(entry, position);
            if (hit) {
                lost(each.getValue(), cause);
            }
        }
        spool.setAside(
                entry,
                more -> {
                    more.forEach((other, failure) -> {
                        Batch batch = spooled.get(other);
                        if (batch != null) {
                            lost(batch, failure);
                        }
                    });
                    released(partition);
                },
                failure -> {
                    LOG.warn("A segment that is partly unreadable stays where it is", failure);
                    released(partition);
                });
    }

    private void lost(Batch batch, IOException cause) {
        sender.partition(batch.partition())
                .expired(
                        batch,
                        new KafkaStorageException(
                                batch.count() + " records for " + batch.partition() + " cannot be read from the spool",
                                cause));
        sender.settled(batch);
    }

    /** Takes over what an earlier producer left; before anything is sent. */
    void recover() {
        List<Recovered> open = new ArrayList<>();
        for (Recovered each : spool.recovered()) {
            if (each.undecided() != null) {
                side.figures().undecided(each.entry().count());
                tellUndecided(each.entry(), each.undecided());
            } else {
                open.add(each);
            }
        }
        if (!open.isEmpty()) {
            open.forEach(each -> sender.partition(each.entry().partition()).hold());
            spool.verify(open, this::verified);
        }
    }

    private void verified(List<Recovered> seen) {
        Map<TopicPartition, List<Recovered>> byPartition = new LinkedHashMap<>();
        for (Recovered each : seen) {
            byPartition
                    .computeIfAbsent(each.entry().partition(), same -> new ArrayList<>())
                    .add(each);
        }
        byPartition.forEach(this::restore);
    }

    private void restore(TopicPartition name, List<Recovered> found) {
        PartitionSender partition = sender.partition(name);
        Map<Batch, Attempt> attempted = new LinkedHashMap<>();
        List<Batch> unsent = new ArrayList<>();
        List<Batch> damaged = new ArrayList<>();
        for (Recovered each : found) {
            partition.release();
            Batch batch = batch(each);
            if (each.damage() != null) {
                damaged.add(batch);
                batch.fail(new KafkaStorageException(
                        batch.count() + " records for " + name + " cannot be read from the spool", each.damage()));
            } else if (each.attempt() != null) {
                attempted.put(batch, each.attempt());
            } else {
                unsent.add(batch);
            }
        }
        partition.restore(attempted, unsent);
        partition.clusterIs(metadata.view().clusterId());
        damaged.forEach(sender::settled);
        metadata.want(name.topic());
        sender.filled(name);
    }

    private Batch batch(Recovered found) {
        SpoolEntry entry = found.entry();
        long waited = Math.max(0, System.currentTimeMillis() - entry.acceptedAt());
        Duration left = spool.config().retention().minusMillis(waited);
        Batch batch = new Batch(
                entry, Deadline.after(loop.now(), left.isNegative() ? Duration.ZERO : left), loop.now(), report(entry));
        add(batch, entry);
        if (found.damage() == null) {
            accumulator.live().add(batch);
            watch(batch);
        }
        return batch;
    }

    private Batch.Recovery report(SpoolEntry entry) {
        RecoveryListener listener = side.hooks().recovery();
        RecoveredBatch batch = describe(entry);
        return new Batch.Recovery() {
            @Override
            public void acked(long baseOffset) {
                side.callbacks().execute(() -> listener.onDelivered(batch, baseOffset));
            }

            @Override
            public void failed(Exception cause) {
                if (cause instanceof UndecidedException) {
                    tellUndecided(entry, cause.getMessage());
                } else if (!closed) { // then it waits for the next start
                    side.callbacks().execute(() -> listener.onFailed(batch, cause));
                }
            }
        };
    }

    private static RecoveredBatch describe(SpoolEntry entry) {
        return new RecoveredBatch(entry.partition(), entry.count(), Instant.ofEpochMilli(entry.acceptedAt()));
    }

    private void tellUndecided(SpoolEntry entry, String why) {
        RecoveryListener listener = side.hooks().recovery();
        spool.read(
                entry,
                bytes -> {
                    List<ProducerRecord<byte[], byte[]>> records = new ArrayList<>();
                    RecordReader.forEach(
                            bytes,
                            (timestamp, key, value, headers) -> records.add(new ProducerRecord<>(
                                    entry.partition().topic(),
                                    entry.partition().partition(),
                                    timestamp,
                                    key,
                                    value,
                                    List.of(headers))));
                    side.callbacks().execute(() -> listener.onUndecided(describe(entry), why, records));
                },
                failure -> side.callbacks().execute(() -> listener.onUndecided(describe(entry), why, List.of())));
    }

    /** The client is closed; what is in the spool stays there for the next one. */
    void close() {
        closed = true;
        verdicts.close();
    }
}
