/**
 * The bundled broker: one real node that speaks the Kafka protocol over several log directories, in plaintext and TLS.
 *
 * <p>{@link io.faultline.broker.EmbeddedBroker} runs it in a JVM, {@link io.faultline.broker.Main} as a process. It sends
 * fetches with kafka-clients' own zero-copy code, and by itself treats a failing send as Kafka does: as a disconnect. What
 * makes the difference is an attached Faultline agent, which feeds its verdicts to the broker's log-dir failure channel
 * through the {@link io.faultline.classifier.LogDirOwner} that each broker registers.
 */
package io.faultline.broker;
