package io.faultline.classifier;

/**
 * What the text of the failed transfer's exception resembles.
 *
 * <p>A hint is recorded beside the verdict and may order the checks of a directory; it decides nothing.
 * {@link FailureHints} says how the texts are learned.
 */
public enum Hint {
    /** The text that this JVM gives to EIO. */
    MEDIA_ERROR,
    /** The text that this JVM gives to EPIPE. */
    BROKEN_PIPE,
    /** The text that this JVM gives to ECONNRESET. */
    CONNECTION_RESET,
    /** Any other text, or none. */
    NONE
}
