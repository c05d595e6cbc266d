package io.faultline.classifier;

/**
 * What became of the failed transfers that were handed over. At rest, when nothing is pending,
 * {@code handedOver == verdicts + dropped + expired + skipped}, exactly.
 *
 * @param handedOver failed transfers that were submitted
 * @param verdicts those that got a verdict, whichever
 * @param dropped those that found a full queue
 * @param expired those that waited too long, or waited when the classifier was closed
 * @param skipped those whose directory was offline already, or whose file is not to be checked
 * @param pending those that wait or are being checked now
 */
public record Accounts(long handedOver, long verdicts, long dropped, long expired, long skipped, long pending) {

    /**
     * Says whether the books balance.
     *
     * @return true if every failed transfer is accounted for
     */
    public boolean balance() {
        return handedOver == verdicts + dropped + expired + skipped + pending;
    }
}
