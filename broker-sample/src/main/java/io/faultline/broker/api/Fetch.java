package io.faultline.broker.api;

import io.faultline.broker.log.EpochEnd;
import io.faultline.broker.log.Log;
import io.faultline.broker.log.LogSlice;
import io.faultline.broker.log.Partition;
import io.faultline.broker.log.Topic;
import io.faultline.broker.log.Topics;
import io.faultline.broker.metrics.TrafficCounts;
import java.util.List;
import java.util.Optional;
import org.apache.kafka.common.errors.ApiException;
import org.apache.kafka.common.errors.UnknownTopicIdException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.message.FetchRequestData.FetchPartition;
import org.apache.kafka.common.message.FetchRequestData.FetchTopic;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.message.FetchResponseData.EpochEndOffset;
import org.apache.kafka.common.message.FetchResponseData.FetchableTopicResponse;
import org.apache.kafka.common.message.FetchResponseData.PartitionData;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.record.internal.MemoryRecords;

/** What one request wants to fetch; it can be read again and again. */
final class Fetch {

    static final short FIRST_WITH_TOPIC_IDS = 13;
    private static final byte READ_UNCOMMITTED = 0;

    private final FetchRequestData request;
    private final short version;
    private final Topics topics;
    private final int maxResponseBytes;
    private final TrafficCounts traffic;

    Fetch(FetchRequestData request, short version, Topics topics, int maxResponseBytes, TrafficCounts traffic) {
        this.request = request;
        this.version = version;
        this.topics = topics;
        this.maxResponseBytes = maxResponseBytes;
        this.traffic = traffic;
    }

    /** Finds the regions to send, up to the limits; the first batch found may be larger than any limit. */
    FetchedPartitions read() {
        FetchedPartitions found = new FetchedPartitions();
        int budget = Math.min(request.maxBytes(), maxResponseBytes);
        for (FetchTopic topic : request.topics()) {
            FetchableTopicResponse response =
                    new FetchableTopicResponse().setTopic(topic.topic()).setTopicId(topic.topicId());
            for (FetchPartition partition : topic.partitions()) {
                PartitionData data = new PartitionData()
                        .setPartitionIndex(partition.partition())
                        .setHighWatermark(-1)
                        .setRecords(MemoryRecords.EMPTY);
                if (request.isolationLevel() != READ_UNCOMMITTED) {
                    data.setAbortedTransactions(List.of());
                }
                try {
                    int maxBytes = Math.min(budget, partition.partitionMaxBytes());
                    int bytes = read(topic, partition, maxBytes, data, found);
                    budget -= bytes;
                } catch (ApiException refused) {
                    data.setErrorCode(Errors.forException(refused).code());
                    found.refuse();
                }
                response.partitions().add(data);
            }
            found.add(response);
        }
        return found;
    }

    /** The response that says what a reading found, and is sent. */
    FetchResponseData answer(FetchedPartitions found) {
        traffic.fetched(found.bytes(), found.refused());
        return found.response();
    }

    private int read(
            FetchTopic topic, FetchPartition wanted, int maxBytes, PartitionData data, FetchedPartitions found) {
        Partition partition = find(topic)
                .flatMap(known -> known.partition(wanted.partition()))
                .orElseThrow(() -> unknown(topic, wanted.partition()));
        Log log = partition.log();
        LeaderEpochs.check(wanted.currentLeaderEpoch(), log);
        if (diverges(wanted, log, data)) {
            found.diverged();
            return 0;
        }
        LogSlice slice = log.read(wanted.fetchOffset(), maxBytes, found.bytes() == 0);
        data.setRecords(slice.records())
                .setHighWatermark(slice.end().offset())
                .setLastStableOffset(slice.end().offset())
                .setLogStartOffset(slice.startOffset());
        found.add(partition, slice, wanted.partitionMaxBytes());
        return slice.records().sizeInBytes();
    }

    /** A consumer that has read behind the end of an epoch has records which the log has lost. */
    private static boolean diverges(FetchPartition wanted, Log log, PartitionData data) {
        if (wanted.lastFetchedEpoch() < 0) {
            return false;
        }
        EpochEnd end = log.endOfEpoch(wanted.lastFetchedEpoch());
        boolean diverges = end.epoch() < wanted.lastFetchedEpoch() || end.endOffset() < wanted.fetchOffset();
        if (diverges) {
            data.setHighWatermark(log.end().offset())
                    .setDivergingEpoch(
                            new EpochEndOffset().setEpoch(end.epoch()).setEndOffset(end.endOffset()));
        }
        return diverges;
    }

    private Optional<Topic> find(FetchTopic topic) {
        return version >= FIRST_WITH_TOPIC_IDS ? topics.byId(topic.topicId()) : topics.byName(topic.topic());
    }

    private ApiException unknown(FetchTopic topic, int partition) {
        if (version < FIRST_WITH_TOPIC_IDS) {
            return new UnknownTopicOrPartitionException("no " + topic.topic() + "-" + partition);
        }
        return topics.byId(topic.topicId()).isPresent()
                ? new UnknownTopicOrPartitionException("no " + topic.topicId() + "-" + partition)
                : new UnknownTopicIdException("no " + topic.topicId());
    }
}
