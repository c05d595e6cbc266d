package io.faultline.classifier;

import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * How the checks of one log directory stand.
 *
 * @param directory the directory, {@link LogDirectory#UNKNOWN} where none is known
 * @param pending failed transfers that wait or are being checked
 * @param running whether a re-read runs now
 * @param runningFor how long the re-read that runs now has been running, zero if none is; a hung disk shows here
 * @param oldest how long the oldest pending failure has waited, zero if there is none
 * @param verdicts how many verdicts, by verdict and reason
 * @param dropped failures that found the queue of the directory full
 * @param expired failures that waited too long
 * @param skipped failures that found the directory offline
 * @param bytesRead bytes that were re-read
 * @param suspectedTransient media errors that had gone when the region was read again
 * @param actions what became of {@link Verdict#DISK} verdicts
 */
public record DirectoryStatus(
        LogDirectory directory,
        long pending,
        boolean running,
        Duration runningFor,
        Duration oldest,
        Map<Outcome, Long> verdicts,
        long dropped,
        long expired,
        long skipped,
        long bytesRead,
        long suspectedTransient,
        Map<OwnerAction, Long> actions) {

    /**
     * A verdict with its reason.
     *
     * @param verdict the verdict
     * @param reason the reason
     */
    public record Outcome(Verdict verdict, Reason reason) {

        /** Every verdict with each of the reasons that a check gives for it. */
        public static final List<Outcome> ALL = List.of(
                new Outcome(Verdict.SOCKET, Reason.REGION_READABLE),
                new Outcome(Verdict.TARGET, Reason.REGION_READABLE),
                new Outcome(Verdict.DISK, Reason.READ_FAILED),
                new Outcome(Verdict.DISK, Reason.READ_FAILED_BY_PATH),
                new Outcome(Verdict.DISK, Reason.READ_FAILED_IN_TRANSFER),
                new Outcome(Verdict.INCONCLUSIVE, Reason.END_OF_FILE),
                new Outcome(Verdict.INCONCLUSIVE, Reason.NO_PROGRESS),
                new Outcome(Verdict.INCONCLUSIVE, Reason.CHANNEL_CLOSED),
                new Outcome(Verdict.INCONCLUSIVE, Reason.CHECK_FAILED));
    }
}
