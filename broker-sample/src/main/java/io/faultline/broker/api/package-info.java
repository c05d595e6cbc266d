/**
 * The Kafka protocol: which requests the broker answers, and one handler class for each.
 *
 * <p>kafka-clients' message classes are the codec. They are no public API of Kafka, so the version is pinned, and what
 * reads and writes bytes is kept to {@link io.faultline.broker.api.RequestDispatcher} and
 * {@link io.faultline.broker.api.ProduceBeforeThree}.
 */
package io.faultline.broker.api;
