package io.faultline.classifier;

import java.io.IOException;

/** Watches re-reads while they run, on the very thread that makes them. It must not block, and what it throws is swallowed. */
@FunctionalInterface
public interface CheckObserver {

    /** Watches nothing. */
    CheckObserver NONE = (directory, file, region) -> null;

    /** Told how a re-read ended. */
    @FunctionalInterface
    interface End {

        /**
         * Called once, when the re-read has ended.
         *
         * @param outcome how, in lower case, such as {@code readable} or {@code failed}
         * @param position where it ended
         * @param failure what the failing read threw, or null
         */
        void ended(String outcome, long position, IOException failure);
    }

    /**
     * Called when a re-read begins.
     *
     * @param directory the log directory
     * @param file the file's best known name, or null
     * @param region what is read, the regions of all failures that it settles
     * @return told of its end, or null
     */
    End begun(String directory, String file, Region region);
}
