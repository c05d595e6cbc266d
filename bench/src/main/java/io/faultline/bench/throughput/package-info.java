/** What goes through brokers and clients in a second, and what processor time and memory that takes: each compared with Apache Kafka's in one run. Brokers and clients are processes of their own. */
package io.faultline.bench.throughput;
