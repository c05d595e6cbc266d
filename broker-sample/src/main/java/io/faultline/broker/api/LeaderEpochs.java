package io.faultline.broker.api;

import io.faultline.broker.log.Log;
import org.apache.kafka.common.errors.UnknownLeaderEpochException;

/** The check of the leader epoch that a client believes in. */
final class LeaderEpochs {

    private LeaderEpochs() {}

    /** Refuses an epoch that has not begun; a negative one means that the client does not know. */
    static void check(int epoch) {
        if (epoch > Log.LEADER_EPOCH) {
            throw new UnknownLeaderEpochException("leader epoch " + epoch + " is unknown");
        }
    }
}
