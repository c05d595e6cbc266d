/**
 * The Kafka protocol: the one package that touches classes of kafka-clients which are no public API.
 *
 * <p>Message classes, record batches and compression are those of kafka-clients, in the one version that the parent pom pins;
 * they move between packages from release to release. Bytes, frames and connections are this client's own.
 */
package io.faultline.client.protocol;
