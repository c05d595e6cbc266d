package io.faultline.client.consume;

import java.time.Duration;
import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor;

/**
 * How a consumer is a member of its group. Immutable.
 *
 * @param id {@code group.id}
 * @param instanceId {@code group.instance.id}, null for a member that is not static
 * @param sessionTimeout {@code session.timeout.ms}
 * @param heartbeatInterval {@code heartbeat.interval.ms}
 * @param rebalanceTimeout {@code max.poll.interval.ms}
 * @param assignors {@code partition.assignment.strategy}
 * @param rack {@code client.rack}
 */
public record GroupConfig(
        String id,
        String instanceId,
        Duration sessionTimeout,
        Duration heartbeatInterval,
        Duration rebalanceTimeout,
        List<ConsumerPartitionAssignor> assignors,
        String rack) {}
