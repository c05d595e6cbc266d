package io.faultline.broker.api;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.message.FetchRequestData.FetchPartition;
import org.apache.kafka.common.message.FetchRequestData.FetchTopic;
import org.apache.kafka.common.message.FetchRequestData.ForgottenTopic;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.message.FetchResponseData.FetchableTopicResponse;
import org.apache.kafka.common.message.FetchResponseData.PartitionData;
import org.apache.kafka.common.protocol.Errors;

/**
 * What one consumer fetches again and again: each request names only the partitions that are new or changed, each response
 * only those about which there is something new. Safe for use by any thread.
 */
final class FetchSession {

    private final int id;
    private final boolean byTopicId;
    private final Map<Key, Subject> subjects = new LinkedHashMap<>();
    private int nextEpoch = 1;

    /** Begins with a request that names all partitions. */
    FetchSession(int id, boolean byTopicId, FetchRequestData first) {
        this.id = id;
        this.byTopicId = byTopicId;
        take(first);
    }

    /**
     * Takes the next request.
     *
     * @return the request as it would be without a session: with all partitions
     * @throws org.apache.kafka.common.errors.ApiException if it does not belong to the session, or is not the next one
     */
    synchronized FetchRequestData next(FetchRequestData request, boolean namesTopicIds) {
        if (request.sessionEpoch() != nextEpoch) {
            throw Errors.INVALID_FETCH_SESSION_EPOCH.exception();
        }
        if (namesTopicIds != byTopicId) {
            throw Errors.FETCH_SESSION_TOPIC_ID_ERROR.exception();
        }
        nextEpoch = nextEpoch == Integer.MAX_VALUE ? 1 : nextEpoch + 1;
        for (ForgottenTopic topic : request.forgottenTopicsData()) {
            topic.partitions().forEach(index -> subjects.remove(new Key(topic.topic(), topic.topicId(), index)));
        }
        take(request);
        return request.duplicate().setTopics(all());
    }

    private void take(FetchRequestData request) {
        for (FetchTopic topic : request.topics()) {
            for (FetchPartition partition : topic.partitions()) {
                subjects.computeIfAbsent(
                                new Key(topic.topic(), topic.topicId(), partition.partition()), key -> new Subject())
                        .wanted = partition;
            }
        }
    }

    /** In the order in which they are to be read; a topic may occur more than once. */
    private List<FetchTopic> all() {
        List<FetchTopic> topics = new ArrayList<>();
        Key previous = null;
        for (Map.Entry<Key, Subject> entry : subjects.entrySet()) {
            Key key = entry.getKey();
            if (previous == null || !previous.isOfTopic(key)) {
                topics.add(new FetchTopic().setTopic(key.topic).setTopicId(key.topicId));
            }
            topics.get(topics.size() - 1).partitions().add(entry.getValue().wanted);
            previous = key;
        }
        return topics;
    }

    /** Leaves out of a response what the client knows. Who got records is read last the next time, so that all get some. */
    synchronized FetchResponseData answer(FetchResponseData response) {
        FetchResponseData news = new FetchResponseData().setSessionId(id);
        for (FetchableTopicResponse topic : response.responses()) {
            FetchableTopicResponse about =
                    new FetchableTopicResponse().setTopic(topic.topic()).setTopicId(topic.topicId());
            for (PartitionData partition : topic.partitions()) {
                Key key = new Key(topic.topic(), topic.topicId(), partition.partitionIndex());
                Subject subject = subjects.get(key);
                if (subject != null && subject.isNews(partition)) {
                    about.partitions().add(partition);
                    if (partition.records().sizeInBytes() > 0) {
                        subjects.remove(key);
                        subjects.put(key, subject);
                    }
                }
            }
            if (!about.partitions().isEmpty()) {
                news.responses().add(about);
            }
        }
        return news;
    }

    int id() {
        return id;
    }

    synchronized boolean isEmpty() {
        return subjects.isEmpty();
    }

    private record Key(String topic, Uuid topicId, int partition) {

        boolean isOfTopic(Key other) {
            return topic.equals(other.topic) && topicId.equals(other.topicId);
        }
    }

    /** A partition, and what the client was last told of it. */
    private static final class Subject {

        private FetchPartition wanted;
        private long highWatermark = -1;
        private long logStartOffset = -1;

        boolean isNews(PartitionData data) {
            boolean news = data.records().sizeInBytes() > 0
                    || data.errorCode() != Errors.NONE.code()
                    || data.divergingEpoch().endOffset() >= 0
                    || data.highWatermark() != highWatermark
                    || data.logStartOffset() != logStartOffset;
            // Behind an error everything is news.
            boolean failed = data.errorCode() != Errors.NONE.code();
            highWatermark = failed ? -1 : data.highWatermark();
            logStartOffset = failed ? -1 : data.logStartOffset();
            return news;
        }
    }
}
