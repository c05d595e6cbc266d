package io.faultline.broker.log;

import java.io.IOException;
import java.util.Objects;

/**
 * That a log directory failed, and how it was found out.
 *
 * @param directory the directory
 * @param doing what was being done, such as {@code appending to t-0}
 * @param cause the failure that was met
 */
public record LogDirFailure(LogDirectory directory, String doing, IOException cause) {

    /**
     * Refuses a failure that lacks a part.
     *
     * @throws NullPointerException if a part is null
     */
    public LogDirFailure {
        Objects.requireNonNull(directory, "directory");
        Objects.requireNonNull(doing, "doing");
        Objects.requireNonNull(cause, "cause");
    }

    /**
     * The failure for a person.
     *
     * @return what was being done and what was met, on one line
     */
    public String reason() {
        return "failed while " + doing + ": " + cause;
    }
}
