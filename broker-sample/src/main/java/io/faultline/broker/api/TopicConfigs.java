package io.faultline.broker.api;

import io.faultline.broker.log.TopicConfig;
import io.faultline.broker.log.Topics;
import java.util.function.UnaryOperator;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.errors.ApiException;
import org.apache.kafka.common.errors.InvalidRequestException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.ApiError;

/**
 * What is set for topics, as administrators change it.
 *
 * @param topics the topics
 */
record TopicConfigs(Topics topics) {

    /**
     * Changes what is set for a topic, or finds out whether it could be changed.
     *
     * @param resourceType what is to be changed, which must be a topic
     * @param name its name
     * @param validateOnly whether everything stays as it is
     * @param change makes the next settings of those before
     * @return why it is not changed: it is no topic, there is none of that name, or the change refuses; {@link ApiError#NONE} if it is
     */
    ApiError change(byte resourceType, String name, boolean validateOnly, UnaryOperator<TopicConfig> change) {
        try {
            changeOrThrow(resourceType, name, validateOnly, change);
            return ApiError.NONE;
        } catch (ApiException refused) {
            return new ApiError(Errors.forException(refused), ErrorText.of(refused));
        }
    }

    private void changeOrThrow(
            byte resourceType, String name, boolean validateOnly, UnaryOperator<TopicConfig> change) {
        if (resourceType != ConfigResource.Type.TOPIC.id()) {
            throw new InvalidRequestException("accepted are topics; the broker's settings are those of its start");
        }
        if (validateOnly) {
            change.apply(topics.byName(name)
                    .orElseThrow(() -> new UnknownTopicOrPartitionException("no topic " + name))
                    .config());
        } else {
            topics.configure(name, change);
        }
    }
}
