package io.faultline.agent.status;

import io.faultline.classifier.Verdict;
import java.util.Locale;

/** What failures are plotted as: what a person has to tell apart at a glance. */
public enum Kind {
    /** The region could not be read. */
    DISK("disk failed"),
    /** A media error that had gone when the region was read again. */
    TRANSIENT("suspected transient"),
    /** The client went away. */
    SOCKET("client went away"),
    /** The target was no socket and failed, or nothing could be said. */
    OTHER("other");

    private final String forPeople;

    Kind(String forPeople) {
        this.forPeople = forPeople;
    }

    static Kind of(SeenFailure seen) {
        if (seen.suspectedTransient()) {
            return TRANSIENT;
        }
        return seen.verdict() == Verdict.DISK ? DISK : seen.verdict() == Verdict.SOCKET ? SOCKET : OTHER;
    }

    /** As a person reads it. */
    String forPeople() {
        return forPeople;
    }

    /** As a program reads it. */
    String key() {
        return name().toLowerCase(Locale.ROOT);
    }
}
