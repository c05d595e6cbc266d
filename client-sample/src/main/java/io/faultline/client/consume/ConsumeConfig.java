package io.faultline.client.consume;

import io.faultline.client.protocol.FetchSession;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;
import org.apache.kafka.common.IsolationLevel;

/**
 * How a consumer consumes. Immutable.
 *
 * @param clientId {@code client.id}
 * @param group the group; empty if {@code group.id} is not set
 * @param terms how brokers are to answer fetches
 * @param partitionBytes {@code max.partition.fetch.bytes}
 * @param checkCrcs {@code check.crcs}
 * @param reset {@code auto.offset.reset}
 * @param autoCommit {@code auto.commit.interval.ms}; empty if {@code enable.auto.commit} is off
 * @param maxPollRecords {@code max.poll.records}
 * @param requestTimeout {@code request.timeout.ms}
 * @param apiTimeout {@code default.api.timeout.ms}
 * @param retryBackoff {@code retry.backoff.ms}
 * @param retryBackoffMax {@code retry.backoff.max.ms}
 * @param preferredReplicaAge for how long a preferred replica is, {@code metadata.max.age.ms}
 */
public record ConsumeConfig(
        String clientId,
        Optional<GroupConfig> group,
        FetchSession.Terms terms,
        int partitionBytes,
        boolean checkCrcs,
        Reset reset,
        Optional<Duration> autoCommit,
        int maxPollRecords,
        Duration requestTimeout,
        Duration apiTimeout,
        Duration retryBackoff,
        Duration retryBackoffMax,
        Duration preferredReplicaAge) {

    /** Where to begin when there is no offset to begin at. */
    @FunctionalInterface
    public interface Reset {

        /**
         * The moment to begin at.
         *
         * @return a timestamp as ListOffsets has it, -1 for the end and -2 for the beginning; empty if that is an error
         */
        OptionalLong timestamp();
    }

    boolean committedOnly() {
        return terms.isolation() == IsolationLevel.READ_COMMITTED;
    }
}
