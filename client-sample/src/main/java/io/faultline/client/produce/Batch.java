package io.faultline.client.produce;

import io.faultline.client.protocol.BatchBuilder;
import io.faultline.client.protocol.BatchHeader;
import io.faultline.client.protocol.ProducerStamp;
import io.faultline.client.protocol.RecordReader;
import io.faultline.client.spool.SpoolEntry;
import io.faultline.client.watchdog.Deadline;
import io.faultline.client.watchdog.Timer;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.header.Header;

/**
 * Records of one partition that are sent together.
 *
 * <p>Until it is {@linkplain #seal sealed} it grows, under the lock of its queue; from then on the loop has it. Its records may
 * be settled by any thread at any time, and by whichever comes first. Its memory goes back when two things are true: its
 * records are settled, and nobody writes its bytes to a socket.
 */
final class Batch {

    private final TopicPartition partition;
    private final int size;
    private final MemoryLimit limit;
    private final BatchBuffers buffers;
    private final long createdAt;
    private final Duration deliveryTimeout;
    private final AtomicBoolean settled = new AtomicBoolean();
    private final CompletableFuture<Void> done = new CompletableFuture<>();
    private ByteBuffer buffer; // to be given back; null when it was
    private BatchBuilder builder;
    private volatile RecordDelivery first;
    private RecordDelivery last;
    private int count;
    private volatile long lastAppendAt;
    private int memory;

    /** The delivery behind the last one; null but in a part of a batch that was split. */
    private RecordDelivery end;

    // What follows belongs to the loop.
    private ByteBuffer bytes;
    private ProducerStamp stamp = ProducerStamp.NONE;
    private Timer deliveryWatchdog;
    private int writes;
    private int attempts;
    private long ordinal; // its place in the order of first sending
    private int rank; // and of a part within what was split
    private boolean inDoubt;
    private boolean memoryGiven;
    private SpoolEntry entry; // null as long as it is in memory
    private boolean storing;
    private Deadline retention;
    private boolean foreign;
    private Recovery recovery;

    /** Hears what becomes of a batch whose records were sent by an earlier producer. */
    interface Recovery {
        void acked(long baseOffset);

        void failed(Exception cause);
    }

    Batch(
            TopicPartition partition,
            int size,
            Compression compression,
            MemoryLimit limit,
            BatchBuffers buffers,
            long createdAt,
            Duration deliveryTimeout) {
        this.partition = partition;
        this.buffers = buffers;
        this.buffer = buffers.take(size);
        this.builder = new BatchBuilder(buffer, compression);
        this.size = size;
        this.memory = size;
        this.limit = limit;
        this.createdAt = createdAt;
        this.deliveryTimeout = deliveryTimeout;
        this.lastAppendAt = createdAt;
    }

    /** One that an earlier producer left in the spool. */
    Batch(SpoolEntry entry, Deadline retention, long now, Recovery recovery) {
        this.partition = entry.partition();
        this.size = entry.size();
        this.limit = null;
        this.buffers = null;
        this.memoryGiven = true;
        this.createdAt = now;
        this.deliveryTimeout = Duration.ZERO;
        this.lastAppendAt = now;
        this.count = entry.count();
        this.entry = entry;
        this.retention = retention;
        this.recovery = recovery;
    }

    TopicPartition partition() {
        return partition;
    }

    /** Says whether its bytes are in the spool, and no more in memory. */
    boolean isSpooled() {
        return entry != null;
    }

    SpoolEntry entry() {
        return entry;
    }

    /** Its bytes are being written to the spool, so that it must stay what it is. */
    void storing(boolean begins) {
        storing = begins;
    }

    boolean isStoring() {
        return storing;
    }

    /**
     * It is in the spool now: its records are accepted, and its memory is free as soon as no socket reads it any more.
     *
     * @param where it is
     * @param until by when its records have to be settled now
     */
    void stored(SpoolEntry where, Deadline until) {
        entry = where;
        retention = until;
        bytes = null;
        for (RecordDelivery record = first; record != end; record = record.next()) {
            record.accept();
        }
        giveMemoryIfFree();
    }

