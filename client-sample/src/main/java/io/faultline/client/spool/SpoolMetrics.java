package io.faultline.client.spool;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.Objects;

/**
 * How a spool stands, as Micrometer gauges: {@code faultline.spool.bytes}, {@code faultline.spool.oldest.age.seconds} and
 * {@code faultline.spool.undecided}.
 */
public final class SpoolMetrics implements MeterBinder {

    private final SpoolFigures figures;
    private final String clientId;

    /**
     * Makes the binder.
     *
     * @param figures of which spool
     * @param clientId the value of the tag {@code client.id}
     */
    public SpoolMetrics(SpoolFigures figures, String clientId) {
        this.figures = Objects.requireNonNull(figures, "figures");
        this.clientId = Objects.requireNonNull(clientId, "clientId");
    }

    @Override
    public void bindTo(MeterRegistry registry) {
        Gauge.builder("faultline.spool.bytes", figures, SpoolFigures::bytes)
                .tags("client.id", clientId)
                .description("What the spool has on the disk, in bytes")
                .register(registry);
        Gauge.builder("faultline.spool.oldest.age.seconds", figures, SpoolFigures::oldestAgeSeconds)
                .tags("client.id", clientId)
                .description("For how long the oldest batch has waited in the spool")
                .register(registry);
        Gauge.builder("faultline.spool.undecided", figures, SpoolFigures::undecided)
                .tags("client.id", clientId)
                .description("Records of which it cannot be found out whether they are in the log")
                .register(registry);
    }
}
