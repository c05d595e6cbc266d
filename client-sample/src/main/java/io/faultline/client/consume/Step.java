package io.faultline.client.consume;

import java.util.Set;
import org.apache.kafka.common.TopicPartition;

/**
 * A step of a rebalance that the application takes part in, on the thread that polls. Each is answered, by its number; a later
 * one makes a former void.
 */
sealed interface Step {

    /**
     * Which one.
     *
     * @return its number
     */
    int number();

    /**
     * The group is about to rebalance.
     *
     * @param number which one
     * @param giveUp whether all partitions are to be given up before
     */
    record Prepare(int number, boolean giveUp) implements Step {}

    /**
     * The partitions may have other owners by now.
     *
     * @param number which one
     */
    record Lost(int number) implements Step {}

    /**
     * The group has rebalanced.
     *
     * @param number which one
     * @param generation the member in the new generation
     * @param partitions all that it has from now on
     */
    record Assigned(int number, Generation generation, Set<TopicPartition> partitions) implements Step {}
}
