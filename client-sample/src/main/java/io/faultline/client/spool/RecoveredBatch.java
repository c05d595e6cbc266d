package io.faultline.client.spool;

import java.time.Instant;
import org.apache.kafka.common.TopicPartition;

/**
 * Records that an earlier producer accepted, and that were sent together.
 *
 * @param partition where to
 * @param records how many
 * @param acceptedAt when they were accepted
 */
public record RecoveredBatch(TopicPartition partition, int records, Instant acceptedAt) {}
