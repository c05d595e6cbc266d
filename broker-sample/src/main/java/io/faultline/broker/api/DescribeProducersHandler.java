package io.faultline.broker.api;

import io.faultline.broker.log.ActiveProducer;
import io.faultline.broker.log.Topics;
import java.util.List;
import org.apache.kafka.common.errors.ApiException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.apache.kafka.common.message.DescribeProducersRequestData;
import org.apache.kafka.common.message.DescribeProducersRequestData.TopicRequest;
import org.apache.kafka.common.message.DescribeProducersResponseData;
import org.apache.kafka.common.message.DescribeProducersResponseData.PartitionResponse;
import org.apache.kafka.common.message.DescribeProducersResponseData.ProducerState;
import org.apache.kafka.common.message.DescribeProducersResponseData.TopicResponse;
import org.apache.kafka.common.protocol.Errors;

/** Names the idempotent producers that partitions know. */
public final class DescribeProducersHandler implements RequestHandler<DescribeProducersRequestData> {

    /** As Kafka says of a producer without transactions. */
    private static final int NO_COORDINATOR = -1;

    private final Topics topics;

    /**
     * Makes a handler.
     *
     * @param topics the topics
     */
    public DescribeProducersHandler(Topics topics) {
        this.topics = topics;
    }

    @Override
    public void handle(ApiRequest<DescribeProducersRequestData> request) {
        DescribeProducersResponseData response = new DescribeProducersResponseData();
        for (TopicRequest topic : request.body().topics()) {
            TopicResponse described = new TopicResponse().setName(topic.name());
            for (int index : topic.partitionIndexes()) {
                described.partitions().add(describe(topic.name(), index));
            }
            response.topics().add(described);
        }
        request.respond(response);
    }

    private PartitionResponse describe(String topic, int index) {
        PartitionResponse described = new PartitionResponse().setPartitionIndex(index);
        try {
            List<ActiveProducer> producers = topics.byName(topic)
                    .flatMap(known -> known.partition(index))
                    .orElseThrow(() -> new UnknownTopicOrPartitionException("no " + topic + "-" + index))
                    .log()
                    .activeProducers();
            for (ActiveProducer producer : producers) {
                described
                        .activeProducers()
                        .add(new ProducerState()
                                .setProducerId(producer.id())
                                .setProducerEpoch(producer.epoch())
                                .setLastSequence(producer.lastSequence())
                                .setLastTimestamp(producer.lastTimestamp())
                                .setCoordinatorEpoch(NO_COORDINATOR));
            }
            return described;
        } catch (ApiException refused) {
            return described.setErrorCode(Errors.forException(refused).code()).setErrorMessage(ErrorText.of(refused));
        }
    }
}
