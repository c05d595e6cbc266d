/** Kafka clients whose records are known, and one that vanishes. */
package io.faultline.bench.client;
