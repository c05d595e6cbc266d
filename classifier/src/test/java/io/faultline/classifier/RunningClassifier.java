package io.faultline.classifier;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

/** A classifier with a feed of its own, whose verdicts are kept in the order in which they were published. */
final class RunningClassifier implements AutoCloseable {

    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final Duration POLL = Duration.ofMillis(2);

    final FailureFeed feed;
    final FailureClassifier classifier;
    final List<Classification> verdicts = new CopyOnWriteArrayList<>();
    private final Subscription subscription;

    RunningClassifier() {
        this(builder -> {});
    }

    RunningClassifier(Consumer<FailureClassifier.Builder> settings) {
        this(new FailureFeed(), settings);
    }

    RunningClassifier(FailureFeed feed, Consumer<FailureClassifier.Builder> settings) {
        this.feed = feed;
        // An actor: when a verdict is counted, it is also in the list.
        subscription = feed.act("test", verdicts::add);
        FailureClassifier.Builder builder = FailureClassifier.publishingTo(feed)
                .hints(FailureHints.NONE)
                .bytesPerSecond(1L << 40)
                .tick(Duration.ofMillis(1));
        settings.accept(builder);
        classifier = builder.build();
    }

    void submit(FailedTransfer failure) {
        classifier.submit(failure);
    }

    /** Submits a failure and waits for its verdict. */
    Classification verdictOn(FailedTransfer failure) {
        classifier.submit(failure);
        return awaitVerdictOn(failure);
    }

    Classification awaitVerdictOn(FailedTransfer failure) {
        until("verdict on " + failure, () -> verdictsOn(failure).size() == 1);
        return verdictsOn(failure).get(0);
    }

    List<Classification> verdictsOn(FailedTransfer failure) {
        return verdicts.stream()
                .filter(verdict -> verdict.transferFailure() == failure.failure())
                .toList();
    }

    /** Waits until nothing is pending, and proves that the books balance then. */
    Accounts atRest() {
        until("rest", () -> classifier.accounts().pending() == 0);
        until("balance", () -> classifier.accounts().balance());
        Accounts accounts = classifier.accounts();
        assertThat(accounts.handedOver())
                .isEqualTo(accounts.verdicts() + accounts.dropped() + accounts.expired() + accounts.skipped());
        return accounts;
    }

    /** The status of a directory that has had a failure. */
    DirectoryStatus status(String directory) {
        return classifier.directories().stream()
                .filter(status -> status.directory().path().equals(directory))
                .findFirst()
                .orElseThrow();
    }

    boolean hasDirectory(String directory) {
        return classifier.directories().stream()
                .anyMatch(status -> status.directory().path().equals(directory));
    }

    /** The only directory that has had a failure. */
    DirectoryStatus status() {
        assertThat(classifier.directories()).hasSize(1);
        return classifier.directories().get(0);
    }

    static void until(String what, Callable<Boolean> condition) {
        await(what).pollDelay(Duration.ZERO).pollInterval(POLL).atMost(PATIENCE).until(condition);
    }

    /** Closes the classifier and waits until all its threads have ended. */
    @Override
    public void close() {
        classifier.close();
        subscription.close();
        until("end of the classifier's threads", () -> !classifier.isBusy());
    }
}
