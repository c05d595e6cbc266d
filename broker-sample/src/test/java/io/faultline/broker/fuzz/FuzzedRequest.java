package io.faultline.broker.fuzz;

import java.nio.ByteBuffer;
import java.util.List;
import org.apache.kafka.common.message.RequestHeaderData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.protocol.ObjectSerializationCache;
import org.apache.kafka.common.protocol.types.Schema;

/** Makes requests, header and body, out of decisions. */
final class FuzzedRequest {

    private static final short FIRST_PRODUCE_KNOWN = 3;
    private static final int MOST_CHANGES = 8;

    /** How far a request is from a valid one. */
    enum Kind {
        VALID,
        STRUCTURE_MUTATED,
        BYTES_MUTATED,
        RAW
    }

    private FuzzedRequest() {}

    /** The next request; which API and version it is of is decided, too. */
    static ByteBuffer next(Kind kind, Decisions decisions, List<ApiVersionPair> announced, Vocabulary vocabulary) {
        if (kind == Kind.RAW) {
            return ByteBuffer.wrap(decisions.rest());
        }
        ApiVersionPair pair = pair(decisions, announced);
        MessageWriter body = new MessageWriter(decisions, vocabulary, kind == Kind.STRUCTURE_MUTATED);
        boolean old = pair.api() == ApiKeys.PRODUCE && pair.version() < FIRST_PRODUCE_KNOWN;
        Schema schema = pair.api().messageType.requestSchemas()[old ? FIRST_PRODUCE_KNOWN : pair.version()];
        // Before version 3 there was no transactional id in front.
        body.write(schema, old ? 1 : 0);
        ByteBuffer request = withHeader(pair, decisions, body.written());
        if (kind == Kind.BYTES_MUTATED) {
            for (int change = decisions.below(MOST_CHANGES); change >= 0; change--) {
                request.put(decisions.below(Math.min(request.limit(), 1 << 16)), (byte) decisions.below(256));
            }
            if (decisions.oneIn(3)) {
                request.limit(decisions.below(Math.min(request.limit(), 1 << 16)));
            }
        }
        return request;
    }

    /** Key and version as they are in the bytes, so that a corpus stays valid when more is announced; any other by chance. */
    private static ApiVersionPair pair(Decisions decisions, List<ApiVersionPair> announced) {
        int key = decisions.below(256);
        int version = decisions.below(256);
        return announced.stream()
                .filter(pair -> pair.api().id == key && pair.version() == version)
                .findFirst()
                .orElseGet(() -> announced.get((key << Byte.SIZE | version) % announced.size()));
    }

    private static ByteBuffer withHeader(ApiVersionPair pair, Decisions decisions, ByteBuffer body) {
        RequestHeaderData header = new RequestHeaderData()
                .setRequestApiKey(pair.api().id)
                .setRequestApiVersion(pair.version())
                .setCorrelationId(decisions.below(1 << 16))
                .setClientId(decisions.oneIn(4) ? null : "fuzz");
        short version = pair.api().requestHeaderVersion(pair.version());
        ObjectSerializationCache cache = new ObjectSerializationCache();
        ByteBuffer request = ByteBuffer.allocate(header.size(cache, version) + body.remaining());
        header.write(new ByteBufferAccessor(request), cache, version);
        return request.put(body).flip();
    }
}
