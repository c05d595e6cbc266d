package io.faultline.broker;

import static org.assertj.core.api.Assertions.assertThat;

import io.faultline.broker.junit.BrokerExtension;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.message.FetchRequestData.FetchPartition;
import org.apache.kafka.common.message.FetchRequestData.FetchTopic;
import org.apache.kafka.common.message.FetchRequestData.ForgottenTopic;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.message.FetchResponseData.PartitionData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Fetches that name only what is new, and are told only what is new. */
class FetchSessionTest {

    private static final int SLOTS = 3;

    @RegisterExtension
    final BrokerExtension extension =
            new BrokerExtension(builder -> builder.property("max.incremental.fetch.session.cache.slots", "" + SLOTS));

    private EmbeddedBroker broker;
    private RawClient client;
    private Uuid topicId;

    @BeforeEach
    void connect() throws IOException {
        broker = extension.broker();
        topicId = broker.topics().create("t", 4).id();
        client = new RawClient(broker.bootstrapServers());
    }

    @AfterEach
    void disconnect() throws IOException {
        client.close();
    }

    @ParameterizedTest
    @ValueSource(ints = {7, 12, 13, 18})
    void aResponseNamesOnlyWhatIsNew(int version) throws IOException {
        FetchResponseData first = fetch(version, 0, 0, Map.of(0, 0L, 1, 0L, 2, 0L));
        assertThat(first.sessionId()).isPositive();
        assertThat(partitions(first)).containsExactlyInAnyOrder(0, 1, 2);

        assertThat(partitions(fetch(version, first.sessionId(), 1, Map.of()))).isEmpty();
        broker.log("t", 1).append(Requests.records("value"));
        FetchResponseData third = fetch(version, first.sessionId(), 2, Map.of());
        assertThat(third.sessionId()).isEqualTo(first.sessionId());
        assertThat(partitions(third)).containsExactly(1);
        assertThat(only(third).records().sizeInBytes()).isPositive();

        assertThat(partitions(fetch(version, first.sessionId(), 3, Map.of(1, 1L))))
                .isEmpty();
        broker.log("t", 1).deleteRecordsBefore(1);
        assertThat(only(fetch(version, first.sessionId(), 4, Map.of())).logStartOffset())
                .isEqualTo(version < 5 ? -1 : 1);
    }

    @Test
    void partitionsAreAddedAndForgotten() throws IOException {
        int id = fetch(13, 0, 0, Map.of(0, 0L)).sessionId();
        assertThat(partitions(fetch(13, id, 1, Map.of(3, 0L)))).containsExactly(3);
        broker.log("t", 0).append(Requests.records("value"));
        broker.log("t", 3).append(Requests.records("value"));
        FetchRequestData request = request(id, 2, Map.of());
        request.setForgottenTopicsData(
                List.of(new ForgottenTopic().setTopic("t").setTopicId(topicId).setPartitions(List.of(0))));
        assertThat(partitions(call(13, request))).containsExactly(3);

        request = request(id, 3, Map.of());
        request.setForgottenTopicsData(
                List.of(new ForgottenTopic().setTopic("t").setTopicId(topicId).setPartitions(List.of(3))));
        assertThat(call(13, request).sessionId()).isZero();
        assertThat(error(fetch(13, id, 4, Map.of()))).isEqualTo(Errors.FETCH_SESSION_ID_NOT_FOUND);
    }

    @Test
    void anErrorIsToldAgainUntilItIsOver() throws IOException {
        int id = fetch(13, 0, 0, Map.of(0, 9L)).sessionId();
        for (int epoch = 1; epoch < 3; epoch++) {
            assertThat(only(fetch(13, id, epoch, Map.of())).errorCode()).isEqualTo(Errors.OFFSET_OUT_OF_RANGE.code());
        }
        assertThat(only(fetch(13, id, 3, Map.of(0, 0L))).errorCode()).isZero();
        assertThat(partitions(fetch(13, id, 4, Map.of()))).isEmpty();
    }

    @Test
    void whoGotRecordsIsReadLastTheNextTime() throws IOException {
        for (int partition = 0; partition < 3; partition++) {
            broker.log("t", partition).append(Requests.records("value"));
        }
        int id = fetch(13, 0, 0, Map.of(0, 0L, 1, 0L, 2, 0L)).sessionId();
        // Nothing was acknowledged, so that each has the same record again, and there is room for one of them.
        List<Integer> first = IntStream.rangeClosed(1, 3)
                .mapToObj(epoch -> {
                    try {
                        FetchResponseData response =
                                call(13, request(id, epoch, Map.of()).setMaxBytes(1));
                        return partitions(response).get(0);
                    } catch (IOException failure) {
                        throw new AssertionError(failure);
                    }
                })
                .toList();
        assertThat(first).containsExactlyInAnyOrder(0, 1, 2);
    }