    /** Says whether it was sent to a log that is not there any more, so that nothing can be found out there. */
    boolean isForeign() {
        return foreign;
    }

    void setForeign() {
        foreign = true;
    }

    long createdAt() {
        return createdAt;
    }

    /**
     * By when its records have to be settled: {@code delivery.timeout.ms} from the last of them, which moves while it grows; once
     * it is in the spool, {@code spool.retention.ms}.
     */
    Deadline deadline() {
        return retention != null ? retention : Deadline.after(lastAppendAt, deliveryTimeout);
    }

    int count() {
        return count;
    }

    boolean hasRoomFor(long timestamp, byte[] key, byte[] value, Header[] headers) {
        return builder.hasRoomFor(timestamp, key, value, headers);
    }

    boolean isFull() {
        return builder.isFull();
    }

    void append(RecordDelivery delivery, long now, byte[] key, byte[] value, Header[] headers) {
        lastAppendAt = now;
        builder.append(delivery.timestamp(), key, value, headers);
        add(delivery);
    }

    private void add(RecordDelivery delivery) {
        if (last == null) {
            first = delivery;
        } else {
            last.setNext(delivery);
        }
        last = delivery;
        count++;
    }

    /** Ends its growth, and gives back memory that it did not need. */
    void seal() {
        if (builder != null) {
            bytes = builder.build();
            builder = null;
            int unused = memory - bytes.remaining();
            if (unused > memory / 2) {
                bytes = ByteBuffer.allocate(bytes.remaining()).put(bytes).flip();
                memory -= unused;
                giveBuffer();
                limit.give(unused);
            }
        }
    }

    boolean isSealed() {
        return builder == null;
    }

    /** The record batch. */
    ByteBuffer bytes() {
        return bytes.duplicate();
    }

    int size() {
        return isSpooled() ? entry.size() : bytes.remaining();
    }

    /** How large it is, or is known not to exceed while it may still grow. */
    int sizeBound() {
        return isSealed() ? size() : size;
    }

    /** Says whether its records were sent for the first time before those of another batch of the partition. */
    boolean isBefore(Batch other) {
        return ordinal != other.ordinal ? ordinal < other.ordinal : rank < other.rank;
    }

    void setOrdinal(long place) {
        ordinal = place;
    }

    RecordDelivery firstDelivery() {
        return first;
    }

    ProducerStamp stamp() {
        return stamp;
    }

    boolean hasStamp() {
        return stamp != ProducerStamp.NONE;
    }

    /** The sequence behind its last record. */
    int endSequence() {
        return ProducerStamp.advance(stamp.baseSequence(), count);
    }

    /** Says by what the broker is to recognise it. Nobody may be writing it. */
    void stamp(ProducerStamp as) {
        stamp = as;
        if (isSpooled()) {
            return; // its header is made for each attempt
        }
        if (writes > 0) {
            throw new IllegalStateException("it is being written");
        }
        BatchHeader.stamp(bytes, as);
    }

    void watchedBy(Timer delivery) {
        if (deliveryWatchdog != null) {
            deliveryWatchdog.disarm();
        }
        deliveryWatchdog = delivery;
    }

