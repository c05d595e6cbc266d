package io.faultline.client.protocol;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import org.apache.kafka.common.message.ApiVersionsResponseData;
import org.apache.kafka.common.message.RequestHeaderData;
import org.apache.kafka.common.message.ResponseHeaderData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.protocol.MessageSizeAccumulator;
import org.apache.kafka.common.protocol.ObjectSerializationCache;
import org.apache.kafka.common.requests.AbstractResponse;

/** Turns requests into frames and frames into responses. */
public final class Codec {

    private Codec() {}

    /**
     * Encodes a request.
     *
     * @param api its API
     * @param version its version
     * @param clientId the client's name
     * @param correlationId what the response will carry, too
     * @param body its content
     * @param released see {@link Frame#released}
     * @return the frame
     */
    public static Frame encode(
            ApiKeys api, short version, String clientId, int correlationId, ApiMessage body, Runnable released) {
        RequestHeaderData header = new RequestHeaderData()
                .setRequestApiKey(api.id)
                .setRequestApiVersion(version)
                .setClientId(clientId)
                .setCorrelationId(correlationId);
        short headerVersion = api.requestHeaderVersion(version);
        ObjectSerializationCache cache = new ObjectSerializationCache();
        MessageSizeAccumulator size = new MessageSizeAccumulator();
        header.addSize(size, cache, headerVersion);
        body.addSize(size, cache, version);
        PartsWriter writer = new PartsWriter(Integer.BYTES + size.sizeExcludingZeroCopy());
        writer.writeInt(size.totalSize());
        header.write(writer, cache, headerVersion);
        body.write(writer, cache, version);
        List<FramePart> parts = writer.parts();
        return new Frame(parts, released);
    }

    /**
     * The correlation id in front of a response.
     *
     * @param frame a response without its length; not moved
     * @return the id
     * @throws WireException if there is none
     */
    public static int correlationId(ByteBuffer frame) throws WireException {
        if (frame.remaining() < Integer.BYTES) {
            throw new WireException("a response of " + frame.remaining() + " bytes");
        }
        return frame.getInt(frame.position());
    }

    /**
     * Decodes a response.
     *
     * @param api the API of the request
     * @param version the version of the request
     * @param frame the response without its length
     * @return its content, and for how long the broker wants to be left alone
     * @throws WireException if the bytes are no such response, or there are too few or too many
     */
    public static Response decode(ApiKeys api, short version, ByteBuffer frame) throws WireException {
        int size = frame.remaining();
        try {
            ByteBufferAccessor accessor = new ByteBufferAccessor(frame);
            new ResponseHeaderData(accessor, api.responseHeaderVersion(version));
            AbstractResponse response = AbstractResponse.parseResponse(api, accessor, version);
            if (frame.hasRemaining()) {
                throw new WireException(frame.remaining() + " bytes behind a response to " + api.name);
            }
            int throttleMs = response.shouldClientThrottle(version) ? response.throttleTimeMs() : 0;
            return new Response(response.data(), Duration.ofMillis(Math.max(0, throttleMs)));
        } catch (RuntimeException malformed) {
            throw new WireException(
                    "a response of " + size + " bytes that is none to " + api.name + " version " + version, malformed);
        }
    }

    /**
     * Decodes a response to ApiVersions. A broker that does not know the version of the request answers in version 0.
     *
     * @param version the version of the request
     * @param frame the response without its length
     * @return its content
     * @throws WireException if the bytes are no such response in either version
     */
    public static ApiVersionsResponseData decodeApiVersions(short version, ByteBuffer frame) throws WireException {
        ByteBuffer again = frame.duplicate();
        try {
            return decodeApiVersionsAs(version, frame);
        } catch (RuntimeException | WireException notThis) {
            try {
                return decodeApiVersionsAs((short) 0, again);
            } catch (RuntimeException malformed) {
                throw new WireException(
                        "no response to ApiVersions, neither in version " + version + " nor in 0", malformed);
            }
        }
    }

    private static ApiVersionsResponseData decodeApiVersionsAs(short version, ByteBuffer frame) throws WireException {
        ByteBufferAccessor accessor = new ByteBufferAccessor(frame);
        new ResponseHeaderData(accessor, ApiKeys.API_VERSIONS.responseHeaderVersion(version));
        ApiVersionsResponseData response = new ApiVersionsResponseData(accessor, version);
        if (frame.hasRemaining()) {
            throw new WireException(frame.remaining() + " bytes behind a response to ApiVersions");
        }
        return response;
    }
}