    @Test
    void aRequestThatIsNotTheNextIsRefused() throws IOException {
        int id = fetch(13, 0, 0, Map.of(0, 0L)).sessionId();
        assertThat(error(fetch(13, id, 2, Map.of()))).isEqualTo(Errors.INVALID_FETCH_SESSION_EPOCH);
        assertThat(error(fetch(13, id, 1, Map.of()))).isEqualTo(Errors.NONE);
        assertThat(error(fetch(13, id, 1, Map.of()))).isEqualTo(Errors.INVALID_FETCH_SESSION_EPOCH);
        assertThat(error(fetch(12, id, 2, Map.of()))).isEqualTo(Errors.FETCH_SESSION_TOPIC_ID_ERROR);
        assertThat(error(fetch(13, id + 1, 1, Map.of()))).isEqualTo(Errors.FETCH_SESSION_ID_NOT_FOUND);
    }

    @Test
    void aSessionIsClosedByItsLastRequest() throws IOException {
        int id = fetch(13, 0, 0, Map.of(0, 0L)).sessionId();
        FetchResponseData last = fetch(13, id, -1, Map.of(0, 0L));
        assertThat(last.sessionId()).isZero();
        assertThat(partitions(last)).containsExactly(0);
        assertThat(error(fetch(13, id, 1, Map.of()))).isEqualTo(Errors.FETCH_SESSION_ID_NOT_FOUND);
    }

    @Test
    void whereThereIsNoRoomForASessionTheFetchIsAnsweredWithoutOne() throws IOException {
        int id = 0;
        for (int slot = 0; slot < SLOTS; slot++) {
            id = fetch(13, 0, 0, Map.of(0, 0L)).sessionId();
            assertThat(id).isPositive();
        }
        FetchResponseData without = fetch(13, 0, 0, Map.of(0, 0L));
        assertThat(without.sessionId()).isZero();
        assertThat(partitions(without)).containsExactly(0);
        // One that begins anew gives its own up.
        assertThat(fetch(13, id, 0, Map.of(0, 0L)).sessionId()).isPositive().isNotEqualTo(id);
    }

    @Test
    void aWaitingFetchIsOfItsSession() throws IOException {
        int id = fetch(13, 0, 0, Map.of(0, 0L, 1, 0L)).sessionId();
        client.send(
                ApiKeys.FETCH, 13, request(id, 1, Map.of()).setMaxWaitMs(300).setMinBytes(1));
        FetchResponseData response = client.receive(ApiKeys.FETCH, 13, FetchResponseData.class);
        assertThat(response.sessionId()).isEqualTo(id);
        assertThat(response.responses()).isEmpty();
    }

    private FetchResponseData fetch(int version, int sessionId, int epoch, Map<Integer, Long> offsets)
            throws IOException {
        return call(version, request(sessionId, epoch, offsets));
    }

    private FetchResponseData call(int version, FetchRequestData request) throws IOException {
        return client.call(ApiKeys.FETCH, version, request, FetchResponseData.class);
    }

    private FetchRequestData request(int sessionId, int epoch, Map<Integer, Long> offsets) {
        FetchTopic topic = new FetchTopic().setTopic("t").setTopicId(topicId);
        offsets.forEach((index, offset) -> topic.partitions()
                .add(new FetchPartition()
                        .setPartition(index)
                        .setFetchOffset(offset)
                        .setPartitionMaxBytes(1 << 20)));
        return new FetchRequestData()
                .setSessionId(sessionId)
                .setSessionEpoch(epoch)
                .setMaxBytes(1 << 20)
                .setTopics(offsets.isEmpty() ? List.of() : List.of(topic));
    }

    private static Errors error(FetchResponseData response) {
        return Errors.forCode(response.errorCode());
    }

    private static List<Integer> partitions(FetchResponseData response) {
        return response.responses().stream()
                .flatMap(topic -> topic.partitions().stream())
                .map(PartitionData::partitionIndex)
                .toList();
    }

    private static PartitionData only(FetchResponseData response) {
        assertThat(partitions(response)).hasSize(1);
        return response.responses().get(0).partitions().get(0);
    }
}
