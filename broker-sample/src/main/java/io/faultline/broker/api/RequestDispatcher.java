package io.faultline.broker.api;

import io.faultline.broker.metrics.TrafficCounts;
import io.faultline.broker.network.RateLimitedLog;
import io.faultline.broker.network.ReceivedRequest;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.Semaphore;
import org.apache.kafka.common.message.RequestHeaderData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads requests on the request threads and hands each to the handler of its API. A request that cannot be read, or that
 * its handler fails on, closes its own connection and nothing else.
 */
public final class RequestDispatcher {

    private static final Logger LOG = LoggerFactory.getLogger(RequestDispatcher.class);

    private final Executor requestThreads;
    /** Those that no request thread has taken yet. What waited and is taken up again is not among them. */
    private final Semaphore queue;

    private final RateLimitedLog malformedRequests = new RateLimitedLog(LOG);
    private final SupportedVersions versions;
    private final Map<ApiKeys, RequestHandler<?>> handlers;
    private final TrafficCounts traffic;

    /**
     * Makes a dispatcher.
     *
     * @param requestThreads the threads that read and handle requests
     * @param queuedRequests how many requests may wait for a thread; then network threads wait, as Kafka's do
     * @param versions what is announced, and answered
     * @param handlers a handler for each announced API, for messages of that API
     * @param traffic counts the requests
     */
    public RequestDispatcher(
            Executor requestThreads,
            int queuedRequests,
            SupportedVersions versions,
            Map<ApiKeys, RequestHandler<?>> handlers,
            TrafficCounts traffic) {
        this.requestThreads = requestThreads;
        this.queue = new Semaphore(queuedRequests);
        this.versions = versions;
        this.handlers = Map.copyOf(handlers);
        this.traffic = traffic;
    }

    /**
     * What is answered.
     *
     * @return the announced APIs
     */
    public Set<ApiKeys> apis() {
        return handlers.keySet();
    }

    /**
     * Takes a request off a network thread, which may have to wait until there is room for it.
     *
     * @param received the request
     */
    public void dispatch(ReceivedRequest received) {
        queue.acquireUninterruptibly();
        try {
            requestThreads.execute(() -> {
                queue.release();
                handleOrClose(received);
            });
        } catch (RejectedExecutionException stopping) {
            queue.release();
            received.closeConnection();
        }
    }

    /** An error, such as a want of memory, ends the thread, which another one takes the place of; but nobody waits for it. */
    private void handleOrClose(ReceivedRequest received) {
        try {
            handle(received);
        } catch (Error fatal) {
            LOG.error("Closing {}", received.origin().connectionId(), fatal);
            received.closeConnection();
            throw fatal;
        }
    }

    private void handle(ReceivedRequest received) {
        ApiRequest<?> request;
        ApiKeys api;
        try {
            ByteBuffer payload = received.payload();
            short key = payload.getShort(payload.position());
            if (!ApiKeys.hasId(key)) {
                throw new IllegalArgumentException("API key " + key + " is unknown");
            }
            api = ApiKeys.forId(key);
            request = read(received, payload, api);
        } catch (RuntimeException malformed) {
            malformedRequests.warn(
                    "Closing {}: malformed request: {}", received.origin().connectionId(), malformed.toString());
            traffic.requestMalformed();
            received.closeConnection();
            return;
        }
        answer(api, request);
    }

    private ApiRequest<?> read(ReceivedRequest received, ByteBuffer payload, ApiKeys api) {
        short version = payload.getShort(payload.position() + Short.BYTES);
        boolean supported = versions.contains(api, version);
        if (!supported && api != ApiKeys.API_VERSIONS) {
            throw new IllegalArgumentException(api.name + " v" + version + " is not announced");
        }
        if (supported) {
            RequestShape.check(payload, api, version);
        }
        RequestHeaderData header =
                new RequestHeaderData(new ByteBufferAccessor(payload), api.requestHeaderVersion(version));
        ApiMessage body;
        if (ProduceBeforeThree.applies(api, version)) {
            body = ProduceBeforeThree.readRequest(payload);
        } else {
            body = api.messageType.newRequest();
            // The body of an unknown version of ApiVersions cannot be read, and is not needed to say so.
            if (supported) {
                body.read(new ByteBufferAccessor(payload), version);
            }
        }
        return new ApiRequest<>(received, api, header, body, traffic);
    }

    @SuppressWarnings("unchecked") // each handler is for messages of its API, and the API makes the message
    private void answer(ApiKeys api, ApiRequest<?> request) {
        try {
            ((RequestHandler<ApiMessage>) handlers.get(api)).handle((ApiRequest<ApiMessage>) request);
        } catch (RuntimeException unexpected) {
            LOG.error("{} failed", request, unexpected);
            request.closeConnection(unexpected.toString());
        }
    }
}
