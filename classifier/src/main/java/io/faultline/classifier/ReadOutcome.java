package io.faultline.classifier;

import java.io.IOException;

/**
 * How a re-read ended.
 *
 * @param end in which way
 * @param position the first byte that was not read
 * @param failure what the failing read threw, null unless it is {@link End#FAILED}
 */
record ReadOutcome(End end, long position, IOException failure) {

    /** The ways in which a re-read ends. */
    enum End {
        /** Everything was read. */
        READABLE,
        /** The file ends before the region does. */
        END_OF_FILE,
        /** A read returned 0. */
        NO_PROGRESS,
        /** The channel was closed. */
        CLOSED,
        /** A read failed. */
        FAILED,
        /** The classifier was closed while reading. */
        ABANDONED
    }
}
