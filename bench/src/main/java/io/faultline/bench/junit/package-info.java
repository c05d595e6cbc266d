/** What the JUnit test of a client costs, on the bundled broker and on an Apache Kafka in the same JVM. */
package io.faultline.bench.junit;
