/**
 * Connections: an acceptor and a few processors per listener, each processor with a {@code Selector} of kafka-clients.
 *
 * <p>The very classes that send a fetch in production send it here: {@code Selector}, {@code KafkaChannel},
 * {@code PlaintextTransportLayer} and {@code SslTransportLayer}. As in Kafka, a connection is muted from the receipt of a
 * request until its response is sent, so that one request per connection is in flight and a failing send is what a
 * transfer reports; and any {@code IOException} of a send is taken for a disconnect.
 */
package io.faultline.broker.network;
