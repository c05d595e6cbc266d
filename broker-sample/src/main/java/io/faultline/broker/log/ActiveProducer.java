package io.faultline.broker.log;

/**
 * An idempotent producer that a partition knows.
 *
 * @param id its producer id
 * @param epoch its current epoch
 * @param lastSequence the sequence of its last record
 * @param lastTimestamp the largest timestamp of its last batch
 */
public record ActiveProducer(long id, short epoch, int lastSequence, long lastTimestamp) {}
