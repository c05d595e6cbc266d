package io.faultline.broker.api;

import io.faultline.broker.log.Log;
import org.apache.kafka.common.errors.FencedLeaderEpochException;
import org.apache.kafka.common.errors.UnknownLeaderEpochException;

/** The check of the leader epoch that a client believes in. */
final class LeaderEpochs {

    private LeaderEpochs() {}

    /** Refuses an epoch that is not the current one; a negative one means that the client does not know. */
    static void check(int epoch, Log log) {
        int current = log.leaderEpoch();
        if (epoch > current) {
            throw new UnknownLeaderEpochException("leader epoch " + epoch + " is unknown; the current is " + current);
        }
        if (epoch >= 0 && epoch < current) {
            throw new FencedLeaderEpochException("leader epoch " + epoch + " is over; the current is " + current);
        }
    }
}
