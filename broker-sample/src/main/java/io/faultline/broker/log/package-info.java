/**
 * Partitions on disk: several log directories in Kafka's file layout, and what happens when one of them fails.
 *
 * <p>Every I/O of this package goes through {@link io.faultline.broker.log.LogDirectory#io}, so that no failure of a
 * disk can get past the {@link io.faultline.broker.log.LogDirFailureChannel}: one thread, the
 * {@link io.faultline.broker.log.LogDirFailureHandler}, takes directories from it and closes what lies in them.
 */
package io.faultline.broker.log;
