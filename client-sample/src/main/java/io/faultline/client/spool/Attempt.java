package io.faultline.client.spool;

import io.faultline.client.protocol.ProducerStamp;
import org.apache.kafka.common.Uuid;

/**
 * Under what a batch is sent: what it takes to find out after a restart whether it is in the log.
 *
 * @param clusterId the cluster, "" if it told none
 * @param topicId the topic, {@link Uuid#ZERO_UUID} if it has none
 * @param stamp by what a broker recognises the batch
 * @param lookFrom from which offset on it would be in the log, -1 if that is not known
 */
public record Attempt(String clusterId, Uuid topicId, ProducerStamp stamp, long lookFrom) {

    /** Says whether the broker counts both in one sequence. */
    boolean isSameNumbering(Attempt other) {
        return stamp.producerId() == other.stamp.producerId() && stamp.epoch() == other.stamp.epoch();
    }
}
