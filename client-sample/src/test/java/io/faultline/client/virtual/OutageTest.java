package io.faultline.client.virtual;

import static org.assertj.core.api.Assertions.assertThat;

import io.faultline.client.Delivery;
import io.faultline.client.watchdog.TripCause;
import io.faultline.client.watchdog.Watchdog;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Outages of every kind and length: what is pending is settled in time, and afterwards everything goes on by itself. */
class OutageTest {

    private static final String TOPIC = "t";
    private static final Duration TICK = Duration.ofSeconds(1);

    private final VirtualTime time = new VirtualTime();
    private final VirtualNetwork net = new VirtualNetwork(time);
    private final VirtualCluster cluster = new VirtualCluster(net, 3);

    /** What is done to all brokers. */
    enum Outage {
        FROZEN(VirtualBroker::freeze, VirtualBroker::thaw),
        BLACK_HOLE(broker -> broker.cutOff(true), broker -> broker.cutOff(false)),
        KILLED(VirtualBroker::kill, VirtualBroker::start);

        private final Consumer<VirtualBroker> begin;
        private final Consumer<VirtualBroker> end;

        Outage(Consumer<VirtualBroker> begin, Consumer<VirtualBroker> end) {
            this.begin = begin;
            this.end = end;
        }
    }

    private VirtualProducer producer(VirtualProducer.Settings settings) {
        cluster.createTopic(TOPIC, 3);
        VirtualProducer producer = new VirtualProducer(time, net, cluster, settings);
        producer.know(TOPIC);
        return producer;
    }

    private VirtualProducer producer() {
        return producer(VirtualProducer.Settings.DEFAULT);
    }

    private Stream<VirtualBroker> brokers() {
        return Stream.of(1, 2, 3).map(cluster::broker);
    }

    private record Timed(Delivery delivery, long sentAt, long[] settledAt) {}

    private Timed timed(Delivery delivery) {
        Timed timed = new Timed(delivery, time.nanos(), new long[1]);
        delivery.delivered().whenComplete((metadata, failure) -> timed.settledAt[0] = time.nanos());
        return timed;
    }

    @ParameterizedTest
    @EnumSource(Outage.class)
    void everyFailureComesBetweenTheDeliveryTimeoutAndOneTickAfterIt(Outage outage) {
        VirtualProducer producer = producer();
        producer.send(TOPIC, 0, "before");
        producer.run(Duration.ofSeconds(1));
        brokers().forEach(outage.begin);
        List<Timed> sent = new ArrayList<>();
        for (int second = 0; second < 300; second++) {
            for (int partition = 0; partition < 3; partition++) {
                sent.add(timed(producer.send(TOPIC, partition, second + "." + partition)));
            }
            producer.run(Duration.ofSeconds(1));
        }
        brokers().forEach(outage.end);
        producer.run(Duration.ofSeconds(5));
        long acked = sent.stream()
                .filter(each -> each.delivery.delivered().isDone()
                        && !each.delivery.delivered().isCompletedExceptionally())
                .count();
        assertThat(sent).allSatisfy(each -> {
            assertThat(each.delivery.delivered()).isDone();
            if (each.delivery.delivered().isCompletedExceptionally()) {
                assertThat(Duration.ofNanos(each.settledAt[0] - each.sentAt))
                        .isBetween(VirtualProducer.DELIVERY, VirtualProducer.DELIVERY.plus(TICK));
            }
        });
        assertThat(acked).isBetween(350L, 370L); // those of the last two minutes
        assertThat(producer.pipeline().counts().now().pending()).isZero();
        assertThat(producer.pipeline().freeMemory()).isEqualTo(32 << 20);
        List<String> log = new ArrayList<>();
        for (int partition = 0; partition < 3; partition++) {
            log.addAll(cluster.log(TOPIC, partition).values());
        }
        assertThat(log).doesNotHaveDuplicates();
    }

