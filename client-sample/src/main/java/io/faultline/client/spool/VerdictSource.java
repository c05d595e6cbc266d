package io.faultline.client.spool;

import io.faultline.classifier.FailedTransfer;
import io.faultline.classifier.FailureFeed;
import java.util.Objects;
import java.util.function.Consumer;

/**
 * Who tells whether the disk or the peer failed when a batch could not be sent from the spool.
 *
 * @param feed where the verdicts come out
 * @param submit where failed transfers are handed in; called on the client's loop, must not wait
 */
public record VerdictSource(FailureFeed feed, Consumer<FailedTransfer> submit) {

    /**
     * Refuses nulls.
     *
     * @throws NullPointerException if one of them is null
     */
    public VerdictSource {
        Objects.requireNonNull(feed, "feed");
        Objects.requireNonNull(submit, "submit");
    }

    /**
     * An agent in this JVM, which sees failed transfers by itself. Where there is none, no verdict comes and the file is read
     * after a while.
     *
     * @return the source
     */
    public static VerdictSource agent() {
        return new VerdictSource(FailureFeed.ofThisJvm(), transfer -> {});
    }
}
