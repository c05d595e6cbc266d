package io.faultline.client.virtual;

import static org.assertj.core.api.Assertions.assertThat;

import io.faultline.client.Delivery;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.message.InitProducerIdResponseData;
import org.apache.kafka.common.message.ProduceRequestData;
import org.apache.kafka.common.message.ProduceResponseData;
import org.apache.kafka.common.message.ProduceResponseData.PartitionProduceResponse;
import org.apache.kafka.common.message.ProduceResponseData.TopicProduceResponse;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.junit.jupiter.api.Test;

/** What becomes of batches whose acks were lost, and under what numbers. */
class LostAcksTest {

    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final String TOPIC = "t";

    private final VirtualTime time = new VirtualTime();
    private final VirtualNetwork net = new VirtualNetwork(time);
    private final VirtualCluster cluster = new VirtualCluster(net, 2);

    /** One record a batch, so that each record has a fate of its own. */
    private VirtualProducer producer() {
        cluster.createTopic(TOPIC, 2);
        VirtualProducer producer =
                new VirtualProducer(time, net, cluster, VirtualProducer.Settings.DEFAULT.batchSize(1));
        producer.know(TOPIC);
        return producer;
    }

    private VirtualBroker leader() {
        return cluster.broker(1);
    }

    private VirtualLog log() {
        return cluster.log(TOPIC, 0);
    }

    private static long offset(Delivery delivery) {
        return delivery.delivered().join().offset();
    }

    private void establish(VirtualProducer producer) {
        Delivery first = producer.send(TOPIC, 0, "0");
        producer.runUntil(PATIENCE, () -> first.delivered().isDone());
    }

    private static boolean allDone(List<Delivery> deliveries) {
        return deliveries.stream().allMatch(delivery -> delivery.delivered().isDone());
    }

    @Test
    void eatenAcksAndARestartedBrokerDuplicateAndReorderNothing() {
        VirtualProducer producer = producer();
        establish(producer);
        leader().swallowAnswersTo(ApiKeys.PRODUCE);
        List<Delivery> deliveries = producer.sendEach(TOPIC, 0, "1", "2", "3", "4", "5");
        producer.run(Duration.ofSeconds(1));
        assertThat(log().values()).containsExactly("0", "1", "2", "3", "4", "5");
        leader().swallowAnswersTo(null);
        cluster.restart(1);
        producer.runUntil(PATIENCE, () -> allDone(deliveries));
        Delivery later = producer.send(TOPIC, 0, "6");
        producer.runUntil(PATIENCE, () -> later.delivered().isDone());
        assertThat(log().values()).containsExactly("0", "1", "2", "3", "4", "5", "6");
        assertThat(deliveries.stream().map(LostAcksTest::offset)).containsExactly(1L, 2L, 3L, 4L, 5L);
        assertThat(offset(later)).isEqualTo(6);
    }

    @Test
    void eatenAcksOfARunningBrokerAreFoundOutByResending() {
        VirtualProducer producer = producer();
        establish(producer);
        leader().swallowAnswersTo(ApiKeys.PRODUCE);
        List<Delivery> deliveries = producer.sendEach(TOPIC, 0, "1", "2", "3", "4", "5");
        producer.run(Duration.ofSeconds(31)); // the request watchdog condemns the connection
        leader().swallowAnswersTo(null);
        producer.runUntil(PATIENCE, () -> allDone(deliveries));
        assertThat(log().values()).containsExactly("0", "1", "2", "3", "4", "5");
        assertThat(deliveries.stream().map(LostAcksTest::offset)).containsExactly(1L, 2L, 3L, 4L, 5L);
        assertThat(leader().requests()).doesNotContain(ApiKeys.DESCRIBE_PRODUCERS);
    }

    @Test
    void aBatchThatIsInTheLeadersLogButNotReplicatedIsAckedWhenItIs() {
        VirtualProducer producer = producer();
        establish(producer);
        leader().swallowAnswersTo(ApiKeys.PRODUCE);
        List<Delivery> deliveries = producer.sendEach(TOPIC, 0, "1", "2");
        producer.run(Duration.ofSeconds(1));
        leader().swallowAnswersTo(null);
        log().showOnlyBelow(2);
        cluster.restart(1);
        producer.run(Duration.ofSeconds(20));
        assertThat(deliveries.get(0).delivered()).isNotDone();
        log().showOnlyBelow(Long.MAX_VALUE);
        producer.runUntil(Duration.ofSeconds(2), () -> allDone(deliveries));
        assertThat(log().values()).containsExactly("0", "1", "2");
        assertThat(deliveries.stream().map(LostAcksTest::offset)).containsExactly(1L, 2L);
    }

