package io.faultline.broker.api;

import io.faultline.broker.log.Topic;
import io.faultline.broker.log.Topics;
import java.util.List;
import org.apache.kafka.common.errors.ApiException;
import org.apache.kafka.common.errors.InvalidPartitionsException;
import org.apache.kafka.common.errors.InvalidReplicaAssignmentException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.apache.kafka.common.message.CreatePartitionsRequestData;
import org.apache.kafka.common.message.CreatePartitionsRequestData.CreatePartitionsTopic;
import org.apache.kafka.common.message.CreatePartitionsResponseData;
import org.apache.kafka.common.message.CreatePartitionsResponseData.CreatePartitionsTopicResult;
import org.apache.kafka.common.protocol.Errors;

/** Adds partitions to topics. */
public final class CreatePartitionsHandler implements RequestHandler<CreatePartitionsRequestData> {

    private final ThisNode node;
    private final Topics topics;

    /**
     * Makes a handler.
     *
     * @param node the node
     * @param topics the topics
     */
    public CreatePartitionsHandler(ThisNode node, Topics topics) {
        this.node = node;
        this.topics = topics;
    }

    @Override
    public void handle(ApiRequest<CreatePartitionsRequestData> request) {
        CreatePartitionsResponseData response = new CreatePartitionsResponseData();
        for (CreatePartitionsTopic topic : request.body().topics()) {
            response.results().add(add(topic, request.body().validateOnly()));
        }
        request.respond(response);
    }

    private CreatePartitionsTopicResult add(CreatePartitionsTopic asked, boolean validateOnly) {
        CreatePartitionsTopicResult result = new CreatePartitionsTopicResult().setName(asked.name());
        try {
            check(asked);
            if (!validateOnly) {
                topics.addPartitions(asked.name(), asked.count());
            }
            return result;
        } catch (ApiException refused) {
            return result.setErrorCode(Errors.forException(refused).code()).setErrorMessage(ErrorText.of(refused));
        }
    }

    private void check(CreatePartitionsTopic asked) {
        Topic topic = topics.byName(asked.name())
                .orElseThrow(() -> new UnknownTopicOrPartitionException("no topic " + asked.name()));
        int more = asked.count() - topic.partitions().size();
        if (more <= 0 || asked.count() > CreateTopicsHandler.MOST_PARTITIONS) {
            throw new InvalidPartitionsException("Topic " + asked.name() + " has "
                    + topic.partitions().size() + " partitions: accepted are more than that, and up to "
                    + CreateTopicsHandler.MOST_PARTITIONS);
        }
        List<Integer> here = List.of(node.id());
        boolean valid = asked.assignments() == null
                || (asked.assignments().size() == more
                        && asked.assignments().stream()
                                .allMatch(assignment -> assignment.brokerIds().equals(here)));
        if (!valid) {
            throw new InvalidReplicaAssignmentException("accepted are " + more + " assignments, each to " + here);
        }
    }
}
