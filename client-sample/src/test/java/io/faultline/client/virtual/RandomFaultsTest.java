package io.faultline.client.virtual;

import static org.assertj.core.api.Assertions.assertThat;

import io.faultline.client.Delivery;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.LongStream;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Faults of all kinds in a random order, one order for each seed: the invariants hold whatever comes. */
class RandomFaultsTest {

    private static final String TOPIC = "t";
    private static final int PARTITIONS = 3;
    private static final int BROKERS = 3;
    private static final int STEPS = 300;
    private static final List<Errors> REFUSALS = List.of(
            Errors.NOT_ENOUGH_REPLICAS,
            Errors.NOT_LEADER_OR_FOLLOWER,
            Errors.LEADER_NOT_AVAILABLE,
            Errors.KAFKA_STORAGE_ERROR,
            Errors.REQUEST_TIMED_OUT,
            Errors.OUT_OF_ORDER_SEQUENCE_NUMBER,
            Errors.UNKNOWN_PRODUCER_ID,
            Errors.INVALID_PRODUCER_EPOCH,
            Errors.TOPIC_AUTHORIZATION_FAILED);
    private static final List<Errors> AFTER_APPEND =
            List.of(Errors.NOT_ENOUGH_REPLICAS_AFTER_APPEND, Errors.REQUEST_TIMED_OUT, Errors.KAFKA_STORAGE_ERROR);

    private record Sent(int partition, int number, Delivery delivery) {}

    private final VirtualTime time = new VirtualTime();
    private final VirtualNetwork net = new VirtualNetwork(time);
    private final VirtualCluster cluster = new VirtualCluster(net, BROKERS);
    private final List<Sent> sent = new ArrayList<>();
    private final int[] next = new int[PARTITIONS];

    static LongStream seeds() {
        Long only = Long.getLong("seed");
        return only != null ? LongStream.of(only) : LongStream.range(0, Long.getLong("seeds", 50));
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void theInvariantsHold(long seed) {
        Random random = new Random(seed);
        cluster.createTopic(TOPIC, PARTITIONS);
        VirtualProducer producer = new VirtualProducer(
                time, net, cluster, VirtualProducer.Settings.DEFAULT.batchSize(1 + random.nextInt(200)));
        producer.know(TOPIC);
        for (int step = 0; step < STEPS; step++) {
            if (random.nextInt(4) == 0) {
                fault(random);
            }
            for (int count = random.nextInt(4); count > 0; count--) {
                send(producer, random.nextInt(PARTITIONS));
                if (random.nextBoolean()) {
                    producer.turn();
                }
            }
            producer.run(Duration.ofMillis(random.nextInt(20) == 0 ? random.nextInt(50_000) : random.nextInt(300)));
        }
        heal();
        producer.run(VirtualProducer.DELIVERY.plusSeconds(1));
        List<Sent> fresh = new ArrayList<>();
        for (int partition = 0; partition < PARTITIONS; partition++) {
            fresh.add(send(producer, partition));
        }
        producer.run(Duration.ofSeconds(2));
        assertThat(fresh)
                .allSatisfy(each ->
                        assertThat(each.delivery.delivered()).isCompletedWithValueMatching(RecordMetadata::hasOffset));
        assertThatNothingIsLeft(producer);
        for (int partition = 0; partition < PARTITIONS; partition++) {
            assertThatTheLogIsRight(partition);
        }
    }

    private Sent send(VirtualProducer producer, int partition) {
        producer.know(TOPIC);
        int number = next[partition]++;
        Sent each = new Sent(partition, number, producer.send(TOPIC, partition, Integer.toString(number)));
        sent.add(each);
        return each;
    }

    private void fault(Random random) {
        VirtualBroker broker = cluster.broker(1 + random.nextInt(BROKERS));
        switch (random.nextInt(12)) {
            case 0 -> broker.freeze();
            case 1 -> broker.thaw();
            case 2 -> broker.kill();
            case 3 -> cluster.restart(broker.id());
            case 4 -> broker.cutOff(true);
            case 5 -> broker.cutOff(false);
            case 6 -> broker.swallowAnswersTo(random.nextBoolean() ? ApiKeys.PRODUCE : null);
            case 7 -> broker.closeLinks();
            case 8 -> cluster.lead(new TopicPartition(TOPIC, random.nextInt(PARTITIONS)), 1 + random.nextInt(BROKERS));
            case 9 -> cluster.leaves(broker.id());
            case 10 -> cluster.returns(broker.id());
            default -> injectErrors(broker, random);
        }
    }

    private void injectErrors(VirtualBroker broker, Random random) {
        boolean append = random.nextBoolean();
        List<Errors> choice = append ? AFTER_APPEND : REFUSALS;
        Errors error = choice.get(random.nextInt(choice.size()));
        int[] left = {1 + random.nextInt(3)};
        broker.override((api, version, request) -> {
            if (api != ApiKeys.PRODUCE || left[0]-- <= 0) {
                return null;
            }
            return answerWith(broker, version, request, append, error);
        });
    }

    private ApiMessage answerWith(
            VirtualBroker broker, short version, ApiMessage request, boolean append, Errors error) {
        ApiMessage real = append ? cluster.answer(broker.id(), ApiKeys.PRODUCE, version, request) : null;
        if (real != null && !LostAcksTest.isSuccess(real)) {
            return real; // what was not appended cannot fail after it
        }
        return LostAcksTest.produceError(request, error);
    }

    private void heal() {
        for (int id = 1; id <= BROKERS; id++) {
            VirtualBroker broker = cluster.broker(id);
            cluster.returns(id);
            broker.noOverride();
            broker.swallowAnswersTo(null);
            broker.cutOff(false);
            broker.start();
            broker.thaw();
        }
    }

    private void assertThatNothingIsLeft(VirtualProducer producer) {
        assertThat(sent)
                .allSatisfy(each -> assertThat(each.delivery.delivered()).isDone());
        assertThat(producer.pipeline().counts().now().produced()).isEqualTo(sent.size());
        assertThat(producer.pipeline().counts().now().pending()).isZero();
        assertThat(producer.pipeline().freeMemory()).isEqualTo(32 << 20);
    }

    private void assertThatTheLogIsRight(int partition) {
        List<Integer> log = cluster.log(TOPIC, partition).values().stream()
                .map(Integer::valueOf)
                .toList();
        assertThat(log).as("neither duplicates nor reorderings").isSorted().doesNotHaveDuplicates();
        for (Sent each : sent) {
            if (each.partition == partition && !each.delivery.delivered().isCompletedExceptionally()) {
                assertThat(log).contains(each.number);
                RecordMetadata metadata = each.delivery.delivered().join();
                if (metadata.hasOffset()) {
                    assertThat(log.get((int) metadata.offset())).isEqualTo(each.number);
                }
            }
        }
    }
}
