package io.faultline.broker.api;

import io.faultline.broker.log.Topics;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;
import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.protocol.Errors;

/**
 * Answers fetches with regions of segment files, which the network threads send without the broker ever reading them. A
 * fetch that finds too little waits, without a thread, for appends or its time.
 *
 * <p>Fetches are sessionless: each names all its partitions.
 */
public final class FetchHandler implements RequestHandler<FetchRequestData> {

    private static final int NO_SESSION = 0;

    private final Topics topics;
    private final int maxResponseBytes;
    private final Executor requestThreads;
    private final ScheduledExecutorService timer;

    /**
     * Makes a handler.
     *
     * @param topics the topics
     * @param maxResponseBytes the most that one response carries, in bytes; a single batch may be larger
     * @param requestThreads run what completes a fetch that waited
     * @param timer ends waits
     */
    public FetchHandler(Topics topics, int maxResponseBytes, Executor requestThreads, ScheduledExecutorService timer) {
        this.topics = topics;
        this.maxResponseBytes = maxResponseBytes;
        this.requestThreads = requestThreads;
        this.timer = timer;
    }

    @Override
    public void handle(ApiRequest<FetchRequestData> request) {
        FetchRequestData body = request.body();
        if (body.sessionId() != NO_SESSION || body.sessionEpoch() > 0) {
            request.respond(new FetchResponseData().setErrorCode(Errors.FETCH_SESSION_ID_NOT_FOUND.code()));
            return;
        }
        Fetch fetch = new Fetch(body, request.version(), topics, maxResponseBytes);
        FetchedPartitions found = fetch.read();
        if (body.maxWaitMs() <= 0 || found.isEmpty() || found.hasError() || found.bytes() >= body.minBytes()) {
            request.respond(found.response());
        } else {
            new DelayedFetch(request, fetch, found, requestThreads).start(timer);
        }
    }
}