    @ParameterizedTest
    @EnumSource(Outage.class)
    void withNothingPendingTheFirstSendAfterTheHealIsAckedWithinTwoSeconds(Outage outage) {
        VirtualProducer producer = producer();
        producer.send(TOPIC, 0, "before");
        producer.run(Duration.ofSeconds(1));
        brokers().forEach(outage.begin);
        Delivery lost = producer.send(TOPIC, 0, "lost");
        producer.run(Duration.ofMinutes(5));
        assertThat(lost.delivered()).isCompletedExceptionally();
        brokers().forEach(outage.end);
        Delivery first = producer.send(TOPIC, 0, "first");
        producer.runUntil(Duration.ofSeconds(2), () -> first.delivered().isDone());
        assertThat(first.delivered().join().hasOffset()).isTrue();
    }

    @ParameterizedTest
    @EnumSource(Outage.class)
    void whatIsPendingAtTheHealIsAckedWithinTwoSecondsWithNoNewTraffic(Outage outage) {
        VirtualProducer producer = producer();
        producer.send(TOPIC, 0, "before");
        producer.run(Duration.ofSeconds(1));
        brokers().forEach(outage.begin);
        producer.run(Duration.ofSeconds(70));
        Delivery pending = producer.send(TOPIC, 0, "pending");
        producer.run(Duration.ofSeconds(47)); // a connect begun now has backed off
        brokers().forEach(outage.end);
        producer.runUntil(Duration.ofSeconds(2), () -> pending.delivered().isDone());
        assertThat(pending.delivered()).isCompleted();
    }

    @ParameterizedTest
    @EnumSource(Outage.class)
    void socketsAreBackAtTheirNumberWithinASetUpTimeout(Outage outage) {
        VirtualProducer producer = producer();
        for (int partition = 0; partition < 3; partition++) {
            producer.send(TOPIC, partition, "before");
        }
        producer.run(Duration.ofSeconds(1));
        assertThat(net.openLinks()).isEqualTo(3);
        brokers().forEach(outage.begin);
        for (int second = 0; second < 130; second++) {
            producer.send(TOPIC, second % 3, "during");
            producer.run(Duration.ofSeconds(1));
            assertThat(net.openLinks()).isLessThanOrEqualTo(3 * 2); // the bootstrap servers are the same three
        }
        brokers().forEach(outage.end);
        producer.run(Duration.ofSeconds(10));
        assertThat(net.openLinks()).isLessThanOrEqualTo(3);
    }

    @Test
    void oneFrozenBrokerHoldsUpNoOther() {
        VirtualProducer producer = producer();
        for (int partition = 0; partition < 3; partition++) {
            producer.send(TOPIC, partition, "before");
        }
        producer.run(Duration.ofSeconds(1));
        cluster.broker(1).freeze();
        Delivery held = producer.send(TOPIC, 0, "held");
        for (int second = 0; second < 130; second++) {
            Delivery other = producer.send(TOPIC, 1, "other");
            producer.runUntil(Duration.ofSeconds(1), () -> other.delivered().isDone());
            assertThat(other.delivered()).isCompleted();
            producer.run(Duration.ofSeconds(1));
        }
        assertThat(held.delivered()).isCompletedExceptionally();
    }

    @Test
    void batchesOfADeadLeaderGoToTheNewOneThoughTheOldOneNeverReturns() {
        VirtualProducer producer = producer();
        Delivery first = producer.send(TOPIC, 0, "first");
        producer.runUntil(Duration.ofSeconds(5), () -> first.delivered().isDone());
        cluster.broker(1).kill();
        Delivery second = producer.send(TOPIC, 0, "second");
        producer.run(Duration.ofSeconds(5));
        cluster.lead(new TopicPartition(TOPIC, 0), 2);
        producer.runUntil(Duration.ofSeconds(5), () -> second.delivered().isDone());
        assertThat(second.delivered()).isCompleted();
    }

