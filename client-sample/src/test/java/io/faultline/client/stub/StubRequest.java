package io.faultline.client.stub;

import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;

/**
 * A request that reached a stub broker.
 *
 * @param node which broker
 * @param connection the number of the connection, counted over all brokers of the cluster
 * @param api what was asked
 * @param version in which version
 * @param correlationId its number on the connection
 * @param clientId who asked
 * @param body the question
 * @param nanos when it was read, as of {@link System#nanoTime}
 */
public record StubRequest(
        int node,
        int connection,
        ApiKeys api,
        short version,
        int correlationId,
        String clientId,
        ApiMessage body,
        long nanos) {

    /**
     * The question.
     *
     * @param type its class
     * @param <T> its class
     * @return the body
     */
    public <T extends ApiMessage> T body(Class<T> type) {
        return type.cast(body);
    }
}
