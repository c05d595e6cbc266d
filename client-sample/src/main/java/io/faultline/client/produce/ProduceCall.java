package io.faultline.client.produce;

import io.faultline.client.network.Call;
import io.faultline.client.network.CallFailure;
import io.faultline.client.network.PeerId;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.ProduceRequestData;
import org.apache.kafka.common.message.ProduceRequestData.PartitionProduceData;
import org.apache.kafka.common.message.ProduceRequestData.TopicProduceData;
import org.apache.kafka.common.message.ProduceResponseData;
import org.apache.kafka.common.message.ProduceResponseData.PartitionProduceResponse;
import org.apache.kafka.common.message.ProduceResponseData.TopicProduceResponse;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.record.internal.BaseRecords;
import org.apache.kafka.common.record.internal.MemoryRecords;

/** One Produce request, with a batch for each of some partitions, on its way. On the loop. */
final class ProduceCall implements Call.Handler<ProduceResponseData> {

    private static final int LAST_WITH_NAMES = 12;

    /** Hears how it went. */
    interface Listener {
        /** An answer begins to come in, and will be told of in a moment. */
        void onAnswering();

        void onAnswer(ProduceCall call, Batch batch, PartitionProduceResponse answer);

        void onUnanswered(ProduceCall call, Batch batch, CallFailure failure);

        /** It has ended, and every batch was told of. */
        void onEnd(ProduceCall call);
    }

    private final PeerId leader;
    private final List<Batch> batches;
    private final Map<String, Uuid> topicIds;
    private final ProduceConfig config;
    private final Listener listener;

    ProduceCall(
            PeerId leader, List<Batch> batches, Map<String, Uuid> topicIds, ProduceConfig config, Listener listener) {
        this.leader = leader;
        this.batches = batches;
        this.topicIds = topicIds;
        this.config = config;
        this.listener = listener;
    }

    PeerId leader() {
        return leader;
    }

    Call call() {
        batches.forEach(Batch::writeBegins);
        Call call = Call.of(ApiKeys.PRODUCE, version -> request(), config.requestTimeout(), this);
        if (topicIds.containsValue(Uuid.ZERO_UUID)) {
            call = call.between(ApiKeys.PRODUCE.oldestVersion(), LAST_WITH_NAMES);
        }
        return config.acks() == 0 ? call.withoutResponse() : call;
    }

    private ProduceRequestData request() {
        ProduceRequestData request = new ProduceRequestData()
                .setAcks(config.acks())
                .setTimeoutMs((int)
                        Math.min(Integer.MAX_VALUE, config.requestTimeout().toMillis()));
        Map<String, TopicProduceData> topics = new HashMap<>();
        for (Batch batch : batches) {
            topics.computeIfAbsent(batch.partition().topic(), this::topic)
                    .partitionData()
                    .add(new PartitionProduceData()
                            .setIndex(batch.partition().partition())
                            .setRecords(records(batch)));
        }
        topics.values().forEach(request.topicData()::add);
        return request;
    }

    private static BaseRecords records(Batch batch) {
        return batch.isSpooled() ? batch.entry().records(batch.stamp()) : MemoryRecords.readableRecords(batch.bytes());
    }

    private TopicProduceData topic(String name) {
        return new TopicProduceData().setName(name).setTopicId(topicIds.get(name));
    }

    @Override
    public ByteBuffer roomFor(int bytes) {
        listener.onAnswering();
        return Call.Handler.super.roomFor(bytes);
    }

    @Override
    public void onResponse(ProduceResponseData response, short version) {
        Map<TopicPartition, PartitionProduceResponse> answers = new HashMap<>();
        if (response != null) {
            for (TopicProduceResponse topic : response.responses()) {
                String name = version > LAST_WITH_NAMES ? nameOf(topic.topicId()) : topic.name();
                topic.partitionResponses()
                        .forEach(answer -> answers.put(new TopicPartition(name, answer.index()), answer));
            }
        }
        for (Batch batch : batches) {
            PartitionProduceResponse answer = answers.get(batch.partition());
            if (response == null) { // acks=0: it was written, and that is all there is to know
                answer = new PartitionProduceResponse().setBaseOffset(-1).setLogAppendTimeMs(-1);
            }
            if (answer != null) {
                listener.onAnswer(this, batch, answer);
            } else {
                listener.onUnanswered(
                        this,
                        batch,
                        new CallFailure(
                                CallFailure.Reason.DISCONNECTED, true, "an answer without " + batch.partition(), null));
            }
        }
        listener.onEnd(this);
    }

    private String nameOf(Uuid id) {
        return topicIds.entrySet().stream()
                .filter(entry -> entry.getValue().equals(id))
                .map(Map.Entry::getKey)
                .findFirst()
                .orElse("");
    }

    @Override
    public void onFailure(CallFailure failure) {
        batches.forEach(batch -> listener.onUnanswered(this, batch, failure));
        listener.onEnd(this);
    }

    @Override
    public void onReleased() {
        batches.forEach(Batch::writeEnded);
    }
}