    @Test
    void batchesThatTheLogLostAreSentAgainInANewEpoch() {
        VirtualProducer producer = producer();
        establish(producer);
        leader().swallowAnswersTo(ApiKeys.PRODUCE);
        List<Delivery> deliveries = producer.sendEach(TOPIC, 0, "1", "2", "3");
        producer.run(Duration.ofSeconds(1));
        leader().swallowAnswersTo(null);
        leader().kill();
        log().truncateTo(0);
        leader().start();
        producer.runUntil(PATIENCE, () -> allDone(deliveries));
        assertThat(log().values()).containsExactly("1", "2", "3");
    }

    @Test
    void aProducerThatTheBrokerForgotFindsItsBatchesInTheLog() {
        VirtualProducer producer = producer();
        establish(producer);
        leader().swallowAnswersTo(ApiKeys.PRODUCE);
        List<Delivery> deliveries = producer.sendEach(TOPIC, 0, "1", "2");
        producer.run(Duration.ofSeconds(1));
        leader().swallowAnswersTo(null);
        leader().override((api, version, request) ->
                api == ApiKeys.PRODUCE ? produceError(request, Errors.UNKNOWN_PRODUCER_ID) : null);
        log().forgetProducers();
        leader().closeLinks();
        producer.runUntil(PATIENCE, () -> allDone(deliveries));
        leader().noOverride();
        assertThat(deliveries.stream().map(LostAcksTest::offset)).containsExactly(1L, 2L);
        assertThat(log().values()).containsExactly("0", "1", "2");
    }

    @Test
    void laterBatchesAreAckedAfterOneExpired() {
        VirtualProducer producer = producer();
        establish(producer);
        leader().cutOff(true);
        Delivery lost = producer.sendEach(TOPIC, 0, "lost").get(0);
        producer.run(VirtualProducer.DELIVERY.plusSeconds(1));
        assertThat(lost.delivered()).isCompletedExceptionally();
        leader().cutOff(false);
        List<Delivery> later = producer.sendEach(TOPIC, 0, "1", "2", "3");
        producer.runUntil(Duration.ofSeconds(2), () -> allDone(later));
        assertThat(log().values()).containsExactly("0", "1", "2", "3");
        assertThat(later.stream().map(LostAcksTest::offset)).containsExactly(1L, 2L, 3L);
        assertThat(log().epochs()).startsWith((short) 0).endsWith((short) 1);
    }

    @Test
    void aNewEpochWaitsUntilTheBatchesInFlightAreSettled() {
        VirtualProducer producer = producer();
        establish(producer);
        leader().freeze();
        Delivery old = producer.sendEach(TOPIC, 0, "old").get(0);
        producer.run(Duration.ofSeconds(110));
        Delivery young = producer.sendEach(TOPIC, 0, "young").get(0);
        producer.run(Duration.ofSeconds(11)); // the old one's time is up, the young one's is not
        assertThat(old.delivered()).isCompletedExceptionally();
        assertThat(young.delivered()).isNotDone();
        leader().thaw();
        producer.runUntil(PATIENCE, () -> young.delivered().isDone());
        // The broker dealt with the old one when it went on. It is undecided to its sender, and young comes once.
        assertThat(log().values()).containsExactly("0", "old", "young");
    }

    @Test
    void duplicateSequenceIsSuccess() {
        VirtualProducer producer = producer();
        establish(producer);
        leader().override((api, version, request) ->
                api == ApiKeys.PRODUCE ? produceError(request, Errors.DUPLICATE_SEQUENCE_NUMBER) : null);
        Delivery delivery = producer.send(TOPIC, 0, "1");
        producer.runUntil(PATIENCE, () -> delivery.delivered().isDone());
        assertThat(delivery.delivered().join().hasOffset()).isFalse();
    }

