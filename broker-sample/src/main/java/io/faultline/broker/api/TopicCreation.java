package io.faultline.broker.api;

import io.faultline.broker.log.Topic;
import io.faultline.broker.log.Topics;
import org.apache.kafka.common.errors.TopicExistsException;

/** Makes topics, on demand or because a client asked about one. Safe for use by any thread. */
public final class TopicCreation {

    private final Topics topics;
    private final boolean automatic;
    private final int defaultPartitions;

    /**
     * Makes topics in a register.
     *
     * @param topics the register
     * @param automatic whether a topic is made because a client asked about it
     * @param defaultPartitions how many partitions a topic has where nothing else is said
     */
    public TopicCreation(Topics topics, boolean automatic, int defaultPartitions) {
        this.topics = topics;
        this.automatic = automatic;
        this.defaultPartitions = defaultPartitions;
    }

    /**
     * Says whether a topic is made because a client asked about it.
     *
     * @return true if so
     */
    boolean isAutomatic() {
        return automatic;
    }

    int defaultPartitions() {
        return defaultPartitions;
    }

    /**
     * Makes a topic, or returns the one that another client made meanwhile.
     *
     * @throws org.apache.kafka.common.errors.InvalidTopicException if the name is none
     */
    Topic createIfMissing(String name) {
        checkName(name);
        try {
            return topics.create(name, defaultPartitions);
        } catch (TopicExistsException meanwhile) {
            return topics.byName(name).orElseThrow(() -> meanwhile);
        }
    }

    /**
     * Refuses what is no name of a topic.
     *
     * @throws org.apache.kafka.common.errors.InvalidTopicException if the name is none
     */
    static void checkName(String name) {
        org.apache.kafka.common.internals.Topic.validate(name);
    }
}
