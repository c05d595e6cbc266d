package io.faultline.broker.api;

import io.faultline.broker.log.Partition;
import io.faultline.broker.log.Topics;
import java.util.Optional;
import org.apache.kafka.common.message.ElectLeadersRequestData;
import org.apache.kafka.common.message.ElectLeadersRequestData.TopicPartitions;
import org.apache.kafka.common.message.ElectLeadersResponseData;
import org.apache.kafka.common.message.ElectLeadersResponseData.PartitionResult;
import org.apache.kafka.common.message.ElectLeadersResponseData.ReplicaElectionResult;
import org.apache.kafka.common.protocol.Errors;

/** Says that there is nothing to elect: one node leads all that is online, and nobody else could lead the rest. */
public final class ElectLeadersHandler implements RequestHandler<ElectLeadersRequestData> {

    private static final byte UNCLEAN = 1;

    private final Topics topics;

    /**
     * Makes a handler.
     *
     * @param topics the topics
     */
    public ElectLeadersHandler(Topics topics) {
        this.topics = topics;
    }

    @Override
    public void handle(ApiRequest<ElectLeadersRequestData> request) {
        ElectLeadersResponseData response = new ElectLeadersResponseData();
        // Who asks for all is told of those only that needed an election.
        if (request.body().topicPartitions() != null) {
            for (TopicPartitions topic : request.body().topicPartitions()) {
                ReplicaElectionResult result = new ReplicaElectionResult().setTopic(topic.topic());
                for (int index : topic.partitions()) {
                    Errors error = error(topic.topic(), index, request.body().electionType());
                    result.partitionResult()
                            .add(new PartitionResult()
                                    .setPartitionId(index)
                                    .setErrorCode(error.code())
                                    .setErrorMessage(error.message()));
                }
                response.replicaElectionResults().add(result);
            }
        }
        request.respond(response);
    }

    private Errors error(String topic, int index, byte electionType) {
        Optional<Partition> partition = topics.byName(topic).flatMap(known -> known.partition(index));
        if (partition.isEmpty()) {
            return Errors.UNKNOWN_TOPIC_OR_PARTITION;
        }
        if (partition.get().isOffline()) {
            return electionType == UNCLEAN
                    ? Errors.ELIGIBLE_LEADERS_NOT_AVAILABLE
                    : Errors.PREFERRED_LEADER_NOT_AVAILABLE;
        }
        return Errors.ELECTION_NOT_NEEDED;
    }
}
