/**
 * A Kafka-protocol client that no outage can wedge.
 *
 * <p>{@link io.faultline.client.Producer} is what applications use; its configuration has Kafka's own names and defaults, and
 * records, serializers and exceptions are those of kafka-clients. What sets it apart lies below:
 *
 * <ul>
 *   <li>{@code watchdog}: every wait has a name and a deadline; what fires is counted and always moves things on.
 *   <li>{@code loop}: the threads of a client.
 *   <li>{@code network}: connections.
 *   <li>{@code protocol}: the one package that touches kafka-clients' internals.
 *   <li>{@code metadata}: the view of the cluster.
 *   <li>{@code produce}: batches, sequences, and what becomes of them when acks are lost.
 * </ul>
 */
package io.faultline.client;
