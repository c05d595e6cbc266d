package io.faultline.client.consume;

import io.faultline.client.protocol.FetchedRecords.Fetched;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;

/** One partition as the thread that polls sees it: what has come of it, and how far it was delivered. */
final class PolledPartition {

    private final Flow flow;
    private final Deque<Chunk> chunks = new ArrayDeque<>();
    private Chunk reading;
    private Fetched next; // read ahead, and not delivered yet
    private int seeks;
    private boolean paused;
    private long position = -1;
    private Optional<Integer> epoch = Optional.empty();

    PolledPartition(Flow flow) {
        this.flow = flow;
    }

    Flow flow() {
        return flow;
    }

    boolean isPaused() {
        return paused;
    }

    void paused(boolean now) {
        paused = now;
    }

    /** The next offset to deliver; -1 while it is not known. */
    long position() {
        return position;
    }

    /** What to commit for everything that was delivered; only if the position is known. */
    OffsetAndMetadata toCommit() {
        return new OffsetAndMetadata(position, epoch, "");
    }

    /** Goes elsewhere; what has come is void. */
    int seek(long to, Optional<Integer> leaderEpoch) {
        clear();
        position = to;
        epoch = leaderEpoch;
        return ++seeks;
    }

    private void clear() {
        if (reading != null) {
            reading.close();
        }
        reading = null;
        next = null;
        chunks.forEach(Chunk::close);
        chunks.clear();
    }

    void found(Inbox.PositionFound found) {
        if (found.seeks() == seeks) {
            clear();
            position = found.place().offset();
            epoch = found.place().epoch();
        }
    }

    /** Whether it has not been moved elsewhere since. */
    boolean isAfter(int thatMany) {
        return seeks == thatMany;
    }

    /** Where it goes on in a log that was truncated; empty if that is of no concern any more. */
    Optional<Flow.Place> after(Inbox.Truncated truncation) {
        if (truncation.seeks() != seeks) {
            return Optional.empty();
        }
        boolean hasReadFurther = position > truncation.divergence().offset();
        return Optional.of(hasReadFurther ? truncation.divergence() : new Flow.Place(position, epoch));
    }

    void add(Chunk chunk) {
        if (chunk.seeks() == seeks) {
            chunks.add(chunk);
        } else {
            chunk.close();
        }
    }

    /**
     * The record that would be delivered next, which stays so until {@link #delivered}.
     *
     * @param pipeline is told when something that was buffered is begun
     * @return null if nothing has come
     */
    Fetched peek(ConsumePipeline pipeline) {
        while (next == null) {
            if (reading == null) {
                reading = chunks.poll();
                if (reading == null) {
                    return null;
                }
                pipeline.taken(reading);
            }
            next = reading.records().next();
            if (next == null) {
                finish();
            }
        }
        return next;
    }

    /** Behind the last batch, of which the last records may have been none to deliver. */
    private void finish() {
        position = reading.records().nextOffset();
        epoch = reading.records().lastEpoch();
        reading.close();
        reading = null;
    }

    void delivered() {
        position = next.offset() + 1;
        epoch = next.leaderEpoch();
        next = null;
    }

    /** It was taken away. */
    void end() {
        clear();
    }
}
