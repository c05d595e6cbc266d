package io.faultline.bench.outage;

/**
 * How an outage went, in milliseconds of the machine's monotonic clock.
 *
 * @param began when the fault began
 * @param silent until when the producer was silent for longer than its delivery time-out, -1 if it was not
 * @param healing when taking the fault away began
 * @param healed when the probe was first acknowledged after that
 * @param fresh when the client was told to send one record to each partition
 * @param ended when everything was settled and consumed, or was waited for no longer
 */
record Course(long began, long silent, long healing, long healed, long fresh, long ended) {}
