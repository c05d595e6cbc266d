package io.faultline.client.consume;

import io.faultline.client.protocol.FetchedRecords;

/**
 * What one fetch brought of one partition.
 *
 * @param flow the partition
 * @param seeks how often the caller had moved it when this was asked for
 * @param records the batches
 * @param frame in which they lie
 */
record Chunk(Flow flow, int seeks, FetchedRecords records, FetchFrame frame) implements Inbox.Item {

    /** Nobody reads it any more. Once only. */
    void close() {
        records.close();
        frame.release();
    }
}
