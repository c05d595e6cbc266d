package io.faultline.client.produce;

import io.faultline.client.network.Call;
import io.faultline.client.network.CallFailure;
import io.faultline.client.network.Network;
import io.faultline.client.network.PeerId;
import io.faultline.client.protocol.ProducerStamp;
import io.faultline.client.protocol.RecordReader;
import io.faultline.client.protocol.RecordReader.Found;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.DescribeProducersRequestData;
import org.apache.kafka.common.message.DescribeProducersRequestData.TopicRequest;
import org.apache.kafka.common.message.DescribeProducersResponseData;
import org.apache.kafka.common.message.DescribeProducersResponseData.PartitionResponse;
import org.apache.kafka.common.message.DescribeProducersResponseData.ProducerState;
import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.message.FetchRequestData.FetchPartition;
import org.apache.kafka.common.message.FetchRequestData.FetchTopic;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.message.FetchResponseData.PartitionData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.Errors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks for batches that are in doubt in the log of their partition. On the loop.
 *
 * <p>First the leader is asked what it knows of the producer: the last sequence that it has. Everything of the same epoch up to
 * there is in its log, and nothing behind it. What is there is then read back, from behind the last offset that was acked, to
 * know its offset and that it is replicated: a fetch shows nothing that is not. What the leader has but does not show yet makes
 * the look-up fail, and it is made again.
 *
 * <p>A leader that does not know the producer any more may have its batches all the same. Then the log alone tells.
 */
final class LogLookup {

    private static final Logger LOG = LoggerFactory.getLogger(LogLookup.class);

    private static final int FETCH_BYTES = 4 << 20;
    private static final int LONGEST_TOPIC_NAMES = 12; // the last version of Fetch that has names instead of ids

    private final Network network;
    private final PeerId leader;
    private final Duration timeout;
    private final TopicPartition partition;
    private final Uuid topicId;
    private final ProducerIdentity identity;
    private final List<Batch> wanted;
    private final Consumer<Result> onEnd;
    private final Consumer<KafkaException> onFailure;
    private final Map<Batch, Long> offsets = new HashMap<>();
    private Integer end;
    private long position;
    private boolean gap;

    /**
     * What was found.
     *
     * @param offsets where the batches are that are there, -1 where that cannot be told
     * @param end the sequence behind the last of them, null if the leader does not know the producer
     * @param whole whether the log still has all that it had since the last ack
     */
    record Result(Map<Batch, Long> offsets, Integer end, boolean whole) {}

    /**
     * Prepares a look-up.
     *
     * @param of whose batches
     * @param onEnd told what is there
     * @param onFailure told that nothing can be said now
     */
    LogLookup(
            Network network,
            PeerId leader,
            Duration timeout,
            PartitionSender of,
            Consumer<Result> onEnd,
            Consumer<KafkaException> onFailure) {
        this.network = network;
        this.leader = leader;
        this.timeout = timeout;
        this.partition = of.partition();
        this.topicId = of.topicId();
        this.identity = of.identity();
        this.wanted = new ArrayList<>(of.retrying());
        this.wanted.removeIf(Batch::isForeign); // in this log another producer may have the same id
        this.position = of.nextOffset();
        this.onEnd = onEnd;
        this.onFailure = onFailure;
    }

    void begin() {
        LOG.info("{} batches for {} are in doubt; asking {} what it has of them", wanted.size(), partition, leader);
        DescribeProducersRequestData request = new DescribeProducersRequestData();
        request.topics()
                .add(new TopicRequest().setName(partition.topic()).setPartitionIndexes(List.of(partition.partition())));
        call(ApiKeys.DESCRIBE_PRODUCERS, version -> request, this::described);
    }

