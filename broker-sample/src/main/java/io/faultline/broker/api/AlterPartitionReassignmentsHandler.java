package io.faultline.broker.api;

import io.faultline.broker.log.Topics;
import java.util.List;
import org.apache.kafka.common.errors.ApiException;
import org.apache.kafka.common.errors.InvalidReplicaAssignmentException;
import org.apache.kafka.common.errors.NoReassignmentInProgressException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.apache.kafka.common.message.AlterPartitionReassignmentsRequestData;
import org.apache.kafka.common.message.AlterPartitionReassignmentsRequestData.ReassignablePartition;
import org.apache.kafka.common.message.AlterPartitionReassignmentsRequestData.ReassignableTopic;
import org.apache.kafka.common.message.AlterPartitionReassignmentsResponseData;
import org.apache.kafka.common.message.AlterPartitionReassignmentsResponseData.ReassignablePartitionResponse;
import org.apache.kafka.common.message.AlterPartitionReassignmentsResponseData.ReassignableTopicResponse;
import org.apache.kafka.common.protocol.Errors;

/**
 * Reassigns partitions to the one node there is, where they are already. That is what Kafka's tool asks first when a partition is to be moved to another log directory.
 */
public final class AlterPartitionReassignmentsHandler
        implements RequestHandler<AlterPartitionReassignmentsRequestData> {

    private final ThisNode node;
    private final Topics topics;

    /**
     * Makes a handler.
     *
     * @param node the node
     * @param topics the topics
     */
    public AlterPartitionReassignmentsHandler(ThisNode node, Topics topics) {
        this.node = node;
        this.topics = topics;
    }

    @Override
    public void handle(ApiRequest<AlterPartitionReassignmentsRequestData> request) {
        AlterPartitionReassignmentsResponseData response = new AlterPartitionReassignmentsResponseData();
        for (ReassignableTopic topic : request.body().topics()) {
            ReassignableTopicResponse answer = new ReassignableTopicResponse().setName(topic.name());
            for (ReassignablePartition partition : topic.partitions()) {
                answer.partitions().add(reassign(topic.name(), partition));
            }
            response.responses().add(answer);
        }
        request.respond(response);
    }

    private ReassignablePartitionResponse reassign(String topic, ReassignablePartition partition) {
        ReassignablePartitionResponse result =
                new ReassignablePartitionResponse().setPartitionIndex(partition.partitionIndex());
        try {
            check(topic, partition.partitionIndex(), partition.replicas());
            return result;
        } catch (ApiException refused) {
            return result.setErrorCode(Errors.forException(refused).code()).setErrorMessage(refused.getMessage());
        }
    }

    /** Replicas are null for a reassignment to be called off. */
    private void check(String topic, int index, List<Integer> replicas) {
        if (topics.byName(topic).flatMap(known -> known.partition(index)).isEmpty()) {
            throw new UnknownTopicOrPartitionException("no " + topic + "-" + index);
        }
        if (replicas == null) {
            throw new NoReassignmentInProgressException(topic + "-" + index + " is not being reassigned");
        }
        if (!replicas.equals(List.of(node.id()))) {
            throw new InvalidReplicaAssignmentException(
                    "replicas " + replicas + ": accepted is the one node there is, " + node.id());
        }
    }
}
