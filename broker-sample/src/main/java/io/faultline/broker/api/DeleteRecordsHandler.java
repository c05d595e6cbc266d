package io.faultline.broker.api;

import io.faultline.broker.log.Log;
import io.faultline.broker.log.Partition;
import io.faultline.broker.log.Topics;
import org.apache.kafka.common.errors.ApiException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.apache.kafka.common.message.DeleteRecordsRequestData;
import org.apache.kafka.common.message.DeleteRecordsRequestData.DeleteRecordsPartition;
import org.apache.kafka.common.message.DeleteRecordsRequestData.DeleteRecordsTopic;
import org.apache.kafka.common.message.DeleteRecordsResponseData;
import org.apache.kafka.common.message.DeleteRecordsResponseData.DeleteRecordsPartitionResult;
import org.apache.kafka.common.message.DeleteRecordsResponseData.DeleteRecordsTopicResult;
import org.apache.kafka.common.protocol.Errors;

/** Deletes the oldest records of partitions. */
public final class DeleteRecordsHandler implements RequestHandler<DeleteRecordsRequestData> {

    private static final long ALL = -1;

    private final Topics topics;

    /**
     * Makes a handler.
     *
     * @param topics the topics
     */
    public DeleteRecordsHandler(Topics topics) {
        this.topics = topics;
    }

    @Override
    public void handle(ApiRequest<DeleteRecordsRequestData> request) {
        DeleteRecordsResponseData response = new DeleteRecordsResponseData();
        for (DeleteRecordsTopic topic : request.body().topics()) {
            DeleteRecordsTopicResult result = new DeleteRecordsTopicResult().setName(topic.name());
            for (DeleteRecordsPartition partition : topic.partitions()) {
                result.partitions().add(delete(topic.name(), partition));
            }
            response.topics().add(result);
        }
        request.respond(response);
    }

    private DeleteRecordsPartitionResult delete(String topic, DeleteRecordsPartition asked) {
        DeleteRecordsPartitionResult result =
                new DeleteRecordsPartitionResult().setPartitionIndex(asked.partitionIndex());
        try {
            Partition partition = topics.byName(topic)
                    .flatMap(known -> known.partition(asked.partitionIndex()))
                    .orElseThrow(
                            () -> new UnknownTopicOrPartitionException("no " + topic + "-" + asked.partitionIndex()));
            Log log = partition.log();
            long offset = asked.offset() == ALL ? log.end().offset() : asked.offset();
            return result.setLowWatermark(log.deleteRecordsBefore(offset));
        } catch (ApiException refused) {
            return result.setLowWatermark(-1)
                    .setErrorCode(Errors.forException(refused).code());
        }
    }
}