    private void described(DescribeProducersResponseData response) {
        PartitionResponse answer = response.topics().get(0).partitions().get(0);
        if (answer.errorCode() != Errors.NONE.code()) {
            failed(Errors.forCode(answer.errorCode()));
            return;
        }
        for (ProducerState state : answer.activeProducers()) {
            if (state.producerId() == identity.producerId() && state.producerEpoch() == identity.epoch()) {
                end = ProducerStamp.advance(state.lastSequence(), 1);
            }
        }
        if (end != null) {
            wanted.removeIf(batch -> isBehind(batch.endSequence(), end));
        }
        if (wanted.isEmpty()) {
            onEnd.accept(new Result(offsets, end, !gap));
        } else {
            read();
        }
    }

    /** Sequences begin again at 0, so the nearer way round tells which is behind which. */
    private static boolean isBehind(int sequence, int other) {
        int distance = (sequence - other) & Integer.MAX_VALUE;
        return distance != 0 && distance < 1 << 30;
    }

    private void read() {
        FetchTopic topic = new FetchTopic()
                .setTopic(partition.topic())
                .setTopicId(topicId)
                .setPartitions(List.of(new FetchPartition()
                        .setPartition(partition.partition())
                        .setFetchOffset(Math.max(0, position))
                        .setPartitionMaxBytes(FETCH_BYTES)));
        FetchRequestData request = new FetchRequestData()
                .setMaxWaitMs(0)
                .setMinBytes(0)
                .setMaxBytes(FETCH_BYTES)
                .setTopics(List.of(topic));
        call(ApiKeys.FETCH, version -> request, this::fetched);
    }

    private void fetched(FetchResponseData response) {
        if (response.errorCode() != Errors.NONE.code()) {
            failed(Errors.forCode(response.errorCode()));
            return;
        }
        PartitionData data = response.responses().get(0).partitions().get(0);
        Errors error = Errors.forCode(data.errorCode());
        if (error == Errors.OFFSET_OUT_OF_RANGE) {
            outOfRange(data);
        } else if (error != Errors.NONE) {
            failed(error);
        } else {
            List<Found> batches = RecordReader.batches(data.records());
            batches.forEach(this::recognise);
            if (wanted.isEmpty()) {
                onEnd.accept(new Result(offsets, end, !gap));
            } else if (batches.isEmpty() || position >= data.highWatermark()) {
                endOfLog();
            } else {
                read();
            }
        }
    }

    private void recognise(Found found) {
        position = found.lastOffset() + 1;
        for (Batch batch : wanted) {
            if (batch.stamp().equals(found.stamp())) {
                offsets.put(batch, found.baseOffset());
                wanted.remove(batch);
                return;
            }
        }
    }

    /** Retention has moved the log's start past our position; or the log ends before it, and then nothing of ours is behind. */
    private void outOfRange(PartitionData data) {
        if (data.logStartOffset() > Math.max(0, position)) {
            position = data.logStartOffset();
            gap = true;
            read();
        } else {
            endOfLog();
        }
    }

    private void endOfLog() {
        if (end == null) {
            onEnd.accept(new Result(offsets, null, !gap));
        } else if (gap) {
            wanted.forEach(batch -> offsets.put(batch, -1L)); // it had them, and has deleted them since
            onEnd.accept(new Result(offsets, end, false));
        } else {
            // The leader has them, but they are not replicated so far that they are shown.
            onFailure.accept(new KafkaException(wanted.size() + " batches in doubt are not replicated yet"));
        }
    }

    private void failed(Errors error) {
        onFailure.accept(new KafkaException(
                "the log of " + partition + " cannot be read: " + error.message(), error.exception()));
    }

    private <R extends ApiMessage> void call(ApiKeys api, Call.Body body, Consumer<R> onResponse) {
        Call call = Call.of(api, body, timeout, new Call.Handler<R>() {
            @Override
            public void onResponse(R response, short version) {
                onResponse.accept(response);
            }

            @Override
            public void onFailure(CallFailure failure) {
                onFailure.accept(failure.asException());
            }
        });
        boolean byName = api == ApiKeys.FETCH && topicId.equals(Uuid.ZERO_UUID);
        network.call(leader, byName ? call.between(api.oldestVersion(), LONGEST_TOPIC_NAMES) : call);
    }
}
