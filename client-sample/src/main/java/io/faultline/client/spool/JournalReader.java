package io.faultline.client.spool;

/** Hears what a journal has, in its order. On the spool's thread. */
interface JournalReader {

    /** A record that is well. */
    void record(JournalRecord record);

    /**
     * Bytes that were written as records and are none any more: what they said is not known. What was told before may have changed
     * there; what follows is newer.
     *
     * @param from where they begin
     * @param to where they end
     */
    void gap(long from, long to);
}
