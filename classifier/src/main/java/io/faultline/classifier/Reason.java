package io.faultline.classifier;

/** Why a check came to its {@link Verdict}: the outcome of the re-read, or what stood in its way. */
public enum Reason {
    /** The whole region was read. */
    REGION_READABLE,
    /** The region ends behind the end of the file: it was truncated since the transfer. */
    END_OF_FILE,
    /** A read returned no byte and no error. */
    NO_PROGRESS,
    /** The channel was closed before or while the region was read, so nothing can be said. */
    CHANNEL_CLOSED,
    /** A read of the region failed. */
    READ_FAILED,
    /** The channel was gone and nobody claims the directory; a read of the same region by path failed. */
    READ_FAILED_BY_PATH,
    /** A read failed by itself inside the transfer, before any socket was touched. No re-read was needed. */
    READ_FAILED_IN_TRANSFER,
    /** The check itself ended in an error of Faultline's own. It says nothing about the file. */
    CHECK_FAILED,
    /** A newer agent published a reason that this copy of the library does not know. */
    UNKNOWN
}
