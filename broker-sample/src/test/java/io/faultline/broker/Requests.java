package io.faultline.broker;

import java.nio.charset.StandardCharsets;
import java.util.List;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.message.FetchRequestData.FetchPartition;
import org.apache.kafka.common.message.FetchRequestData.FetchTopic;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.message.FetchResponseData.PartitionData;
import org.apache.kafka.common.message.ProduceRequestData;
import org.apache.kafka.common.message.ProduceRequestData.PartitionProduceData;
import org.apache.kafka.common.message.ProduceRequestData.TopicProduceData;
import org.apache.kafka.common.message.ProduceRequestData.TopicProduceDataCollection;
import org.apache.kafka.common.message.ProduceResponseData;
import org.apache.kafka.common.message.ProduceResponseData.PartitionProduceResponse;
import org.apache.kafka.common.record.internal.BaseRecords;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.SimpleRecord;

/** Requests for the first partition of a topic, and what is in their responses. */
final class Requests {

    static final short FETCH_BY_NAME = 12;
    static final short PRODUCE_BY_NAME = 9;

    private Requests() {}

    static ProduceRequestData produce(String topic, Uuid id, BaseRecords records) {
        TopicProduceData data = new TopicProduceData()
                .setName(topic)
                .setTopicId(id)
                .setPartitionData(List.of(new PartitionProduceData().setIndex(0).setRecords(records)));
        return new ProduceRequestData()
                .setAcks((short) -1)
                .setTimeoutMs(1_000)
                .setTopicData(new TopicProduceDataCollection(List.of(data).iterator()));
    }

    static ProduceRequestData produce(String topic, String... values) {
        return produce(topic, Uuid.ZERO_UUID, records(values));
    }

    static MemoryRecords records(String... values) {
        SimpleRecord[] records = new SimpleRecord[values.length];
        for (int index = 0; index < values.length; index++) {
            records[index] = new SimpleRecord(1_000L + index, values[index].getBytes(StandardCharsets.UTF_8));
        }
        return MemoryRecords.withRecords(Compression.NONE, records);
    }

    static PartitionProduceResponse only(ProduceResponseData response) {
        return response.responses().iterator().next().partitionResponses().get(0);
    }

    static FetchRequestData fetch(String topic, Uuid id, long offset, int maxBytes) {
        return new FetchRequestData()
                .setMaxBytes(maxBytes)
                .setTopics(List.of(new FetchTopic()
                        .setTopic(topic)
                        .setTopicId(id)
                        .setPartitions(List.of(new FetchPartition()
                                .setPartition(0)
                                .setFetchOffset(offset)
                                .setPartitionMaxBytes(maxBytes)))));
    }

    static FetchRequestData fetch(String topic, long offset, int maxBytes) {
        return fetch(topic, Uuid.ZERO_UUID, offset, maxBytes);
    }

    static PartitionData only(FetchResponseData response) {
        return response.responses().get(0).partitions().get(0);
    }
}
