package io.faultline.client.produce;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.Objects;
import java.util.concurrent.TimeUnit;

/**
 * What a producer has not settled, as Micrometer gauges: {@code faultline.pending.deliveries} and {@code
 * faultline.oldest.delivery.age.seconds}.
 */
public final class DeliveryMetrics implements MeterBinder {

    private static final double NANOS_PER_SECOND = TimeUnit.SECONDS.toNanos(1);

    private final ProducePipeline pipeline;
    private final String clientId;

    /**
     * Makes the binder.
     *
     * @param pipeline of which producer
     * @param clientId the value of the tag {@code client.id}
     */
    public DeliveryMetrics(ProducePipeline pipeline, String clientId) {
        this.pipeline = Objects.requireNonNull(pipeline, "pipeline");
        this.clientId = Objects.requireNonNull(clientId, "clientId");
    }

    @Override
    public void bindTo(MeterRegistry registry) {
        Gauge.builder(
                        "faultline.pending.deliveries",
                        pipeline,
                        sending -> sending.counts().now().pending())
                .tags("client.id", clientId)
                .description("Records that are neither acked nor failed")
                .register(registry);
        Gauge.builder(
                        "faultline.oldest.delivery.age.seconds",
                        pipeline,
                        sending -> sending.oldestAge() / NANOS_PER_SECOND)
                .tags("client.id", clientId)
                .description("How long ago the oldest of them was sent; 0 if there is none")
                .register(registry);
    }
}
