package io.faultline.client.protocol;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.clients.FetchSessionHandler;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.requests.FetchRequest;
import org.apache.kafka.common.requests.FetchResponse;
import org.apache.kafka.common.utils.internals.LogContext;

/**
 * The fetch session with one broker (KIP-227): after the first request only what has changed is sent. At most one request is on
 * its way at a time. Not safe for use by several threads.
 */
public final class FetchSession {

    /** The last version whose requests name topics; later ones have topic ids only. */
    private static final short LAST_WITH_NAMES = 12;

    private final FetchSessionHandler handler;

    /**
     * Begins without a session.
     *
     * @param client the name of the client, for the log
     * @param broker the id of the broker
     */
    public FetchSession(String client, int broker) {
        handler = new FetchSessionHandler(new LogContext("[" + client + "] "), broker);
    }

    /**
     * What is wanted of one partition.
     *
     * @param topicId the id of the topic, {@link Uuid#ZERO_UUID} if the broker gave none
     * @param offset the first offset wanted
     * @param maxBytes how much at most
     * @param leaderEpoch the newest epoch of its leader that is known; null if none
     */
    public record Wanted(Uuid topicId, long offset, int maxBytes, Integer leaderEpoch) {}

    /**
     * How a fetch is answered.
     *
     * @param maxWaitMs how long the broker may wait for data
     * @param minBytes for how many bytes it waits
     * @param maxBytes how many bytes it sends at most
     * @param isolation which records it sends
     * @param rack where the client is; empty if it does not say
     */
    public record Terms(int maxWaitMs, int minBytes, int maxBytes, IsolationLevel isolation, String rack) {

        /**
         * The same, without saying where the client is: the leader then sends the records itself.
         *
         * @return the terms
         */
        public Terms withoutRack() {
            return new Terms(maxWaitMs, minBytes, maxBytes, isolation, "");
        }
    }

    /** A request, still without a version. */
    public static final class Request {

        private final FetchSessionHandler.FetchRequestData data;
        private final Terms terms;

        private Request(FetchSessionHandler.FetchRequestData data, Terms terms) {
            this.data = data;
            this.terms = terms;
        }

        /**
         * The newest version that can carry it.
         *
         * @param newest the newest that there is
         * @return the version
         */
        public short latestVersion(short newest) {
            return data.canUseTopicIds() ? newest : LAST_WITH_NAMES;
        }

        /**
         * Its content.
         *
         * @param version the version that was agreed on
         * @return the content
         */
        public FetchRequestData body(short version) {
            return FetchRequest.Builder.forConsumer(version, terms.maxWaitMs, terms.minBytes, data.toSend())
                    .isolationLevel(terms.isolation)
                    .setMaxBytes(terms.maxBytes)
                    .metadata(data.metadata())
                    .removed(data.toForget())
                    .replaced(data.toReplace())
                    .rackId(terms.rack)
                    .build(version)
                    .data();
        }
    }

    /**
     * Makes the next request.
     *
     * @param wanted all partitions that are wanted now
     * @param terms how it is to be answered
     * @return the request
     */
    public Request next(Map<TopicPartition, Wanted> wanted, Terms terms) {
        FetchSessionHandler.Builder builder = handler.newBuilder(wanted.size(), false);
        wanted.forEach((partition, want) -> builder.add(
                partition,
                new FetchRequest.PartitionData(
                        want.topicId,
                        want.offset,
                        FetchRequest.INVALID_LOG_START_OFFSET,
                        want.maxBytes,
                        Optional.ofNullable(want.leaderEpoch))));
        return new Request(builder.build(), terms);
    }

    /**
     * Takes the response to the last request.
     *
     * @param response its content
     * @param version its version
     * @return the partitions in it; empty if the broker knows nothing of the session, which then begins anew
     */
    public Map<TopicPartition, FetchResponseData.PartitionData> accept(FetchResponseData response, short version) {
        FetchResponse answer = FetchResponse.of(response);
        Map<Uuid, String> names = handler.sessionTopicNames();
        return handler.handleResponse(answer, version) ? answer.responseData(names, version) : new LinkedHashMap<>();
    }

    /**
     * There is no response to the last request.
     *
     * @param cause why
     */
    public void failed(Exception cause) {
        handler.handleError(cause);
    }
}
