package io.faultline.client.virtual;

import static org.assertj.core.api.Assertions.assertThat;

import io.faultline.client.loop.LoopMetrics;
import io.faultline.client.produce.DeliveryMetrics;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** What the meters of a producer say in an outage. */
class MetricsTest {

    private static final String TOPIC = "t";

    private final VirtualTime time = new VirtualTime();
    private final VirtualNetwork net = new VirtualNetwork(time);
    private final VirtualCluster cluster = new VirtualCluster(net, 1);
    private final MeterRegistry registry = new SimpleMeterRegistry();

    private VirtualProducer producer() {
        cluster.createTopic(TOPIC, 1);
        VirtualProducer producer = new VirtualProducer(time, net, cluster);
        producer.know(TOPIC);
        return producer;
    }

    private double gauge(String name) {
        return registry.get(name).tag("client.id", "me").gauge().value();
    }

    @Test
    void deliveriesAreCountedAndTheOldestAgesUntilAllAreSettled() {
        VirtualProducer producer = producer();
        new DeliveryMetrics(producer.pipeline(), "me").bindTo(registry);
        assertThat(gauge("faultline.oldest.delivery.age.seconds")).isZero();
        cluster.broker(1).freeze();
        producer.send(TOPIC, 0, "first");
        producer.run(Duration.ofSeconds(10));
        producer.send(TOPIC, 0, "second");
        producer.run(Duration.ofSeconds(5));
        assertThat(gauge("faultline.pending.deliveries")).isEqualTo(2);
        assertThat(gauge("faultline.oldest.delivery.age.seconds")).isEqualTo(15);
        producer.run(VirtualProducer.DELIVERY);
        assertThat(gauge("faultline.pending.deliveries")).isZero();
        assertThat(gauge("faultline.oldest.delivery.age.seconds")).isZero();
    }

    @Test
    void aLoopThatMakesNoTurnAges() {
        VirtualProducer producer = producer();
        new LoopMetrics(producer.loop(), "me").bindTo(registry);
        producer.run(Duration.ofSeconds(100));
        assertThat(gauge("faultline.loop.age.seconds")).isBetween(0.0, 1.0);
        time.stopProcessFor(Duration.ofSeconds(7));
        assertThat(gauge("faultline.loop.age.seconds")).isBetween(7.0, 8.0);
        producer.turn();
        producer.turn();
        assertThat(gauge("faultline.loop.age.seconds")).isBetween(0.0, 1.0);
    }
}
