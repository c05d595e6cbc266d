package io.faultline.broker.log;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import org.apache.kafka.common.errors.NotLeaderOrFollowerException;

/** Moves partitions between log directories, one at a time. Safe for use by any thread. */
public final class PartitionMoves {

    private final Topics topics;
    private final Executor mover;
    private final Map<Partition, PartitionMove> moves = new ConcurrentHashMap<>();

    /**
     * Makes moves.
     *
     * @param topics the topics
     * @param mover runs one move after the other
     */
    public PartitionMoves(Topics topics, Executor mover) {
        this.topics = topics;
        this.mover = mover;
    }

    /**
     * Begins to move a partition. A move of it that is under way is given up, unless it goes to the same directory.
     *
     * @param topic the name of its topic
     * @param partition the partition, which is online
     * @param target where it goes; where it is already, nothing but that happens
     */
    public void move(String topic, Partition partition, LogDirectory target) {
        moves.compute(partition, (moving, before) -> {
            if (before != null && before.target() == target) {
                return before;
            }
            if (before != null) {
                before.cancel();
            }
            // One that is given up may have come to its end by then, and is taken back.
            return before == null && partition.directory() == target ? null : begin(topic, partition, target);
        });
    }

    private PartitionMove begin(String name, Partition partition, LogDirectory target) {
        PartitionMove move = new PartitionMove(
                partition,
                () -> topics.byName(name).orElseThrow(() -> new NotLeaderOrFollowerException(name + " is gone")),
                target,
                () -> topics.configureAgain(name));
        mover.execute(() -> {
            try {
                move.run();
            } finally {
                moves.remove(partition, move);
            }
        });
        return move;
    }

    /** Gives up every move that is under way. */
    public void cancelAll() {
        moves.values().forEach(PartitionMove::cancel);
    }
}
