package io.faultline.client.virtual;

import static org.assertj.core.api.Assertions.assertThat;

import io.faultline.client.Delivery;
import io.faultline.client.network.Call;
import io.faultline.client.network.CallFailure;
import io.faultline.client.network.PeerId;
import io.faultline.client.watchdog.Watchdog;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.message.MetadataRequestData;
import org.apache.kafka.common.message.MetadataResponseData;
import org.apache.kafka.common.message.ProduceResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The way to a broker: throttling, idleness, calls without a connection, views that are wrong. */
class PeerTest {

    private static final String TOPIC = "t";

    private final VirtualTime time = new VirtualTime();
    private final VirtualNetwork net = new VirtualNetwork(time);
    private final VirtualCluster cluster = new VirtualCluster(net, 2);

    private VirtualProducer producer() {
        cluster.createTopic(TOPIC, 2);
        VirtualProducer producer = new VirtualProducer(time, net, cluster);
        producer.know(TOPIC);
        return producer;
    }

    @Test
    void aThrottledBrokerIsLeftAloneWithoutATripAndServedAgainAfterwards() {
        VirtualProducer producer = producer();
        throttleOnce(60_000);
        Delivery first = producer.send(TOPIC, 0, "1");
        producer.runUntil(Duration.ofSeconds(5), () -> first.delivered().isDone());
        Delivery second = producer.send(TOPIC, 0, "2");
        Duration took = producer.runUntil(
                Duration.ofSeconds(61), () -> second.delivered().isDone());
        assertThat(took).isGreaterThan(Duration.ofSeconds(59));
        assertThat(second.delivered()).isCompleted();
        assertThat(producer.trips().count(Watchdog.REQUEST)).isZero();
        assertThat(producer.trips().count(Watchdog.DELIVERY)).isZero();
    }

    @Test
    void throttlingCannotOutliveTheDeliveryTimeout() {
        VirtualProducer producer = producer();
        throttleOnce(300_000);
        Delivery first = producer.send(TOPIC, 0, "1");
        producer.runUntil(Duration.ofSeconds(5), () -> first.delivered().isDone());
        Delivery second = producer.send(TOPIC, 0, "2");
        producer.run(VirtualProducer.DELIVERY.plusMillis(1));
        assertThat(second.delivered()).isCompletedExceptionally();
    }

    @Test
    void theMuteEndsWithTheConnection() {
        VirtualProducer producer = producer();
        throttleOnce(300_000);
        Delivery first = producer.send(TOPIC, 0, "1");
        producer.runUntil(Duration.ofSeconds(5), () -> first.delivered().isDone());
        Delivery second = producer.send(TOPIC, 0, "2");
        cluster.broker(1).closeLinks();
        producer.runUntil(Duration.ofSeconds(2), () -> second.delivered().isDone());
        assertThat(second.delivered()).isCompleted();
    }

    private void throttleOnce(int millis) {
        int[] left = {1};
        cluster.broker(1).override((api, version, request) -> {
            if (api != ApiKeys.PRODUCE || left[0]-- <= 0) {
                return null;
            }
            cluster.broker(1).noOverride();
            ProduceResponseData response = (ProduceResponseData) cluster.answer(1, api, version, request);
            return response.setThrottleTimeMs(millis);
        });
    }

    @Test
    void anIdleConnectionIsClosedAndTheNextSendMakesAnother() {
        VirtualProducer producer = producer();
        producer.send(TOPIC, 0, "1");
        producer.send(TOPIC, 1, "1");
        producer.run(Duration.ofSeconds(1));
        assertThat(net.openLinks()).isEqualTo(2);
        producer.run(Duration.ofMinutes(10)); // connections.max.idle.ms is 9; one goes on to be asked for metadata
        assertThat(net.openLinks()).isEqualTo(1);
        producer.know(TOPIC);
        List<Delivery> later = List.of(producer.send(TOPIC, 0, "2"), producer.send(TOPIC, 1, "2"));
        producer.run(Duration.ofSeconds(2));
        assertThat(later)
                .allSatisfy(delivery -> assertThat(delivery.delivered()).isCompleted());
    }

    @Test
    void aRequestThatMeetsTheBrokersIdleCloseIsSentAgainAndThereOnce() {
        VirtualProducer producer = producer();
        Delivery first = producer.send(TOPIC, 0, "1");
        producer.runUntil(Duration.ofSeconds(5), () -> first.delivered().isDone());
        Delivery second = producer.send(TOPIC, 0, "2");
        producer.turn();
        producer.turn(); // it is written
        cluster.broker(1).closeLinks();
        producer.runUntil(Duration.ofSeconds(2), () -> second.delivered().isDone());
        assertThat(cluster.log(TOPIC, 0).values()).containsExactly("1", "2");
    }

