package io.faultline.agent.core;

import io.faultline.classifier.Classification;
import io.faultline.classifier.Verdict;
import java.time.Duration;
import java.time.Instant;

/** Says in the log what a person must know of verdicts: that a disk failed, or may begin to, and what was done. */
final class VerdictLines {

    private final AgentLog log;
    private final Repeats repeats = new Repeats();

    VerdictLines(AgentLog log) {
        this.log = log;
    }

    /**
     * Takes in a verdict.
     *
     * @param why the option by which it was not acted upon, or ""
     */
    void told(Classification classification, String why) {
        boolean disk = classification.verdict() == Verdict.DISK;
        if (!disk && !classification.suspectedTransient()) {
            return;
        }
        long times = repeats.news(classification, why);
        if (times == 0) {
            log.suppress();
            return;
        }
        String again = times == 1 ? "" : " (" + times + " times since this was last said)";
        log.warn(
                disk
                        ? classification + "; " + done(classification, why) + again
                        : "suspected transient media error, readable again: " + classification + again);
    }

    private static String done(Classification classification, String why) {
        return switch (classification.action()) {
            case FED ->
                "the directory is taken offline, "
                        + Duration.between(classification.failedAt(), Instant.now())
                                .toMillis() + " ms after the failure";
            case NONE -> "nobody claims the directory, so nothing is taken offline";
            case OBSERVED -> "observing only (" + why + "), the directory stays online";
            case LIMITED -> "LIMITED (" + why + "), the directory stays online";
            case ALREADY -> "the directory is offline already";
            case UNKNOWN, ERROR -> "the directory's owner says " + classification.action();
        };
    }
}