    @Test
    void whatIsInFlightToABrokerThatLeavesTheClusterGoesToTheNewLeader() {
        VirtualProducer producer = producer();
        Delivery first = producer.send(TOPIC, 0, "first");
        producer.runUntil(Duration.ofSeconds(5), () -> first.delivered().isDone());
        cluster.broker(1).freeze();
        Delivery second = producer.send(TOPIC, 0, "second");
        producer.run(Duration.ofSeconds(1));
        cluster.leaves(1);
        cluster.lead(new TopicPartition(TOPIC, 0), 2);
        producer.loop().execute(producer.metadata()::refresh);
        producer.runUntil(Duration.ofSeconds(5), () -> second.delivered().isDone());
        assertThat(second.delivered()).isCompleted();
        assertThat(cluster.log(TOPIC, 0).values()).containsExactly("first", "second");
    }

    @Test
    void aFrozenLeaderIsLeftForTheNewOneWithoutWaitingForTheRequestTimeoutOfMetadata() {
        VirtualProducer producer = producer();
        Delivery first = producer.send(TOPIC, 0, "first");
        producer.runUntil(Duration.ofSeconds(5), () -> first.delivered().isDone());
        cluster.broker(1).freeze();
        cluster.lead(new TopicPartition(TOPIC, 0), 2);
        Delivery second = producer.send(TOPIC, 0, "second");
        producer.runUntil(
                VirtualProducer.REQUEST.plusSeconds(3), () -> second.delivered().isDone());
        assertThat(second.delivered()).isCompleted();
    }

    /** That a record's timestamp is all that the wall clock has a say in is shown elsewhere. */
    @Test
    void aWallClockThatJumpsBackAndForthChangesTimestampsOnly() {
        VirtualProducer producer = producer();
        long[] jumps = {0, Duration.ofDays(3650).toMillis(), 1, Long.MAX_VALUE / 2, 2};
        List<Delivery> deliveries = new ArrayList<>();
        for (long shown : jumps) {
            deliveries.add(producer.sendAt(TOPIC, 0, String.valueOf(shown), shown));
        }
        producer.run(Duration.ofSeconds(1));
        for (int index = 0; index < jumps.length; index++) {
            assertThat(deliveries.get(index).delivered().join().offset()).isEqualTo(index);
            assertThat(deliveries.get(index).delivered().join().timestamp()).isEqualTo(jumps[index]);
        }
        assertThat(producer.tripped()).isEmpty();
    }

    @Test
    void aLeaderThatIsJustBackAndNotReadyIsAskedAgainWithoutThePausesOfTheOutage() {
        VirtualProducer producer = producer();
        VirtualBroker leader = cluster.broker(1);
        leader.swallowAnswersTo(ApiKeys.PRODUCE);
        Delivery pending = producer.send(TOPIC, 0, "pending");
        for (int times = 0; times < 6; times++) {
            producer.run(Duration.ofSeconds(3));
            leader.closeLinks();
        }
        leader.swallowAnswersTo(null);
        List<Long> refused = new ArrayList<>();
        leader.override((api, version, request) -> {
            if (api != ApiKeys.PRODUCE || refused.size() == 3) {
                return null;
            }
            refused.add(time.nanos());
            return LostAcksTest.produceError(request, Errors.NOT_LEADER_OR_FOLLOWER);
        });
        producer.runUntil(Duration.ofSeconds(10), () -> pending.delivered().isDone());
        assertThat(pending.delivered()).isCompleted();
        assertThat(refused).hasSize(3);
        assertThat(Duration.ofNanos(time.nanos() - refused.get(0))).isLessThan(Duration.ofSeconds(1));
    }