    @Test
    void callsBehindAConnectionThatNeverNegotiatesFailByTheirOwnDeadline() {
        VirtualProducer producer = producer();
        producer.run(Duration.ofSeconds(1));
        cluster.broker(2).swallowAnswersTo(ApiKeys.API_VERSIONS);
        List<CallFailure> failures = new ArrayList<>();
        producer.loop().execute(() -> producer.network().call(PeerId.broker(2), metadataCall(failures)));
        Duration took = producer.runUntil(Duration.ofSeconds(60), () -> !failures.isEmpty());
        assertThat(took).isBetween(Duration.ofSeconds(5), Duration.ofMillis(5_010));
        assertThat(failures.get(0).reason()).isEqualTo(CallFailure.Reason.TIMED_OUT);
        assertThat(failures.get(0).inDoubt()).isFalse();
        cluster.broker(2).swallowAnswersTo(null);
        Delivery later = producer.send(TOPIC, 1, "later");
        producer.runUntil(Duration.ofSeconds(2), () -> later.delivered().isDone());
        assertThat(later.delivered()).isCompleted();
    }

    @Test
    void aCallThatIsNotAnsweredFailsAtItsDeadlineThoughNothingHappensOnItsSocket() {
        VirtualProducer producer = producer();
        Delivery first = producer.send(TOPIC, 1, "1");
        producer.runUntil(Duration.ofSeconds(5), () -> first.delivered().isDone());
        cluster.broker(2).freeze();
        List<CallFailure> failures = new ArrayList<>();
        producer.network().call(PeerId.broker(2), metadataCall(failures));
        Duration took = producer.runUntil(Duration.ofHours(20), () -> !failures.isEmpty());
        assertThat(took).isEqualTo(Duration.ofSeconds(5));
        assertThat(failures.get(0).reason()).isEqualTo(CallFailure.Reason.TIMED_OUT);
        assertThat(failures.get(0).inDoubt()).isTrue();
    }

    /** What is done to a broker so that no connection to it is ever set up, and what notices. */
    private enum SetUp {
        NO_CONNECT(Watchdog.CONNECT, broker -> broker.cutOff(true)),
        NO_ANSWER(Watchdog.NEGOTIATE, broker -> broker.swallowAnswersTo(ApiKeys.API_VERSIONS));

        private final Watchdog watchdog;
        private final Consumer<VirtualBroker> prevent;

        SetUp(Watchdog watchdog, Consumer<VirtualBroker> prevent) {
            this.watchdog = watchdog;
            this.prevent = prevent;
        }
    }

    /** The defaults: 10 s, doubled with each failure up to 30 s, give or take a fifth. */
    @ParameterizedTest
    @EnumSource
    void aSetUpEndsWithinItsTimeoutWhichGrowsToItsLimit(SetUp setUp) {
        VirtualProducer producer = producer();
        setUp.prevent.accept(cluster.broker(2));
        producer.send(TOPIC, 1, "lost");
        long begun = time.nanos();
        producer.run(VirtualProducer.DELIVERY);
        List<Duration> ends = producer.tripped().stream()
                .filter(trip -> trip.watchdog() == setUp.watchdog)
                .map(trip -> Duration.ofNanos(trip.at() - begun))
                .toList();
        assertThat(ends.get(0)).isBetween(Duration.ofSeconds(8), Duration.ofSeconds(12));
        assertThat(ends).hasSizeBetween(4, 12);
        for (int index = 1; index < ends.size(); index++) {
            assertThat(ends.get(index).minus(ends.get(index - 1))).isLessThanOrEqualTo(Duration.ofSeconds(36));
        }
        assertThat(ends.get(ends.size() - 1).minus(ends.get(ends.size() - 2))).isGreaterThan(Duration.ofSeconds(20));
    }

    private static Call metadataCall(List<CallFailure> failures) {
        return Call.of(
                ApiKeys.METADATA,
                version -> new MetadataRequestData(),
                Duration.ofSeconds(5),
                new Call.Handler<MetadataResponseData>() {
                    @Override
                    public void onResponse(MetadataResponseData response, short version) {
                        throw new AssertionError("answered");
                    }

                    @Override
                    public void onFailure(CallFailure failure) {
                        failures.add(failure);
                    }
                });
    }