    @Test
    void aBrokerThatHasOtherNumbersGetsTheBatchInANewEpoch() {
        VirtualProducer producer = producer();
        establish(producer);
        refuseOnce(Errors.OUT_OF_ORDER_SEQUENCE_NUMBER);
        List<Delivery> deliveries = producer.sendEach(TOPIC, 0, "1", "2", "3");
        producer.runUntil(PATIENCE, () -> allDone(deliveries));
        assertThat(log().values()).containsExactly("0", "1", "2", "3");
        assertThat(log().epochs()).startsWith((short) 0, (short) 1).endsWith((short) 1);
    }

    @Test
    void aFencedProducerGoesOnUnderAnotherId() {
        VirtualProducer producer = producer();
        establish(producer);
        refuseOnce(Errors.INVALID_PRODUCER_EPOCH);
        List<Delivery> deliveries = producer.sendEach(TOPIC, 0, "1", "2");
        producer.runUntil(PATIENCE, () -> allDone(deliveries));
        assertThat(log().values()).containsExactly("0", "1", "2");
        assertThat(cluster.log(TOPIC, 0).producerIds()).hasSize(2);
    }

    @Test
    void anExhaustedEpochIsFollowedByAnotherProducerId() {
        List<Integer> asked = new ArrayList<>();
        for (VirtualBroker broker : List.of(cluster.broker(1), cluster.broker(2))) {
            broker.override((api, version, request) -> {
                if (api != ApiKeys.INIT_PRODUCER_ID) {
                    return null;
                }
                asked.add(broker.id());
                return new InitProducerIdResponseData()
                        .setProducerId(asked.size())
                        .setProducerEpoch((short) (asked.size() == 1 ? Short.MAX_VALUE - 1 : 0));
            });
        }
        VirtualProducer producer = producer();
        establish(producer);
        leader().cutOff(true);
        producer.sendEach(TOPIC, 0, "lost");
        producer.run(VirtualProducer.DELIVERY.plusSeconds(1));
        leader().cutOff(false);
        Delivery later = producer.send(TOPIC, 0, "1");
        producer.runUntil(PATIENCE, () -> later.delivered().isDone());
        assertThat(offset(later)).isEqualTo(1);
        assertThat(log().epochs()).containsExactly((short) (Short.MAX_VALUE - 1), (short) 0);
        assertThat(asked).hasSize(2);
    }

    @Test
    void aStorageErrorIsReRoutedToTheNewLeaderUnderTheSameNumber() {
        VirtualProducer producer = producer();
        establish(producer);
        leader().override((api, version, request) ->
                api == ApiKeys.PRODUCE ? produceError(request, Errors.KAFKA_STORAGE_ERROR) : null);
        List<Delivery> deliveries = producer.sendEach(TOPIC, 0, "1", "2", "3");
        producer.run(Duration.ofMillis(50));
        cluster.lead(new TopicPartition(TOPIC, 0), 2);
        producer.runUntil(Duration.ofSeconds(5), () -> allDone(deliveries));
        assertThat(log().values()).containsExactly("0", "1", "2", "3");
        assertThat(log().epochs()).containsOnly((short) 0);
    }

    @Test
    void notEnoughReplicasAfterAppendIsRetriedWithoutDuplicates() {
        VirtualProducer producer = producer();
        establish(producer);
        int[] left = {2};
        leader().override((api, version, request) -> {
            if (api != ApiKeys.PRODUCE || left[0]-- <= 0) {
                return null;
            }
            log().append(records(request));
            return produceError(request, Errors.NOT_ENOUGH_REPLICAS_AFTER_APPEND);
        });
        List<Delivery> deliveries = producer.sendEach(TOPIC, 0, "1", "2");
        producer.runUntil(PATIENCE, () -> allDone(deliveries));
        assertThat(log().values()).containsExactly("0", "1", "2");
        assertThat(deliveries.stream().map(LostAcksTest::offset)).containsExactly(1L, 2L);
    }

    @Test
    void aBatchThatIsTooLargeIsSplitAndKeepsItsNumbers() {
        cluster.createTopic(TOPIC, 2);
        VirtualProducer producer =
                new VirtualProducer(time, net, cluster, VirtualProducer.Settings.DEFAULT.linger(Duration.ofMillis(10)));
        producer.know(TOPIC);
        establish(producer);
        leader().override((api, version, request) ->
                api == ApiKeys.PRODUCE && records(request).sizeInBytes() > 100
                        ? produceError(request, Errors.MESSAGE_TOO_LARGE)
                        : null);
        List<Delivery> deliveries = new ArrayList<>();
        for (int index = 1; index <= 40; index++) {
            deliveries.add(producer.send(TOPIC, 0, Integer.toString(index)));
        }
        producer.runUntil(PATIENCE, () -> allDone(deliveries));
        List<String> expected = new ArrayList<>();
        for (int index = 0; index <= 40; index++) {
            expected.add(Integer.toString(index));
        }
        assertThat(log().values()).containsExactlyElementsOf(expected);
        assertThat(log().epochs()).containsOnly((short) 0);
        assertThat(producer.pipeline().freeMemory()).isEqualTo(32 << 20);
        assertThat(producer.pipeline().counts().now().acked()).isEqualTo(41);
    }

