package io.faultline.client.virtual;

import static org.assertj.core.api.Assertions.assertThat;

import io.faultline.client.Delivery;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.apache.kafka.common.message.ApiVersionsResponseData;
import org.apache.kafka.common.message.ApiVersionsResponseData.ApiVersion;
import org.apache.kafka.common.message.ProduceResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** That a partition, which waits for what becomes of a batch, is served again whatever that is. */
class PartitionUnmutedTest {

    private static final String TOPIC = "t";
    private static final Duration SOON = Duration.ofSeconds(2);
    private static final Duration A_WHILE = Duration.ofSeconds(10);

    private final VirtualTime time = new VirtualTime();
    private final VirtualNetwork net = new VirtualNetwork(time);
    private final VirtualCluster cluster = new VirtualCluster(net, 1);
    private final VirtualProducer producer = producer();

    /** One record a batch, and a first one that is acked, so that several are in flight. */
    private VirtualProducer producer() {
        cluster.createTopic(TOPIC, 1);
        VirtualProducer made = new VirtualProducer(time, net, cluster, VirtualProducer.Settings.DEFAULT.batchSize(1));
        made.know(TOPIC);
        Delivery first = made.send(TOPIC, 0, "0");
        made.runUntil(A_WHILE, () -> first.delivered().isDone());
        return made;
    }

    private VirtualBroker leader() {
        return cluster.broker(1);
    }

    private void assertThatItIsServedAgain() {
        Delivery later = producer.send(TOPIC, 0, "later");
        producer.runUntil(SOON, () -> later.delivered().isDone());
        assertThat(later.delivered()).isCompleted();
        assertThat(cluster.log(TOPIC, 0).values())
                .startsWith("0")
                .endsWith("later")
                .doesNotHaveDuplicates();
    }

    private List<Delivery> sendWhatIsNotAnswered() {
        leader().swallowAnswersTo(ApiKeys.PRODUCE);
        List<Delivery> held = producer.sendEach(TOPIC, 0, "1", "2", "3");
        producer.run(Duration.ofSeconds(1));
        leader().swallowAnswersTo(null);
        return held;
    }

    private void awaitAll(List<Delivery> deliveries) {
        producer.runUntil(
                A_WHILE,
                () -> deliveries.stream().allMatch(each -> each.delivered().isDone()));
    }

    @ParameterizedTest
    @EnumSource(
            names = {
                "CORRUPT_MESSAGE",
                "DUPLICATE_SEQUENCE_NUMBER",
                "INVALID_PRODUCER_EPOCH",
                "INVALID_RECORD",
                "KAFKA_STORAGE_ERROR",
                "LEADER_NOT_AVAILABLE",
                "MESSAGE_TOO_LARGE",
                "NETWORK_EXCEPTION",
                "NOT_ENOUGH_REPLICAS",
                "NOT_ENOUGH_REPLICAS_AFTER_APPEND",
                "NOT_LEADER_OR_FOLLOWER",
                "OUT_OF_ORDER_SEQUENCE_NUMBER",
                "PRODUCER_FENCED",
                "REQUEST_TIMED_OUT",
                "TOPIC_AUTHORIZATION_FAILED",
                "UNKNOWN_PRODUCER_ID",
                "UNKNOWN_SERVER_ERROR",
                "UNKNOWN_TOPIC_OR_PARTITION"
            })
    void afterAnError(Errors error) {
        int[] left = {1};
        leader().override((api, version, request) ->
                api == ApiKeys.PRODUCE && left[0]-- > 0 ? LostAcksTest.produceError(request, error) : null);
        awaitAll(producer.sendEach(TOPIC, 0, "1", "2", "3"));
        assertThatItIsServedAgain();
    }

    @Test
    void afterAnAnswerThatSaysNothingOfIt() {
        int[] left = {1};
        leader().override((api, version, request) ->
                api == ApiKeys.PRODUCE && left[0]-- > 0 ? new ProduceResponseData() : null);
        awaitAll(producer.sendEach(TOPIC, 0, "1", "2", "3"));
        assertThatItIsServedAgain();
    }

    @Test
    void afterTheEndOfItsConnection() {
        List<Delivery> held = sendWhatIsNotAnswered();
        leader().closeLinks();
        awaitAll(held);
        assertThatItIsServedAgain();
    }

    @Test
    void afterARequestThatWasNotAnswered() {
        List<Delivery> held = sendWhatIsNotAnswered();
        producer.run(VirtualProducer.REQUEST);
        awaitAll(held);
        assertThatItIsServedAgain();
    }

    @Test
    void afterTheDeliveryTimeoutOfWhatIsInFlight() {
        leader().cutOff(true);
        List<Delivery> expired = producer.sendEach(TOPIC, 0, "1", "2", "3");
        producer.run(VirtualProducer.DELIVERY);
        assertThat(expired).allSatisfy(each -> assertThat(each.delivered()).isCompletedExceptionally());
        leader().cutOff(false);
        assertThatItIsServedAgain();
    }

    @Test
    void afterABrokerThatHasNoVersionOfTheRequest() {
        leader().override((api, version, request) ->
                api == ApiKeys.API_VERSIONS ? versionsWithout(ApiKeys.PRODUCE) : null);
        leader().closeLinks();
        awaitAll(producer.sendEach(TOPIC, 0, "1", "2", "3"));
        leader().noOverride();
        leader().closeLinks();
        producer.know(TOPIC);
        assertThatItIsServedAgain();
    }

    private static ApiVersionsResponseData versionsWithout(ApiKeys missing) {
        ApiVersionsResponseData response = new ApiVersionsResponseData();
        for (ApiKeys api : Set.of(ApiKeys.API_VERSIONS, ApiKeys.METADATA, ApiKeys.INIT_PRODUCER_ID, ApiKeys.PRODUCE)) {
            if (api != missing) {
                response.apiKeys()
                        .add(new ApiVersion()
                                .setApiKey(api.id)
                                .setMinVersion(api.oldestVersion())
                                .setMaxVersion(api.latestVersion()));
            }
        }
        return response;
    }
}
