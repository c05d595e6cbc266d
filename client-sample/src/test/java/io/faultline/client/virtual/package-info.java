/**
 * A network and a cluster in virtual time: what takes the client minutes takes a test milliseconds, and nothing sleeps.
 *
 * <p>No real thing can stand in here, since real sockets and brokers have a clock of their own. What the brokers do about
 * producer ids and sequences is what Apache Kafka was seen to do: a running one recognises the last five batches of a producer,
 * a restarted one only the last; a producer that it does not know may begin with any sequence; a new epoch begins at 0.
 */
package io.faultline.client.virtual;
