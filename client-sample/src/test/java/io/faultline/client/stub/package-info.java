/**
 * Brokers that answer as a test tells them. They speak the real protocol, in frames, over real sockets and TLS; what is fake is only that nothing stands behind them but a
 * {@link io.faultline.client.stub.StubCluster}'s view of the world. With no script they behave: one can produce, fetch and be the only member of a group.
 */
package io.faultline.client.stub;
