/** The integration tests of librdkafka, on Apache Kafka and on the bundled broker. */
package io.faultline.bench.librdkafka;