    /**
     * Divides it in two. Its memory goes over to the halves; its deliveries do so, too, but go on being its own.
     *
     * @return batches with half of its records each, in their order
     */
    List<Batch> split(ProduceConfig config) {
        int half = (count + 1) / 2;
        int memoryOfFirst = memory / 2;
        Batch front = half(config, memoryOfFirst);
        Batch back = half(config, memory - memoryOfFirst);
        RecordDelivery[] delivery = {first};
        RecordReader.forEach(bytes, (timestamp, key, value, headers) -> {
            Batch part = front.count < half ? front : back;
            part.builder.append(timestamp, key, value, headers);
            part.adopt(delivery[0]);
            delivery[0] = delivery[0].next();
        });
        front.ordinal = ordinal;
        front.rank = rank;
        back.ordinal = ordinal;
        back.rank = rank + half;
        front.end = back.first;
        back.end = end;
        front.seal();
        back.seal();
        memoryGiven = true;
        if (deliveryWatchdog != null) {
            deliveryWatchdog.disarm();
        }
        CompletableFuture.allOf(front.done, back.done).whenComplete((none, failure) -> {
            if (failure == null) {
                done.complete(null);
            } else {
                done.completeExceptionally(failure);
            }
        });
        return List.of(front, back);
    }

    /** Takes over a delivery that goes on hanging together with those of the other parts. */
    private void adopt(RecordDelivery delivery) {
        if (first == null) {
            first = delivery;
        }
        count++;
    }

    private Batch half(ProduceConfig config, int memoryOfHalf) {
        Batch part =
                new Batch(partition, memoryOfHalf, config.compression(), limit, buffers, createdAt, deliveryTimeout);
        part.lastAppendAt = lastAppendAt;
        return part;
    }

    int attempts() {
        return attempts;
    }

    void writeBegins() {
        writes++;
        attempts++;
    }

    void writeEnded() {
        writes--;
        giveMemoryIfFree();
    }

    /** Says whether an attempt to send it ended with nobody knowing whether it is in the log. */
    boolean isInDoubt() {
        return inDoubt;
    }

    void setInDoubt(boolean doubt) {
        inDoubt = doubt;
    }

    boolean isSettled() {
        return settled.get();
    }

    /** Completes, on any thread, when the records are settled. Nothing of the user hangs on it. */
    CompletableFuture<Void> done() {
        return done;
    }

    /**
     * Settles all records that are not.
     *
     * @param baseOffset of the first record, -1 if it is not known
     * @param appendTime of the broker, -1 for that of each record
     */
    void ack(long baseOffset, long appendTime) {
        int index = 0;
        for (RecordDelivery record = first; record != end; record = record.next()) {
            long timestamp = appendTime >= 0 ? appendTime : record.timestamp();
            record.ack(
                    new RecordMetadata(partition, baseOffset, index, timestamp, record.keySize(), record.valueSize()));
            index++;
        }
        RecordDelivery.tellAll(first, end);
        if (recovery != null && !settled.get()) {
            recovery.acked(baseOffset);
        }
        settledOnLoop();
        done.complete(null);
    }

    /** Gives up all records that are not settled. */
    void fail(Exception cause) {
        if (recovery != null && !settled.get()) {
            recovery.failed(cause);
        }
        failRecords(cause);
        settledOnLoop();
        done.completeExceptionally(cause);
    }

    /** On whatever thread: gives up all records that are not settled, and touches nothing of the loop's. */
    void failRecords(Exception cause) {
        for (RecordDelivery record = first; record != end; record = record.next()) {
            record.giveUp(cause);
        }
        if (settled.compareAndSet(false, true)) {
            done.completeExceptionally(cause);
        }
        // Whoever hears of it and flushes must not be told of it again.
        RecordDelivery.tellAll(first, end);
    }

    private void settledOnLoop() {
        settled.set(true);
        if (deliveryWatchdog != null) {
            deliveryWatchdog.disarm();
        }
        giveMemoryIfFree();
    }

    /** Nobody wants it: another one was begun meanwhile. */
    void giveUp() {
        memoryGiven = true;
        giveBuffer();
        limit.give(memory);
    }

    private void giveMemoryIfFree() {
        if ((settled.get() || isSpooled()) && writes == 0 && !memoryGiven) {
            memoryGiven = true;
            giveBuffer();
            limit.give(memory);
        }
    }

    private void giveBuffer() {
        if (buffer != null) {
            buffers.give(buffer);
            buffer = null;
        }
    }
}
