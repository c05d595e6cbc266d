package io.faultline.classifier;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.function.ToDoubleFunction;
import java.util.function.ToLongFunction;
import java.util.stream.Stream;

/**
 * The counts of a classifier as Micrometer meters. Tags are bounded: log directories, verdicts, reasons and results; no file, position or
 * peer. The meters of a directory appear with its first failure, or when it is {@linkplain #show shown}.
 */
public final class ClassifierMetrics implements MeterBinder, AutoCloseable {

    private static final String PREFIX = "faultline.";

    /** The bounds of the histograms: few, so that a scrape stays small. */
    private static final Duration[] BUCKETS = Stream.of(1, 2, 5, 10, 25, 50, 100, 250, 1_000, 5_000, 30_000)
            .map(Duration::ofMillis)
            .toArray(Duration[]::new);

    private static final double NANOS = 1e9;

    private final FailureClassifier classifier;
    private final FailureFeed feed;
    private final List<Subscription> timing = new CopyOnWriteArrayList<>();
    private final List<Consumer<String>> binders = new CopyOnWriteArrayList<>();

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
        notChecked(registry, "skipped", c -> Math.max(0, c.accounts().skipped() - c.excluded()));
        notChecked(registry, "excluded", FailureClassifier::excluded);
        Timer checks = Timer.builder(PREFIX + "check")
                .description("From the beginning of a check to its verdict")
                .serviceLevelObjectives(BUCKETS)
                .register(registry);
        Timer detection = Timer.builder(PREFIX + "detection")
                .description("From a failed transfer to the verdict that its disk failed")
                .serviceLevelObjectives(BUCKETS)
                .register(registry);
        timing.add(feed.observe("metrics", classification -> {
            checks.record(classification.took());
            if (classification.verdict() == Verdict.DISK) {
                detection.record(classification.waited().plus(classification.took()));
            }
        }));
        Set<String> bound = ConcurrentHashMap.newKeySet();
        Consumer<String> binder = directory -> {
            if (bound.add(directory)) { // a registry warns of what it has already
                bind(directory, registry);
            }
        };
        binders.add(binder);
        classifier.onDirectory(directory -> binder.accept(directory.path()));
    }

    /**
     * Makes the meters of a directory appear before its first failure, at 0: what begins with its first count shows no increase to whoever scrapes it. May be repeated.
     *
     * @param directory the directory, in its owner's spelling
     */
    public void show(String directory) {
        binders.forEach(binder -> binder.accept(directory));
    }

    /** Stops feeding the timers. The other meters go on to read the classifier. */
    @Override
    public void close() {
        timing.forEach(Subscription::close);
    }

    private void notChecked(MeterRegistry registry, String reason, ToDoubleFunction<FailureClassifier> count) {
        FunctionCounter.builder(PREFIX + "not.checked", classifier, count)
                .tag("reason", reason)
                .description("Failed transfers that got no verdict")
                .register(registry);
    }

    /** The meters look the directory up by its name, so they go on when its owner is another one, such as a server that restarted. */
    private void bind(String dir, MeterRegistry registry) {
        for (DirectoryStatus.Outcome outcome : DirectoryStatus.Outcome.ALL) {
            FunctionCounter.builder(PREFIX + "verdicts", classifier, sum(dir, counts -> counts.of(outcome)))
                    .tags("dir", dir, "verdict", tag(outcome.verdict()), "reason", tag(outcome.reason()))
                    .description("Verdicts on failed transfers")
                    .register(registry);
        }
        for (OwnerAction action : OwnerAction.values()) {
            if (action != OwnerAction.NONE) {
                FunctionCounter.builder(PREFIX + "actions", classifier, sum(dir, counts -> counts.of(action)))
                        .tags("dir", dir, "result", tag(action))
                        .description("What became of verdicts that a disk failed, at the owner of the directory")
                        .register(registry);
            }
        }
        FunctionCounter.builder(PREFIX + "checks.dropped", classifier, sum(dir, counts -> counts.dropped.sum()))
                .tag("dir", dir)
                .description("Failures that found the queue full")
                .register(registry);
        FunctionCounter.builder(PREFIX + "check.read", classifier, sum(dir, counts -> counts.bytesRead.sum()))
                .tag("dir", dir)
                .baseUnit("bytes")
                .description("Bytes that were re-read")
                .register(registry);
        FunctionCounter.builder(
                        PREFIX + "suspected.transient", classifier, sum(dir, counts -> counts.suspectedTransient.sum()))
                .tag("dir", dir)
                .description("Media errors that had gone when the region was read again")
                .register(registry);
        Gauge.builder(
                        PREFIX + "check.pending",
                        classifier,
                        c -> statuses(c, dir)
                                .mapToLong(DirectoryStatus::pending)
                                .sum())
                .tag("dir", dir)
                .description("Failures that wait for a verdict")
                .register(registry);
        Gauge.builder(
                        PREFIX + "check.running",
                        classifier,
                        c -> statuses(c, dir).filter(DirectoryStatus::running).count())
                .tag("dir", dir)
                .description("How many re-reads run, more than one only if several owners claim the directory")
                .register(registry);
        Gauge.builder(
                        PREFIX + "check.oldest.age",
                        classifier,
                        c -> statuses(c, dir)
                                        .mapToLong(status -> status.oldest().toNanos())
                                        .max()
                                        .orElse(0)
                                / NANOS)
                .tag("dir", dir)
                .baseUnit("seconds")
                .description("How long the oldest failure without a verdict has waited")
                .register(registry);
    }

    private static ToDoubleFunction<FailureClassifier> sum(String dir, ToLongFunction<DirectoryCounts> count) {
        return classifier -> classifier
                .checksAt(dir)
                .mapToLong(checks -> count.applyAsLong(checks.counts()))
                .sum();
    }

    private static Stream<DirectoryStatus> statuses(FailureClassifier classifier, String dir) {
        return classifier.checksAt(dir).map(DirectoryChecks::status);
    }

    private static String tag(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT);
    }
}
