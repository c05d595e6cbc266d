package io.faultline.broker.fuzz;

import io.faultline.broker.api.RequestShape;
import java.nio.ByteBuffer;
import java.util.Set;
import java.util.stream.IntStream;
import org.apache.kafka.common.message.CreatePartitionsRequestData;
import org.apache.kafka.common.message.CreatePartitionsRequestData.CreatePartitionsTopic;
import org.apache.kafka.common.message.CreateTopicsRequestData;
import org.apache.kafka.common.message.CreateTopicsRequestData.CreatableTopic;
import org.apache.kafka.common.message.ProduceRequestData;
import org.apache.kafka.common.message.RequestHeaderData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.ByteBufferAccessor;

/**
 * What the broker has to do with a request: answer it in its version, or close the connection.
 *
 * @param pair the API and version, or null if it cannot be read or is not announced
 * @param responseVersion the version of the response
 * @param correlationId the correlation id
 * @param answered whether there is a response, rather than nothing or a close
 * @param mayWait whether the response may be held back for as long as the request says
 * @param slow whether thousands of partitions are asked for: that is no fault, and takes its time and descriptors
 */
record Expectation(
        ApiVersionPair pair,
        short responseVersion,
        int correlationId,
        boolean answered,
        boolean mayWait,
        boolean slow) {

    private static final Expectation CLOSED = new Expectation(null, (short) -1, 0, false, false, false);
    private static final Set<ApiKeys> WAITING = Set.of(ApiKeys.FETCH, ApiKeys.JOIN_GROUP, ApiKeys.SYNC_GROUP);
    private static final short FIRST_PRODUCE_KNOWN = 3;
    private static final int MANY_PARTITIONS = 200;

    static Expectation of(ByteBuffer frame, Set<ApiVersionPair> announced) {
        ByteBuffer request = frame.duplicate();
        try {
            ApiKeys api = ApiKeys.forId(request.getShort(request.position()));
            short version = request.getShort(request.position() + Short.BYTES);
            ApiVersionPair pair = new ApiVersionPair(api, version);
            boolean known = announced.contains(pair);
            if (!known && api != ApiKeys.API_VERSIONS) {
                return CLOSED;
            }
            if (known) {
                RequestShape.check(request, api, version);
            }
            RequestHeaderData header =
                    new RequestHeaderData(new ByteBufferAccessor(request), api.requestHeaderVersion(version));
            if (!known) {
                return new Expectation(null, (short) 0, header.correlationId(), true, false, false);
            }
            boolean answered = true;
            boolean slow = false;
            if (api == ApiKeys.PRODUCE) {
                answered = produce(request, version).acks() != 0;
            } else {
                ApiMessage body = api.messageType.newRequest();
                body.read(new ByteBufferAccessor(request), version);
                slow = asksForManyPartitions(body);
            }
            return new Expectation(pair, version, header.correlationId(), answered, WAITING.contains(api), slow);
        } catch (RuntimeException malformed) {
            return CLOSED;
        }
    }

    private static boolean asksForManyPartitions(ApiMessage body) {
        IntStream counts = IntStream.empty();
        if (body instanceof CreateTopicsRequestData topics) {
            counts = topics.topics().stream().mapToInt(CreatableTopic::numPartitions);
        } else if (body instanceof CreatePartitionsRequestData partitions) {
            counts = partitions.topics().stream().mapToInt(CreatePartitionsTopic::count);
        }
        return counts.anyMatch(count -> count > MANY_PARTITIONS);
    }

    private static ProduceRequestData produce(ByteBuffer body, short version) {
        if (version >= FIRST_PRODUCE_KNOWN) {
            return new ProduceRequestData(new ByteBufferAccessor(body), version);
        }
        ByteBuffer withId = ByteBuffer.allocate(Short.BYTES + body.remaining());
        withId.putShort((short) -1).put(body).flip();
        return new ProduceRequestData(new ByteBufferAccessor(withId), FIRST_PRODUCE_KNOWN);
    }

    /** Reads a response, without its size, and checks it to the last byte. */
    ApiMessage check(ByteBuffer response) {
        ApiKeys api = pair == null ? ApiKeys.API_VERSIONS : pair.api();
        int correlated = response.getInt();
        if (correlated != correlationId) {
            throw new Finding("the response to " + this + " has correlation id " + correlated);
        }
        if (api == ApiKeys.PRODUCE && responseVersion < FIRST_PRODUCE_KNOWN) {
            OldProduceResponse.check(response, responseVersion);
            return null;
        }
        if (api.responseHeaderVersion(responseVersion) > 0 && response.get() != 0) {
            throw new Finding("the header of the response to " + this + " has tagged fields");
        }
        ApiMessage message = api.messageType.newResponse();
        try {
            message.read(new ByteBufferAccessor(response), responseVersion);
        } catch (RuntimeException unreadable) {
            throw new Finding("the response to " + this + " cannot be read", unreadable);
        }
        if (response.hasRemaining()) {
            throw new Finding(response.remaining() + " bytes are behind the response to " + this);
        }
        return message;
    }
}