    @Test
    void batchesForAPartitionWithoutLeaderExpireToo() {
        VirtualProducer producer = producer();
        cluster.lead(new TopicPartition(TOPIC, 0), -1);
        producer.loop().execute(producer.metadata()::refresh);
        producer.run(Duration.ofSeconds(1));
        Timed sent = timed(producer.send(TOPIC, 0, "nowhere"));
        producer.run(VirtualProducer.DELIVERY.plusSeconds(1));
        assertThat(sent.delivery.delivered()).isCompletedExceptionally();
        assertThat(sent.settledAt[0] - sent.sentAt).isEqualTo(VirtualProducer.DELIVERY.toNanos());
        cluster.lead(new TopicPartition(TOPIC, 0), 2);
        Delivery later = producer.send(TOPIC, 0, "later");
        producer.runUntil(Duration.ofSeconds(3), () -> later.delivered().isDone());
        assertThat(later.delivered()).isCompleted();
    }

    @Test
    void onePartitionsExpiryStarvesNoOther() {
        VirtualProducer producer = producer();
        cluster.lead(new TopicPartition(TOPIC, 0), -1);
        List<Delivery> nowhere = new ArrayList<>();
        List<Delivery> somewhere = new ArrayList<>();
        for (int index = 0; index < 200; index++) {
            nowhere.add(producer.send(TOPIC, 0, "n" + index));
            somewhere.add(producer.send(TOPIC, 1, "s" + index));
            producer.run(Duration.ofSeconds(1));
        }
        assertThat(somewhere.subList(0, 199))
                .allSatisfy(each -> assertThat(each.delivered()).isCompleted());
        assertThat(nowhere.subList(0, 79))
                .allSatisfy(each -> assertThat(each.delivered()).isCompletedExceptionally());
    }

    @Test
    void theNextBootstrapServerIsAskedWhenTheFirstAcceptsAndIsSilent() {
        cluster.createTopic(TOPIC, 1);
        cluster.broker(1).freeze();
        VirtualProducer producer = new VirtualProducer(time, net, cluster);
        producer.loop().execute(() -> producer.metadata().want(TOPIC));
        Duration took = producer.runUntil(
                Duration.ofSeconds(10),
                () -> producer.metadata().view().topic(TOPIC).isPresent());
        assertThat(took).isLessThan(Duration.ofSeconds(2));
    }

    @Test
    void whenEveryKnownBrokerIsGoneTheBootstrapNamesAreResolvedAgain() {
        VirtualProducer producer = producer();
        producer.run(Duration.ofSeconds(1));
        net.resolved().clear();
        brokers().forEach(VirtualBroker::kill);
        producer.loop().execute(producer.metadata()::refresh);
        producer.run(Duration.ofSeconds(20));
        assertThat(net.resolved().stream().filter("broker1"::equals).count()).isGreaterThan(1);
        brokers().forEach(VirtualBroker::start);
        Delivery later = producer.send(TOPIC, 0, "later");
        producer.runUntil(Duration.ofSeconds(2), () -> later.delivered().isDone());
        assertThat(later.delivered()).isCompleted();
    }

    @Test
    void theRequestWatchdogCondemnsTheConnectionAndEverythingOnItIsRetried() {
        VirtualProducer producer = producer(VirtualProducer.Settings.DEFAULT.batchSize(1));
        Delivery first = producer.send(TOPIC, 0, "first");
        producer.runUntil(Duration.ofSeconds(5), () -> first.delivered().isDone());
        cluster.broker(1).freeze();
        List<Delivery> held = producer.sendEach(TOPIC, 0, "1", "2", "3");
        producer.run(VirtualProducer.REQUEST.plusSeconds(1));
        assertThat(producer.trips().count(Watchdog.REQUEST, TripCause.SILENCE)).isEqualTo(1);
        cluster.broker(1).thaw();
        producer.runUntil(
                Duration.ofSeconds(5),
                () -> held.stream().allMatch(each -> each.delivered().isDone()));
        assertThat(held).allSatisfy(each -> assertThat(each.delivered()).isCompleted());
        assertThat(cluster.log(TOPIC, 0).values()).containsExactly("first", "1", "2", "3");
    }
}
