package io.faultline.broker.api;

import io.faultline.broker.log.Log;
import io.faultline.broker.log.Partition;
import io.faultline.broker.log.Topic;
import io.faultline.broker.log.Topics;
import io.faultline.broker.metrics.TrafficCounts;
import java.util.Optional;
import org.apache.kafka.common.errors.ApiException;
import org.apache.kafka.common.errors.UnknownTopicIdException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.apache.kafka.common.message.ProduceRequestData;
import org.apache.kafka.common.message.ProduceRequestData.PartitionProduceData;
import org.apache.kafka.common.message.ProduceRequestData.TopicProduceData;
import org.apache.kafka.common.message.ProduceResponseData;
import org.apache.kafka.common.message.ProduceResponseData.PartitionProduceResponse;
import org.apache.kafka.common.message.ProduceResponseData.TopicProduceResponse;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.RecordBatch;

/**
 * Appends records. With one replica, {@code acks=1} and {@code acks=all} mean the same: the record is written, and flushed
 * where the configuration says so.
 */
public final class ProduceHandler implements RequestHandler<ProduceRequestData> {

    private static final short FIRST_WITH_TOPIC_IDS = 13;
    private static final short NO_ACKS = 0;

    private final Topics topics;
    private final TrafficCounts traffic;
    private final ProducedRecords produced = new ProducedRecords();

    /**
     * Makes a handler.
     *
     * @param topics the topics
     * @param traffic counts what is produced
     */
    public ProduceHandler(Topics topics, TrafficCounts traffic) {
        this.topics = topics;
        this.traffic = traffic;
    }

    @Override
    public void handle(ApiRequest<ProduceRequestData> request) {
        short acks = request.body().acks();
        boolean validAcks = acks >= -1 && acks <= 1;
        boolean failed = false;
        ProduceResponseData response = new ProduceResponseData();
        for (TopicProduceData topic : request.body().topicData()) {
            TopicProduceResponse answer =
                    new TopicProduceResponse().setName(topic.name()).setTopicId(topic.topicId());
            for (PartitionProduceData partition : topic.partitionData()) {
                PartitionProduceResponse result = validAcks
                        ? append(topic, partition, request.version())
                        : failure(partition, Errors.INVALID_REQUIRED_ACKS.exception());
                failed |= result.errorCode() != Errors.NONE.code();
                answer.partitionResponses().add(result);
            }
            response.responses().add(answer);
        }
        if (acks != NO_ACKS) {
            request.respond(response);
        } else if (failed) {
            // The client waits for no response; a lost connection is the only way to tell it, and Kafka's.
            request.closeConnection("a produce without acks failed");
        } else {
            request.respondNothing();
        }
    }

    private PartitionProduceResponse append(TopicProduceData topic, PartitionProduceData data, short version) {
        try {
            Partition partition = find(topic, version)
                    .flatMap(known -> known.partition(data.index()))
                    .orElseThrow(() -> version >= FIRST_WITH_TOPIC_IDS
                            ? new UnknownTopicIdException("no " + topic.topicId() + "-" + data.index())
                            : new UnknownTopicOrPartitionException("no " + topic.name() + "-" + data.index()));
            Log log = partition.log();
            MemoryRecords records = produced.check(data.records(), version, log.config());
            long baseOffset = partition.append(records);
            partition.changed();
            traffic.produced(records.sizeInBytes(), count(records));
            return new PartitionProduceResponse()
                    .setIndex(data.index())
                    .setBaseOffset(baseOffset)
                    .setLogAppendTimeMs(appendTime(records))
                    .setLogStartOffset(log.startOffset());
        } catch (ApiException refused) {
            return failure(data, refused);
        }
    }

    private Optional<Topic> find(TopicProduceData topic, short version) {
        return version >= FIRST_WITH_TOPIC_IDS ? topics.byId(topic.topicId()) : topics.byName(topic.name());
    }

    private static long count(MemoryRecords batches) {
        long records = 0;
        for (RecordBatch batch : batches.batches()) {
            records += batch.lastOffset() - batch.baseOffset() + 1;
        }
        return records;
    }

    /** The time that the records have instead of their client's, or -1. */
    private static long appendTime(MemoryRecords records) {
        RecordBatch first = records.batches().iterator().next();
        return first.timestampType() == TimestampType.LOG_APPEND_TIME ? first.maxTimestamp() : RecordBatch.NO_TIMESTAMP;
    }

    private PartitionProduceResponse failure(PartitionProduceData data, ApiException refused) {
        traffic.produceRefused();
        PartitionProduceResponse failure = new PartitionProduceResponse()
                .setIndex(data.index())
                .setBaseOffset(-1)
                .setErrorCode(Errors.forException(refused).code())
                .setErrorMessage(ErrorText.of(refused));
        return refused instanceof RejectedRecordsException rejected
                ? failure.setRecordErrors(rejected.records())
                : failure;
    }
}
