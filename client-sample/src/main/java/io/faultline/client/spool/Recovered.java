package io.faultline.client.spool;

import java.io.IOException;

/**
 * A batch that an earlier producer left in the spool.
 *
 * @param entry the batch
 * @param attempt under what it was sent; null if it never was
 * @param undecided why it cannot be found out whether it is in the log; null if that was not found yet
 * @param damage why it cannot be read; null if it can
 */
public record Recovered(SpoolEntry entry, Attempt attempt, String undecided, IOException damage) {}
