package io.faultline.client.loop;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.Objects;
import java.util.concurrent.TimeUnit;

/** How a client's event loop is, as the Micrometer gauge {@code faultline.loop.age.seconds}: about a second at most while it lives. */
public final class LoopMetrics implements MeterBinder {

    private static final double NANOS_PER_SECOND = TimeUnit.SECONDS.toNanos(1);

    private final EventLoop loop;
    private final String clientId;

    /**
     * Makes the binder.
     *
     * @param loop which loop
     * @param clientId the value of the tag {@code client.id}
     */
    public LoopMetrics(EventLoop loop, String clientId) {
        this.loop = Objects.requireNonNull(loop, "loop");
        this.clientId = Objects.requireNonNull(clientId, "clientId");
    }

    @Override
    public void bindTo(MeterRegistry registry) {
        Gauge.builder("faultline.loop.age.seconds", loop, watched -> watched.age() / NANOS_PER_SECOND)
                .tags("client.id", clientId)
                .description("How long ago the network thread last began a turn")
                .register(registry);
    }
}
