package io.faultline.client.spool;

import java.util.Locale;

/** {@code spool.sync}: when what is written to the spool is forced to the disk. */
public enum SpoolSync {
    /** Never: it is in the page cache, and survives the end of the process but no power cut. */
    NONE,
    /** Before a record counts as accepted, and before a batch is sent for the first time. */
    ALWAYS;

    /**
     * Finds the value of a configured text.
     *
     * @param text {@code none} or {@code always}, in whatever case
     * @return the value
     */
    public static SpoolSync of(String text) {
        return valueOf(text.toUpperCase(Locale.ROOT));
    }
}
