package io.faultline.agent.metrics;

import io.faultline.classifier.FaultlineThreads;
import io.micrometer.core.instrument.Clock;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.ipc.http.HttpUrlConnectionSender;
import io.micrometer.registry.otlp.OtlpConfig;
import io.micrometer.registry.otlp.OtlpHttpMetricsSender;
import io.micrometer.registry.otlp.OtlpMeterRegistry;
import io.micrometer.registry.otlp.OtlpMetricsSender;
import java.time.Duration;
import java.util.Map;
import java.util.function.Consumer;

/** Sends meters to a collector over OTLP, at an interval, on a thread of its own. Loaded only where it is wanted. */
final class OtlpOutlet {

    private static final Duration PATIENCE = Duration.ofSeconds(5);

    private OtlpOutlet() {}

    /**
     * Where to send, and as whom.
     *
     * @param url the collector's
     * @param interval how often
     * @param headers HTTP headers
     * @param resource resource attributes
     */
    record Target(String url, Duration interval, Map<String, String> headers, Map<String, String> resource)
            implements OtlpConfig {

        @Override
        public Duration step() {
            return interval;
        }

        @Override
        public Map<String, String> resourceAttributes() {
            return resource;
        }

        /** Only what is given here counts: by itself Micrometer would look into the host's environment. */
        @Override
        public String get(String key) {
            return null;
        }
    }

    /**
     * Begins to send.
     *
     * @param onFailure told of each time that could not be sent
     * @return where to bind meters
     */
    static MeterRegistry open(Target target, Consumer<Exception> onFailure) {
        OtlpMetricsSender http = new OtlpHttpMetricsSender(new HttpUrlConnectionSender(PATIENCE, PATIENCE));
        OtlpMetricsSender sender = request -> {
            try {
                http.send(request);
            } catch (Exception failed) {
                onFailure.accept(failed);
            }
        };
        return OtlpMeterRegistry.builder(target)
                .clock(Clock.SYSTEM)
                .metricsSender(sender)
                .threadFactory(work -> FaultlineThreads.unstarted("otlp", work))
                .build();
    }
}
