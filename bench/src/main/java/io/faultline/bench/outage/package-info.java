/**
 * Outages, done to real brokers under real clients: what becomes of every record, and whether everything goes on by itself once the outage is over. {@link
 * io.faultline.bench.outage.Scenario} lists them, {@link io.faultline.bench.outage.Invariant} what has to hold in each.
 */
package io.faultline.bench.outage;
