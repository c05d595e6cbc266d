package io.faultline.agent.metrics;

import io.faultline.agent.weave.HookAccess;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

/** What the hook counts and how the agent is set, as meters. They count for as long as this object is kept. */
public final class AgentMeters implements MeterBinder {

    private final HookAccess hook;
    private final String version;
    private final Map<String, BooleanSupplier> modes;
    private final Map<String, BooleanSupplier> woven;
    private final LongSupplier suppressedLines;
    private final LongSupplier errors;

    /** Meters refer to what they count weakly: without this list they would stand still after a garbage collection. */
    private final List<LongSupplier> counts = new ArrayList<>();

    /**
     * Makes the binder.
     *
     * @param hook whose counters
     * @param version of the agent
     * @param modes each mode, and whether it is the one in force
     * @param woven each class that is to be woven, and whether it is
     * @param suppressedLines lines that the log left out
     * @param errors faults of the agent's own
     */
    public AgentMeters(
            HookAccess hook,
            String version,
            Map<String, BooleanSupplier> modes,
            Map<String, BooleanSupplier> woven,
            LongSupplier suppressedLines,
            LongSupplier errors) {
        this.hook = hook;
        this.version = version;
        this.modes = modes;
        this.woven = woven;
        this.suppressedLines = suppressedLines;
        this.errors = errors;
    }

    @Override
    public void bindTo(MeterRegistry registry) {
        Gauge.builder("faultline.build.info", () -> 1)
                .tags("version", version, "hook", Integer.toString(hook.contract()))
                .description("The agent that is attached")
                .register(registry);
        modes.forEach((mode, inForce) -> Gauge.builder("faultline.mode", () -> inForce.getAsBoolean() ? 1 : 0)
                .tag("mode", mode)
                .description("1 for the mode in force")
                .register(registry));
        woven.forEach((target, isWoven) -> Gauge.builder("faultline.woven", () -> isWoven.getAsBoolean() ? 1 : 0)
                .tag("target", target)
                .description("Whether a class is woven")
                .register(registry));
        counter(registry, "transfers", "socket", "Transfers that ended well", hook.counter("SOCKET_TRANSFERS")::sum);
        counter(registry, "transfers", "other", "Transfers that ended well", hook.counter("OTHER_TRANSFERS")::sum);
        counter(registry, "transfers", "tls", "Transfers that ended well", hook.counter("TLS_READS")::sum);
        counter(registry, "transferred.bytes", "socket", "Bytes transferred", hook.counter("SOCKET_BYTES")::sum);
        counter(registry, "transferred.bytes", "other", "Bytes transferred", hook.counter("OTHER_BYTES")::sum);
        counter(registry, "transferred.bytes", "tls", "Bytes transferred", hook.counter("TLS_BYTES")::sum);
        counter(registry, "failures", "socket", "Transfers that failed", hook.counter("SOCKET_FAILURES")::sum);
        LongAdder other = hook.counter("OTHER_FAILURES");
        LongAdder selfChecks = hook.counter("SELF_CHECKS");
        counter(registry, "failures", "other", "Transfers that failed", () -> other.sum() - selfChecks.sum());
        counter(registry, "failures", "tls", "Transfers that failed", hook.counter("TLS_FAILURES")::sum);
        counter(registry, "failures", "plain", "Transfers that failed", hook.counter("PLAIN_FAILURES")::sum);
        counter(registry, "ends.of.file", "tls", "Reads that found no byte", hook.counter("TLS_ENDS_OF_FILE")::sum);
        counter(
                registry,
                "stale.prevented",
                "tls",
                "Buffers with bytes already sent that were emptied",
                hook.counter("STALE_PREVENTED")::sum);
        FunctionCounter.builder("faultline.log.suppressed", kept(suppressedLines), LongSupplier::getAsLong)
                .description("Lines that the log left out")
                .register(registry);
        FunctionCounter.builder("faultline.agent.errors", kept(errors), LongSupplier::getAsLong)
                .description("Faults of the agent's own")
                .register(registry);
    }

    private LongSupplier kept(LongSupplier count) {
        counts.add(count);
        return count;
    }

    private void counter(
            MeterRegistry registry, String name, String transport, String description, LongSupplier count) {
        FunctionCounter.builder("faultline." + name, kept(count), LongSupplier::getAsLong)
                .tag("transport", transport)
                .description(description)
                .register(registry);
    }
}
