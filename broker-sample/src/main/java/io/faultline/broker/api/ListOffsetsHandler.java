package io.faultline.broker.api;

import io.faultline.broker.log.Log;
import io.faultline.broker.log.Topics;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.common.errors.ApiException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.apache.kafka.common.errors.UnsupportedVersionException;
import org.apache.kafka.common.message.ListOffsetsRequestData;
import org.apache.kafka.common.message.ListOffsetsRequestData.ListOffsetsPartition;
import org.apache.kafka.common.message.ListOffsetsRequestData.ListOffsetsTopic;
import org.apache.kafka.common.message.ListOffsetsResponseData;
import org.apache.kafka.common.message.ListOffsetsResponseData.ListOffsetsPartitionResponse;
import org.apache.kafka.common.message.ListOffsetsResponseData.ListOffsetsTopicResponse;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.record.internal.FileRecords.TimestampAndOffset;
import org.apache.kafka.common.requests.ListOffsetsRequest;

/** Finds offsets by time, and the ends of logs. */
public final class ListOffsetsHandler implements RequestHandler<ListOffsetsRequestData> {

    private static final short FIRST_WITH_LEADER_EPOCH = 4;
    private static final int UNKNOWN_EPOCH = -1;

    /** What stands for no time but for an end of the log or the like, with the version from which it does. */
    private static final Map<Long, Integer> SPECIAL = Map.of(
            ListOffsetsRequest.LATEST_TIMESTAMP, 1,
            ListOffsetsRequest.EARLIEST_TIMESTAMP, 1,
            ListOffsetsRequest.MAX_TIMESTAMP, 7,
            ListOffsetsRequest.EARLIEST_LOCAL_TIMESTAMP, 8,
            ListOffsetsRequest.LATEST_TIERED_TIMESTAMP, 9,
            ListOffsetsRequest.EARLIEST_PENDING_UPLOAD_TIMESTAMP, 11);

    private final Topics topics;

    /**
     * Makes a handler.
     *
     * @param topics the topics
     */
    public ListOffsetsHandler(Topics topics) {
        this.topics = topics;
    }

    @Override
    public void handle(ApiRequest<ListOffsetsRequestData> request) {
        ListOffsetsResponseData response = new ListOffsetsResponseData();
        for (ListOffsetsTopic topic : request.body().topics()) {
            ListOffsetsTopicResponse found = new ListOffsetsTopicResponse().setName(topic.name());
            for (ListOffsetsPartition partition : topic.partitions()) {
                found.partitions().add(find(topic.name(), partition, request.version()));
            }
            response.topics().add(found);
        }
        if (request.version() < FIRST_WITH_LEADER_EPOCH) {
            response.topics()
                    .forEach(topic -> topic.partitions().forEach(partition -> partition.setLeaderEpoch(UNKNOWN_EPOCH)));
        }
        request.respond(response);
    }

    private ListOffsetsPartitionResponse find(String topic, ListOffsetsPartition asked, short version) {
        ListOffsetsPartitionResponse response =
                new ListOffsetsPartitionResponse().setPartitionIndex(asked.partitionIndex());
        try {
            if (asked.timestamp() < 0 && SPECIAL.getOrDefault(asked.timestamp(), Integer.MAX_VALUE) > version) {
                throw new UnsupportedVersionException("version " + version + " has no timestamp " + asked.timestamp());
            }
            Log log = topics.byName(topic)
                    .flatMap(known -> known.partition(asked.partitionIndex()))
                    .orElseThrow(
                            () -> new UnknownTopicOrPartitionException("no " + topic + "-" + asked.partitionIndex()))
                    .log();
            LeaderEpochs.check(asked.currentLeaderEpoch(), log);
            return find(log, asked.timestamp(), response);
        } catch (ApiException refused) {
            return response.setErrorCode(Errors.forException(refused).code());
        }
    }

    private static ListOffsetsPartitionResponse find(Log log, long timestamp, ListOffsetsPartitionResponse response) {
        if (timestamp >= 0) {
            return set(log.findByTimestamp(timestamp), response);
        }
        if (timestamp == ListOffsetsRequest.LATEST_TIMESTAMP) {
            return response.setOffset(log.end().offset()).setLeaderEpoch(log.leaderEpoch());
        }
        if (timestamp == ListOffsetsRequest.EARLIEST_TIMESTAMP
                || timestamp == ListOffsetsRequest.EARLIEST_LOCAL_TIMESTAMP) {
            return response.setOffset(log.startOffset()).setLeaderEpoch(log.leaderEpoch());
        }
        if (timestamp == ListOffsetsRequest.MAX_TIMESTAMP) {
            return set(log.findLargestTimestamp(), response);
        }
        // The others ask about tiered storage, where nothing is.
        return response;
    }

    private static ListOffsetsPartitionResponse set(
            Optional<TimestampAndOffset> found, ListOffsetsPartitionResponse response) {
        found.ifPresent(record -> response.setOffset(record.offset)
                .setTimestamp(record.timestamp)
                .setLeaderEpoch(record.leaderEpoch.orElse(UNKNOWN_EPOCH)));
        return response;
    }
}
