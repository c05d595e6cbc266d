package io.faultline.broker.api;

import io.faultline.broker.log.Topic;
import io.faultline.broker.log.Topics;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.errors.ApiException;
import org.apache.kafka.common.errors.InvalidRequestException;
import org.apache.kafka.common.errors.UnknownTopicIdException;
import org.apache.kafka.common.message.DeleteTopicsRequestData;
import org.apache.kafka.common.message.DeleteTopicsRequestData.DeleteTopicState;
import org.apache.kafka.common.message.DeleteTopicsResponseData;
import org.apache.kafka.common.message.DeleteTopicsResponseData.DeletableTopicResult;
import org.apache.kafka.common.protocol.Errors;

/** Deletes topics, by name or id. */
public final class DeleteTopicsHandler implements RequestHandler<DeleteTopicsRequestData> {

    private final Topics topics;
    private final TopicDeletion deletion;

    /**
     * Makes a handler.
     *
     * @param topics the topics
     * @param deletion deletes them
     */
    public DeleteTopicsHandler(Topics topics, TopicDeletion deletion) {
        this.topics = topics;
        this.deletion = deletion;
    }

    @Override
    public void handle(ApiRequest<DeleteTopicsRequestData> request) {
        DeleteTopicsResponseData response = new DeleteTopicsResponseData();
        for (String name : request.body().topicNames()) {
            response.responses().add(delete(new DeleteTopicState().setName(name)));
        }
        for (DeleteTopicState topic : request.body().topics()) {
            response.responses().add(delete(topic));
        }
        request.respond(response);
    }

    private DeletableTopicResult delete(DeleteTopicState asked) {
        DeletableTopicResult result =
                new DeletableTopicResult().setName(asked.name()).setTopicId(asked.topicId());
        try {
            boolean byId = !asked.topicId().equals(Uuid.ZERO_UUID);
            if (byId == (asked.name() != null)) {
                throw new InvalidRequestException("a topic is deleted by its name or by its id");
            }
            String name = asked.name();
            if (byId) {
                name = topics.byId(asked.topicId())
                        .map(Topic::name)
                        .orElseThrow(() -> new UnknownTopicIdException("no topic " + asked.topicId()));
            }
            topics.byName(name).ifPresent(topic -> result.setTopicId(topic.id()));
            result.setName(name);
            deletion.delete(name);
            return result;
        } catch (ApiException refused) {
            return result.setErrorCode(Errors.forException(refused).code()).setErrorMessage(ErrorText.of(refused));
        }
    }
}
