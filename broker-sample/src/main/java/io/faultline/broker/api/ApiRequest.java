package io.faultline.broker.api;

import io.faultline.broker.metrics.TrafficCounts;
import io.faultline.broker.network.Origin;
import io.faultline.broker.network.ReceivedRequest;
import java.nio.ByteBuffer;
import org.apache.kafka.common.message.ProduceResponseData;
import org.apache.kafka.common.message.RequestHeaderData;
import org.apache.kafka.common.message.ResponseHeaderData;
import org.apache.kafka.common.network.ByteBufferSend;
import org.apache.kafka.common.network.Send;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.SendBuilder;
import org.apache.kafka.common.requests.ResponseHeader;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A request that was read, with the ways to answer it. Exactly one of them is called, once, from any thread.
 *
 * @param <Q> the request's message
 */
public final class ApiRequest<Q extends ApiMessage> {

    private static final Logger LOG = LoggerFactory.getLogger(ApiRequest.class);

    private final ReceivedRequest received;
    private final ApiKeys api;
    private final RequestHeaderData header;
    private final Q body;
    private final TrafficCounts traffic;

    ApiRequest(ReceivedRequest received, ApiKeys api, RequestHeaderData header, Q body, TrafficCounts traffic) {
        this.received = received;
        this.api = api;
        this.header = header;
        this.body = body;
        this.traffic = traffic;
    }

    /**
     * The message.
     *
     * @return the message, never null
     */
    public Q body() {
        return body;
    }

    /**
     * The version of the API that the client speaks.
     *
     * @return one of the announced versions
     */
    public short version() {
        return header.requestApiVersion();
    }

    /**
     * What the client calls itself.
     *
     * @return the client id, empty if it has none
     */
    public String clientId() {
        return header.clientId() == null ? "" : header.clientId();
    }

    /**
     * Where the request came from.
     *
     * @return its listener, whose address its client can reach, and its client, never null
     */
    public Origin origin() {
        return received.origin();
    }

    /**
     * Answers with a response in the version of the request.
     *
     * @param response the message
     */
    public void respond(ApiMessage response) {
        respond(response, version());
    }

    /**
     * Answers with a response in another version, which only ApiVersions may do.
     *
     * @param response the message
     * @param version the version to write it in
     */
    void respond(ApiMessage response, short version) {
        Send send;
        try {
            send = encode(response, version);
        } catch (RuntimeException failure) {
            LOG.error("The response to {} cannot be written", this, failure);
            received.closeConnection();
            count();
            return;
        }
        received.respond(send);
        count();
    }

    private Send encode(ApiMessage response, short version) {
        short headerVersion = api.responseHeaderVersion(version);
        if (ProduceBeforeThree.applies(api, version)) {
            ByteBuffer buffer =
                    ProduceBeforeThree.writeResponse(header.correlationId(), (ProduceResponseData) response, version);
            return ByteBufferSend.sizePrefixed(buffer);
        }
        ResponseHeader responseHeader =
                new ResponseHeader(new ResponseHeaderData().setCorrelationId(header.correlationId()), headerVersion);
        return SendBuilder.buildResponseSend(responseHeader, response, version);
    }

    /** Answers with nothing: the client does not wait for a response. */
    public void respondNothing() {
        received.respondNothing();
        count();
    }

    /**
     * Answers by closing the connection, with one line in the log.
     *
     * @param why the reason
     */
    public void closeConnection(String why) {
        LOG.warn("Closing {} after {}: {}", origin().connectionId(), this, why);
        received.closeConnection();
        count();
    }

    private void count() {
        traffic.requestAnswered(api, System.nanoTime() - received.receivedNanos());
    }

    @Override
    public String toString() {
        return api.name + " v" + header.requestApiVersion() + " from client '" + header.clientId() + "'";
    }
}
