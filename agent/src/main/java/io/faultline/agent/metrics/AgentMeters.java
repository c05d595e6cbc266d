package io.faultline.agent.metrics;

import io.faultline.agent.weave.HookAccess;
import io.faultline.classifier.Hint;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * What the hook counts and how the agent is set, as meters. They count for as long as this object is kept. Tags are bounded: directories, modes, classes, parts of the agent; no file,
 * position or peer.
 */
public final class AgentMeters implements MeterBinder {

    private static final List<String> BY = List.of("faultline", "owner");

    private final HookAccess hook;
    private final AgentFigures figures;
    private final List<Consumer<String>> binders = new CopyOnWriteArrayList<>();

    /** Meters refer to what they count weakly: without this list they would stand still after a garbage collection. */
    private final List<LongSupplier> counts = new CopyOnWriteArrayList<>();

    /**
     * Makes the binder.
     *
     * @param hook whose counters
     * @param figures what else there is to show
     */
    public AgentMeters(HookAccess hook, AgentFigures figures) {
        this.hook = hook;
        this.figures = figures;
    }

    @Override
    public void bindTo(MeterRegistry registry) {
        Gauge.builder("faultline.build.info", () -> 1)
                .tags("version", figures.version(), "hook", Integer.toString(hook.contract()))
                .description("The agent that is attached")
                .register(registry);
        for (String mode : figures.modes()) {
            gauge(registry, "mode", "1 for the mode in force", () -> figures.isInForce(mode), "mode", mode);
        }
        for (String target : figures.targets()) {
            gauge(registry, "woven", "Whether a class is woven", () -> figures.isWoven(target), "target", target);
        }
        Gauge.builder("faultline.config.last.success.timestamp", figures::configured)
                .baseUnit("seconds")
                .description("When the configuration was last read without an error, since the epoch")
                .register(registry);
        transfers(registry, "socket", "SOCKET_TRANSFERS", "SOCKET_BYTES");
        transfers(registry, "other", "OTHER_TRANSFERS", "OTHER_BYTES");
        transfers(registry, "tls", "TLS_READS", "TLS_BYTES");
        for (String transport : figures.transports()) {
            for (Hint hint : Hint.values()) {
                LongSupplier failures = () -> figures.failures(transport, hint);
                String tag = hint.name().toLowerCase(Locale.ROOT);
                counter(registry, "failures", "Transfers that failed", failures, "transport", transport, "hint", tag);
            }
        }
        LongSupplier ends = hook.counter("TLS_ENDS_OF_FILE")::sum;
        counter(registry, "ends.of.file", "Reads that found no byte", ends, "transport", "tls");
        LongAdder stale = hook.counter("STALE_PREVENTED");
        LongSupplier ofUnknown = () -> Math.max(0, stale.sum() - figures.stalePreventedWhereKnown());
        stalePrevented(registry, "", ofUnknown);
        counter(registry, "log.suppressed", "Lines that the log left out", figures::suppressedLines);
        for (String part : figures.parts()) {
            counter(registry, "agent.errors", "Faults of the agent's own", () -> figures.errors(part), "part", part);
        }
        Set<String> bound = ConcurrentHashMap.newKeySet();
        binders.add(directory -> {
            if (bound.add(directory)) {
                bind(registry, directory);
            }
        });
    }

    /**
     * Makes the meters of a directory appear. May be repeated.
     *
     * @param directory the directory, in its owner's spelling
     */
    public void show(String directory) {
        binders.forEach(binder -> binder.accept(directory));
    }

    private void bind(MeterRegistry registry, String directory) {
        for (String by : BY) {
            BooleanSupplier offline = () -> figures.isOffline(directory, by);
            gauge(registry, "directory.offline", "1 while it is offline", offline, "dir", directory, "by", by);
        }
        gauge(
                registry,
                "directory.would.offline",
                "1 if within the last hour its disk failed and the agent was not allowed to act",
                () -> figures.wouldBeOffline(directory),
                "dir",
                directory);
        stalePrevented(registry, directory, () -> figures.stalePrevented(directory));
    }

    private void transfers(MeterRegistry registry, String transport, String transfers, String bytes) {
        LongSupplier count = hook.counter(transfers)::sum;
        counter(registry, "transfers", "Transfers that ended well", count, "transport", transport);
        LongSupplier sum = hook.counter(bytes)::sum;
        counter(registry, "transferred.bytes", "Bytes transferred", sum, "transport", transport);
    }

    private void stalePrevented(MeterRegistry registry, String directory, LongSupplier count) {
        counter(
                registry,
                "stale.tls.prevented",
                "Buffers with bytes already sent that were emptied",
                count,
                "dir",
                directory);
    }

    private static void gauge(
            MeterRegistry registry, String name, String description, BooleanSupplier holds, String... tags) {
        Gauge.builder("faultline." + name, () -> holds.getAsBoolean() ? 1 : 0)
                .tags(tags)
                .description(description)
                .register(registry);
    }

    private void counter(MeterRegistry registry, String name, String description, LongSupplier count, String... tags) {
        counts.add(count);
        FunctionCounter.builder("faultline." + name, count, LongSupplier::getAsLong)
                .tags(tags)
                .description(description)
                .register(registry);
    }
}
