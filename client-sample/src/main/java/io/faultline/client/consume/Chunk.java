package io.faultline.client.consume;

import io.faultline.client.protocol.FetchedRecords;

/**
 * What one fetch brought of one partition.
 *
 * @param flow the partition
 * @param seeks how often the caller had moved it when this was asked for
 * @param records the batches
 */
record Chunk(Flow flow, int seeks, FetchedRecords records) implements Inbox.Item {}
