package io.faultline.broker.api;

import io.faultline.broker.log.Topics;
import io.faultline.broker.metrics.TrafficCounts;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.UnaryOperator;
import org.apache.kafka.common.errors.ApiException;
import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.protocol.Errors;

/**
 * Answers fetches with regions of segment files, which the network threads send without the broker ever reading them. A
 * fetch that finds too little waits, without a thread, for appends or its time.
 */
public final class FetchHandler implements RequestHandler<FetchRequestData> {

    /** Names all partitions of a session; further ones count up, and a negative one is of no session. */
    private static final int FIRST_OF_SESSION = 0;

    private final Topics topics;
    private final int maxResponseBytes;
    private final Executor requestThreads;
    private final ScheduledExecutorService timer;
    private final FetchSessions sessions;
    private final TrafficCounts traffic;

    /**
     * Makes a handler.
     *
     * @param topics the topics
     * @param maxResponseBytes the most that one response carries, in bytes; a single batch may be larger
     * @param requestThreads run what completes a fetch that waited
     * @param timer ends waits
     * @param sessions the fetch sessions
     * @param traffic counts what is fetched
     */
    public FetchHandler(
            Topics topics,
            int maxResponseBytes,
            Executor requestThreads,
            ScheduledExecutorService timer,
            FetchSessions sessions,
            TrafficCounts traffic) {
        this.topics = topics;
        this.maxResponseBytes = maxResponseBytes;
        this.requestThreads = requestThreads;
        this.timer = timer;
        this.sessions = sessions;
        this.traffic = traffic;
    }

    @Override
    public void handle(ApiRequest<FetchRequestData> request) {
        try {
            handleInSession(request);
        } catch (ApiException refused) {
            request.respond(new FetchResponseData()
                    .setErrorCode(Errors.forException(refused).code()));
        }
    }

    private void handleInSession(ApiRequest<FetchRequestData> request) {
        FetchRequestData body = request.body();
        boolean byTopicId = request.version() >= Fetch.FIRST_WITH_TOPIC_IDS;
        if (body.sessionEpoch() > FIRST_OF_SESSION) {
            FetchSession session =
                    sessions.find(body.sessionId()).orElseThrow(Errors.FETCH_SESSION_ID_NOT_FOUND::exception);
            FetchRequestData whole = session.next(body, byTopicId);
            if (session.isEmpty()) {
                sessions.close(session.id());
                serve(request, whole, UnaryOperator.identity());
            } else {
                serve(request, whole, session::answer);
            }
            return;
        }
        sessions.close(body.sessionId());
        Optional<FetchSession> opened =
                body.sessionEpoch() == FIRST_OF_SESSION ? sessions.open(body, byTopicId) : Optional.empty();
        serve(
                request,
                body,
                opened.<UnaryOperator<FetchResponseData>>map(session -> session::answer)
                        .orElse(UnaryOperator.identity()));
    }

    private void serve(
            ApiRequest<FetchRequestData> request, FetchRequestData whole, UnaryOperator<FetchResponseData> session) {
        Fetch fetch = new Fetch(whole, request.version(), topics, maxResponseBytes, traffic);
        FetchedPartitions found = fetch.read();
        if (whole.maxWaitMs() <= 0 || found.isEmpty() || found.hasNews() || found.bytes() >= whole.minBytes()) {
            request.respond(session.apply(fetch.answer(found)));
        } else {
            new DelayedFetch(request, fetch, found, session, requestThreads).start(timer);
        }
    }
}
