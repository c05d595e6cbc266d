/**
 * What a broker measures: for Micrometer ({@link io.faultline.broker.metrics.BrokerMeters}), which is an optional dependency, and under Kafka's own MBean names
 * ({@link io.faultline.broker.metrics.KafkaMBeans}). Neither is there unless somebody asks for it; the counting itself is a few additions per request.
 */
package io.faultline.broker.metrics;
