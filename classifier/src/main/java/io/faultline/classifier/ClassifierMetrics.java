package io.faultline.classifier;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.Locale;
import java.util.function.ToDoubleFunction;

/**
 * The counts of a classifier as Micrometer meters. Tags are bounded: log directories, verdicts, reasons and results; no file, position or
 * peer. The meters of a directory appear with its first failure.
 */
public final class ClassifierMetrics implements MeterBinder, AutoCloseable {

    private static final String PREFIX = "faultline.";
    private static final double NANOS = 1e9;

    private final FailureClassifier classifier;
    private final FailureFeed feed;
    private volatile Subscription timing = () -> {};

    /**
     * Makes the binder.
     *
     * @param classifier whose counts
     * @param feed the feed that it publishes to; the timers listen there
     */
    public ClassifierMetrics(FailureClassifier classifier, FailureFeed feed) {
        this.classifier = classifier;
        this.feed = feed;
    }

    @Override
    public void bindTo(MeterRegistry registry) {
        FunctionCounter.builder(
                        PREFIX + "handed.over", classifier, c -> c.accounts().handedOver())
                .description("Failed transfers that were handed over for a check")
                .register(registry);
        notChecked(registry, "dropped", c -> c.accounts().dropped());
        notChecked(registry, "expired", c -> c.accounts().expired());
        notChecked(registry, "skipped", c -> c.accounts().skipped());
        Timer checks = Timer.builder(PREFIX + "check")
                .description("From the beginning of a check to its verdict")
                .publishPercentileHistogram()
                .register(registry);
        Timer detection = Timer.builder(PREFIX + "detection")
                .description("From a failed transfer to the verdict that its disk failed")
                .publishPercentileHistogram()
                .register(registry);
        timing = feed.observe("metrics", classification -> {
            checks.record(classification.took());
            if (classification.verdict() == Verdict.DISK) {
                detection.record(classification.waited().plus(classification.took()));
            }
        });
        classifier.onDirectory(directory -> bind(directory, registry));
    }

    /** Stops feeding the timers. The other meters go on to read the classifier. */
    @Override
    public void close() {
        timing.close();
    }

    private void notChecked(MeterRegistry registry, String reason, ToDoubleFunction<FailureClassifier> count) {
        FunctionCounter.builder(PREFIX + "not.checked", classifier, count)
                .tag("reason", reason)
                .description("Failed transfers that got no verdict")
                .register(registry);
    }

    private static void bind(DirectoryChecks checks, MeterRegistry registry) {
        String dir = checks.directory().path();
        for (DirectoryStatus.Outcome outcome : DirectoryStatus.Outcome.ALL) {
            FunctionCounter.builder(PREFIX + "verdicts", checks, c -> c.count(outcome))
                    .tags("dir", dir, "verdict", tag(outcome.verdict()), "reason", tag(outcome.reason()))
                    .description("Verdicts on failed transfers")
                    .register(registry);
        }
        for (OwnerAction action : OwnerAction.values()) {
            if (action != OwnerAction.NONE) {
                FunctionCounter.builder(PREFIX + "actions", checks, c -> c.count(action))
                        .tags("dir", dir, "result", tag(action))
                        .description("What became of verdicts that a disk failed, at the owner of the directory")
                        .register(registry);
            }
        }
        counter(registry, checks, "checks.dropped", "Failures that found the queue full", c -> c.dropped());
        FunctionCounter.builder(PREFIX + "check.read", checks, DirectoryChecks::bytesRead)
                .tag("dir", dir)
                .baseUnit("bytes")
                .description("Bytes that were re-read")
                .register(registry);
        counter(
                registry,
                checks,
                "suspected.transient",
                "Media errors that had gone when the region was read again",
                c -> c.suspectedTransient());
        gauge(
                registry,
                checks,
                "check.pending",
                "Failures that wait for a verdict",
                c -> c.status().pending());
        gauge(
                registry,
                checks,
                "check.running",
                "Whether a re-read runs",
                c -> c.status().running() ? 1 : 0);
        Gauge.builder(
                        PREFIX + "check.oldest.age",
                        checks,
                        c -> c.status().oldest().toNanos() / NANOS)
                .tag("dir", dir)
                .baseUnit("seconds")
                .description("How long the oldest failure without a verdict has waited")
                .register(registry);
    }

    private static void counter(
            MeterRegistry registry,
            DirectoryChecks checks,
            String name,
            String description,
            ToDoubleFunction<DirectoryChecks> count) {
        FunctionCounter.builder(PREFIX + name, checks, count)
                .tag("dir", checks.directory().path())
                .description(description)
                .register(registry);
    }

    private static void gauge(
            MeterRegistry registry,
            DirectoryChecks checks,
            String name,
            String description,
            ToDoubleFunction<DirectoryChecks> value) {
        Gauge.builder(PREFIX + name, checks, value)
                .tag("dir", checks.directory().path())
                .description(description)
                .register(registry);
    }

    private static String tag(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT);
    }
}
