package io.faultline.broker.api;

import org.apache.kafka.common.protocol.ApiMessage;

/**
 * Answers the requests of one API.
 *
 * @param <Q> the request's message
 */
@FunctionalInterface
public interface RequestHandler<Q extends ApiMessage> {

    /**
     * Answers a request, now or later, through one of the ways of {@link ApiRequest}. Called on request threads, several at
     * a time.
     *
     * @param request the request
     */
    void handle(ApiRequest<Q> request);
}
