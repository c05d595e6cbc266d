package io.faultline.client.virtual;

import static org.assertj.core.api.Assertions.assertThat;

import io.faultline.client.Delivery;
import io.faultline.client.virtual.VirtualProducer.Settings;
import io.faultline.client.watchdog.Watchdog;
import java.time.Duration;
import org.apache.kafka.common.protocol.ApiKeys;
import org.junit.jupiter.api.Test;

/** For each watchdog what it is there for, and that without it the client would wait for ever. */
class WatchdogOffTest {

    private static final String TOPIC = "t";
    private static final Duration LONG = Duration.ofMinutes(10);

    private final VirtualTime time = new VirtualTime();
    private final VirtualNetwork net = new VirtualNetwork(time);
    private final VirtualCluster cluster = new VirtualCluster(net, 1);

    private VirtualProducer producer(Settings settings) {
        cluster.createTopic(TOPIC, 1);
        return new VirtualProducer(time, net, cluster, settings);
    }

    private VirtualBroker broker() {
        return cluster.broker(1);
    }

    @Test
    void theConnectWatchdogEndsAConnectThatIsNotAnswered() {
        assertThat(openLinksAfterCutOff(Settings.DEFAULT)).isZero();
    }

    @Test
    void withoutTheConnectWatchdogAConnectLastsForEver() {
        assertThat(openLinksAfterCutOff(Settings.DEFAULT.without(Watchdog.CONNECT)))
                .isPositive();
    }

    /** What is left of the connects that were made while nothing came through, when nobody wants them any more. */
    private long openLinksAfterCutOff(Settings settings) {
        VirtualProducer producer = producer(settings);
        producer.know(TOPIC);
        broker().cutOff(true);
        broker().closeLinks();
        producer.send(TOPIC, 0, "lost");
        producer.run(VirtualProducer.DELIVERY.plus(LONG));
        producer.loop().execute(producer.metadata()::close);
        producer.run(LONG);
        return net.openLinks();
    }

    @Test
    void theNegotiateWatchdogEndsASetUpThatIsAcceptedAndNotAnswered() {
        VirtualProducer producer = producer(Settings.DEFAULT);
        broker().swallowAnswersTo(ApiKeys.API_VERSIONS);
        producer.loop().execute(() -> producer.metadata().want(TOPIC));
        producer.run(Duration.ofSeconds(13)); // 10 s, give or take a fifth
        assertThat(producer.trips().count(Watchdog.NEGOTIATE)).isPositive();
    }

    @Test
    void withoutTheNegotiateWatchdogTheOldestSetUpLastsForEver() {
        VirtualProducer producer = producer(Settings.DEFAULT.without(Watchdog.NEGOTIATE));
        broker().swallowAnswersTo(ApiKeys.API_VERSIONS);
        producer.loop().execute(() -> producer.metadata().want(TOPIC));
        producer.run(LONG);
        assertThat(producer.trips().count(Watchdog.NEGOTIATE)).isZero();
        assertThat(producer.network()
                        .failures(producer.network().bootstrapPeers().get(0)))
                .isZero();
    }

    @Test
    void theRequestWatchdogFreesWhatABrokerNeverAnswers() {
        Delivery delivery = sendThatIsNotAnswered(Settings.DEFAULT);
        assertThat(delivery.delivered()).isCompleted();
    }

    @Test
    void withoutTheRequestWatchdogItIsNeverSentAgain() {
        Delivery delivery = sendThatIsNotAnswered(Settings.DEFAULT.without(Watchdog.REQUEST));
        assertThat(delivery.delivered()).isNotDone();
    }

    /** The first answer to a Produce is swallowed, and all others are given. */
    private Delivery sendThatIsNotAnswered(Settings settings) {
        VirtualProducer producer = producer(settings);
        producer.know(TOPIC);
        broker().swallowAnswersTo(ApiKeys.PRODUCE);
        Delivery delivery = producer.send(TOPIC, 0, "1");
        producer.run(Duration.ofSeconds(1));
        broker().swallowAnswersTo(null);
        producer.run(Duration.ofSeconds(60));
        return delivery;
    }

    @Test
    void theDeliveryWatchdogGivesUpInTime() {
        assertThat(sendToNobody(Settings.DEFAULT).delivered()).isCompletedExceptionally();
    }

    @Test
    void withoutTheDeliveryWatchdogARecordIsPendingForEver() {
        assertThat(sendToNobody(Settings.DEFAULT.without(Watchdog.DELIVERY)).delivered())
                .isNotDone();
    }

    private Delivery sendToNobody(Settings settings) {
        VirtualProducer producer = producer(settings);
        producer.know(TOPIC);
        broker().cutOff(true);
        Delivery delivery = producer.send(TOPIC, 0, "1");
        producer.run(LONG);
        return delivery;
    }

    @Test
    void theMetadataWatchdogLeavesBrokersThatAnswerAnythingButMetadata() {
        VirtualProducer producer = metadataIsNotAnswered(Settings.DEFAULT);
        assertThat(producer.trips().count(Watchdog.METADATA)).isPositive();
        assertThat(producer.network().brokers()).isEmpty(); // starting from the bootstrap servers
    }

    @Test
    void withoutTheMetadataWatchdogTheyAreNeverLeft() {
        VirtualProducer producer = metadataIsNotAnswered(Settings.DEFAULT.without(Watchdog.METADATA));
        assertThat(producer.network().brokers()).isNotEmpty();
    }

    private VirtualProducer metadataIsNotAnswered(Settings settings) {
        VirtualProducer producer = producer(settings);
        producer.know(TOPIC);
        producer.run(Duration.ofSeconds(1));
        broker().swallowAnswersTo(ApiKeys.METADATA);
        producer.loop().execute(producer.metadata()::refresh);
        producer.run(LONG);
        return producer;
    }

    @Test
    void theRetryBackoffEndsByItself() {
        assertThat(sendAfterADisconnect(Settings.DEFAULT).delivered()).isCompleted();
    }

    @Test
    void withoutTheRetryBackoffsEndNothingIsTriedAgain() {
        assertThat(sendAfterADisconnect(Settings.DEFAULT.without(Watchdog.RETRY_BACKOFF))
                        .delivered())
                .isNotDone();
    }

    private Delivery sendAfterADisconnect(Settings settings) {
        VirtualProducer producer = producer(settings);
        producer.know(TOPIC);
        producer.run(Duration.ofSeconds(1));
        Delivery first = producer.send(TOPIC, 0, "1");
        producer.runUntil(Duration.ofSeconds(5), () -> first.delivered().isDone());
        broker().closeLinks();
        Delivery delivery = producer.send(TOPIC, 0, "2");
        producer.run(Duration.ofSeconds(60));
        return delivery;
    }
}
