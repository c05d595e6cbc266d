package io.faultline.bench.outage;

import java.time.Duration;

/**
 * How late things may be.
 *
 * @param tick what a time-out may be late: the loop's own tick, and a machine that is busy
 * @param recovery within so long after the heal everything has to go on
 */
record Tolerance(Duration tick, Duration recovery) {}
