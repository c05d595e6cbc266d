package io.faultline.broker.api;

import io.faultline.broker.group.GroupCoordinator;
import io.faultline.broker.log.Topics;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Deletes topics, with what groups committed for them. Safe for use by any thread. */
public final class TopicDeletion {

    private static final Logger LOG = LoggerFactory.getLogger(TopicDeletion.class);

    private final Topics topics;
    private final GroupCoordinator groups;

    /**
     * Deletes topics of a register.
     *
     * @param topics the register
     * @param groups the groups
     */
    public TopicDeletion(Topics topics, GroupCoordinator groups) {
        this.topics = topics;
        this.groups = groups;
    }

    /**
     * Deletes a topic.
     *
     * @throws org.apache.kafka.common.errors.UnknownTopicOrPartitionException if there is none of that name
     */
    void delete(String name) {
        topics.delete(name);
        groups.topicDeleted(name);
        LOG.info("Topic {} is deleted", name);
    }
}
