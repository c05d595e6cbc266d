/**
 * Experiments on real Apache Kafka: clusters whose nodes are processes, run from the jars of any release, with disks that really fail under them.
 */
package io.faultline.bench.kafka;
