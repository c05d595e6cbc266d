package io.faultline.broker.api;

import io.faultline.broker.log.EpochEnd;
import io.faultline.broker.log.Log;
import io.faultline.broker.log.Topics;
import org.apache.kafka.common.errors.ApiException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.apache.kafka.common.message.OffsetForLeaderEpochRequestData;
import org.apache.kafka.common.message.OffsetForLeaderEpochRequestData.OffsetForLeaderPartition;
import org.apache.kafka.common.message.OffsetForLeaderEpochRequestData.OffsetForLeaderTopic;
import org.apache.kafka.common.message.OffsetForLeaderEpochResponseData;
import org.apache.kafka.common.message.OffsetForLeaderEpochResponseData.EpochEndOffset;
import org.apache.kafka.common.message.OffsetForLeaderEpochResponseData.OffsetForLeaderTopicResult;
import org.apache.kafka.common.protocol.Errors;

/** Tells where leader epochs ended, so that a consumer finds out whether what it read is still there. */
public final class OffsetForLeaderEpochHandler implements RequestHandler<OffsetForLeaderEpochRequestData> {

    private final Topics topics;

    /**
     * Makes a handler.
     *
     * @param topics the topics
     */
    public OffsetForLeaderEpochHandler(Topics topics) {
        this.topics = topics;
    }

    @Override
    public void handle(ApiRequest<OffsetForLeaderEpochRequestData> request) {
        OffsetForLeaderEpochResponseData response = new OffsetForLeaderEpochResponseData();
        for (OffsetForLeaderTopic topic : request.body().topics()) {
            OffsetForLeaderTopicResult result = new OffsetForLeaderTopicResult().setTopic(topic.topic());
            for (OffsetForLeaderPartition partition : topic.partitions()) {
                result.partitions().add(find(topic.topic(), partition));
            }
            response.topics().add(result);
        }
        request.respond(response);
    }

    private EpochEndOffset find(String topic, OffsetForLeaderPartition asked) {
        EpochEndOffset result = new EpochEndOffset().setPartition(asked.partition());
        try {
            Log log = topics.byName(topic)
                    .flatMap(known -> known.partition(asked.partition()))
                    .orElseThrow(() -> new UnknownTopicOrPartitionException("no " + topic + "-" + asked.partition()))
                    .log();
            LeaderEpochs.check(asked.currentLeaderEpoch(), log);
            EpochEnd end = log.endOfEpoch(asked.leaderEpoch());
            return result.setLeaderEpoch(end.epoch()).setEndOffset(end.endOffset());
        } catch (ApiException refused) {
            return result.setErrorCode(Errors.forException(refused).code());
        }
    }
}