    @Test
    void aCallToABrokerThatIsNotKnownFailsAtOnceAndNotInsideTheCall() {
        VirtualProducer producer = producer();
        List<CallFailure> failures = new ArrayList<>();
        producer.network().call(PeerId.broker(99), metadataCall(failures));
        assertThat(failures).isEmpty();
        producer.turn();
        assertThat(failures)
                .singleElement()
                .satisfies(failure -> assertThat(failure.reason()).isEqualTo(CallFailure.Reason.DISCONNECTED));
    }

    @Test
    void whileABrokerIsUnreachableAFreshConnectStartsEverySecondBesideTheOldestOne() {
        VirtualProducer producer = producer();
        producer.run(Duration.ofSeconds(1));
        cluster.broker(2).cutOff(true);
        producer.send(TOPIC, 1, "1");
        producer.turn();
        producer.turn();
        int before = net.dials();
        producer.run(Duration.ofMillis(7_500)); // the first has not had its set-up time-out
        assertThat(net.dials() - before).isBetween(7, 8);
        assertThat(producer.network().sockets()).isLessThanOrEqualTo(1 + 2);
    }

    @Test
    void aResolverThatHangsIsGivenUpAndAskedAgain() {
        VirtualProducer producer = producer();
        producer.run(Duration.ofSeconds(1));
        net.resolved().clear();
        net.resolverHangs(true);
        Delivery delivery = producer.send(TOPIC, 1, "1");
        producer.run(Duration.ofSeconds(40));
        assertThat(producer.trips().count(Watchdog.CONNECT)).isPositive();
        assertThat(net.resolved().stream().filter("broker2"::equals).count()).isGreaterThan(1);
        net.resolverHangs(false);
        producer.runUntil(Duration.ofSeconds(35), () -> delivery.delivered().isDone());
        assertThat(delivery.delivered()).isCompleted();
    }

    @Test
    void anOlderLeaderEpochIsIgnored() {
        VirtualProducer producer = producer();
        TopicPartition partition = new TopicPartition(TOPIC, 0);
        cluster.lead(partition, 2);
        producer.loop().execute(producer.metadata()::refresh);
        producer.runUntil(
                Duration.ofSeconds(2),
                () -> producer.metadata()
                        .view()
                        .leader(partition)
                        .filter(leader -> leader == 2)
                        .isPresent());
        cluster.tellOfOldLeader(partition, 1);
        producer.loop().execute(producer.metadata()::refresh);
        producer.run(Duration.ofSeconds(2));
        assertThat(producer.metadata().view().leader(partition)).contains(2);
    }

    @Test
    void aBrokerOfAnotherClusterIsNotFollowed() {
        VirtualProducer producer = producer();
        cluster.clusterId("another");
        producer.loop().execute(producer.metadata()::refresh);
        producer.run(Duration.ofSeconds(5));
        assertThat(producer.metadata().view().clusterId()).isEqualTo("virtual");
        cluster.clusterId("virtual");
        Delivery delivery = producer.send(TOPIC, 0, "1");
        producer.runUntil(Duration.ofSeconds(2), () -> delivery.delivered().isDone());
        assertThat(delivery.delivered()).isCompleted();
    }

    @Test
    void partitionsThatWereAddedAreProducedTo() {
        VirtualProducer producer = producer();
        cluster.addPartition(TOPIC, 2, 1);
        producer.loop().execute(producer.metadata()::refresh);
        producer.run(Duration.ofSeconds(1));
        Delivery delivery = producer.send(TOPIC, 2, "1");
        producer.runUntil(Duration.ofSeconds(2), () -> delivery.delivered().isDone());
        assertThat(delivery.delivered()).isCompleted();
    }

    @Test
    void afterALateTickWhatHasArrivedIsDrainedBeforeDeadlinesAreJudged() {
        VirtualProducer producer = producer();
        Delivery first = producer.send(TOPIC, 0, "1");
        producer.runUntil(Duration.ofSeconds(5), () -> first.delivered().isDone());
        Delivery second = producer.send(TOPIC, 0, "2");
        producer.turn();
        producer.turn(); // on its way; the answer comes in two ten-thousandths of a second
        time.stopProcessFor(Duration.ofMinutes(10));
        producer.run(Duration.ofMillis(1));
        assertThat(second.delivered()).isCompleted();
        assertThat(producer.trips().count(Watchdog.REQUEST)).isZero();
        assertThat(producer.trips().count(Watchdog.DELIVERY)).isZero();
    }
}