    @Test
    void aRecordThatIsTooLargeByItselfFailsAndLaterOnesAreAcked() {
        VirtualProducer producer = producer();
        establish(producer);
        refuseOnce(Errors.MESSAGE_TOO_LARGE);
        List<Delivery> deliveries = producer.sendEach(TOPIC, 0, "large", "1", "2");
        producer.runUntil(PATIENCE, () -> allDone(deliveries));
        assertThat(deliveries.get(0).delivered()).isCompletedExceptionally();
        assertThat(log().values()).containsExactly("0", "1", "2");
    }

    @Test
    void aTopicThatIsMadeAnewUnderAnotherIdIsProducedTo() {
        VirtualProducer producer = producer();
        establish(producer);
        leader().swallowAnswersTo(ApiKeys.PRODUCE);
        List<Delivery> deliveries = producer.sendEach(TOPIC, 0, "1", "2");
        producer.run(Duration.ofSeconds(1));
        leader().swallowAnswersTo(null);
        cluster.createTopic(TOPIC, 2);
        leader().closeLinks();
        producer.runUntil(PATIENCE, () -> allDone(deliveries));
        List<Delivery> later = producer.sendEach(TOPIC, 0, "3");
        producer.runUntil(PATIENCE, () -> allDone(later));
        assertThat(log().values()).containsExactly("1", "2", "3");
        assertThat(offset(later.get(0))).isEqualTo(2);
    }

    @Test
    void whileNothingIsAckedOneBatchIsInFlight() {
        // A broker that does not know the producer would take the second as its first.
        VirtualProducer producer = producer();
        refuseOnce(Errors.NOT_ENOUGH_REPLICAS);
        List<Delivery> deliveries = producer.sendEach(TOPIC, 0, "1", "2", "3");
        producer.runUntil(PATIENCE, () -> allDone(deliveries));
        assertThat(log().values()).containsExactly("1", "2", "3");
    }

    @Test
    void whatExpiredIsReportedAsUndecided() {
        VirtualProducer producer = producer();
        establish(producer);
        leader().freeze();
        Delivery delivery = producer.send(TOPIC, 0, "1");
        producer.run(VirtualProducer.DELIVERY.plusSeconds(1));
        assertThat(delivery.delivered())
                .failsWithin(Duration.ZERO)
                .withThrowableThat()
                .havingCause()
                .isInstanceOf(TimeoutException.class)
                .withMessageContaining("not known");
    }

    private void refuseOnce(Errors error) {
        int[] left = {1};
        leader().override((api, version, request) ->
                api == ApiKeys.PRODUCE && left[0]-- > 0 ? produceError(request, error) : null);
    }

    private static MemoryRecords records(ApiMessage request) {
        return (MemoryRecords) ((ProduceRequestData) request)
                .topicData()
                .iterator()
                .next()
                .partitionData()
                .get(0)
                .records();
    }

    static boolean isSuccess(ApiMessage response) {
        return ((ProduceResponseData) response)
                .responses().stream()
                        .flatMap(topic -> topic.partitionResponses().stream())
                        .allMatch(answer -> answer.errorCode() == Errors.NONE.code());
    }

    static ProduceResponseData produceError(ApiMessage request, Errors error) {
        ProduceResponseData response = new ProduceResponseData();
        for (ProduceRequestData.TopicProduceData topic : ((ProduceRequestData) request).topicData()) {
            TopicProduceResponse answers = new TopicProduceResponse().setTopicId(topic.topicId());
            topic.partitionData()
                    .forEach(data -> answers.partitionResponses()
                            .add(new PartitionProduceResponse()
                                    .setIndex(data.index())
                                    .setErrorCode(error.code())
                                    .setBaseOffset(-1)));
            response.responses().add(answers);
        }
        return response;
    }
}
