package io.faultline.broker.api;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.apache.kafka.common.message.ProduceRequestData;
import org.apache.kafka.common.message.ProduceResponseData;
import org.apache.kafka.common.message.ProduceResponseData.PartitionProduceResponse;
import org.apache.kafka.common.message.ProduceResponseData.TopicProduceResponse;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.protocol.types.Schema;

/**
 * Produce in its versions 0 to 2, which kafka-clients no longer has. Clients on librdkafka compress only if they are
 * announced, and older ones speak them.
 */
final class ProduceBeforeThree {

    private static final short FIRST_KNOWN = 3;

    private ProduceBeforeThree() {}

    static boolean applies(ApiKeys api, short version) {
        return api == ApiKeys.PRODUCE && version < FIRST_KNOWN;
    }

    /** The schema of the old request, but for its first field. */
    static Schema schema(Schema... known) {
        return known[FIRST_KNOWN];
    }

    /** The old request is that of version 3 without the transactional id in front. */
    static ProduceRequestData readRequest(ByteBuffer body) {
        ByteBuffer three = ByteBuffer.allocate(Short.BYTES + body.remaining());
        three.putShort((short) -1).put(body).flip();
        return new ProduceRequestData(new ByteBufferAccessor(three), FIRST_KNOWN);
    }

    /** Version 1 added the throttle time, version 2 the append time. */
    static ByteBuffer writeResponse(int correlationId, ProduceResponseData response, short version) {
        int size = 3 * Integer.BYTES;
        for (TopicProduceResponse topic : response.responses()) {
            size += Short.BYTES
                    + topic.name().getBytes(StandardCharsets.UTF_8).length
                    + Integer.BYTES
                    + topic.partitionResponses().size() * (Integer.BYTES + Short.BYTES + 2 * Long.BYTES);
        }
        ByteBuffer buffer = ByteBuffer.allocate(size);
        buffer.putInt(correlationId).putInt(response.responses().size());
        for (TopicProduceResponse topic : response.responses()) {
            byte[] name = topic.name().getBytes(StandardCharsets.UTF_8);
            buffer.putShort((short) name.length).put(name);
            buffer.putInt(topic.partitionResponses().size());
            for (PartitionProduceResponse partition : topic.partitionResponses()) {
                buffer.putInt(partition.index()).putShort(partition.errorCode()).putLong(partition.baseOffset());
                if (version >= 2) {
                    buffer.putLong(partition.logAppendTimeMs());
                }
            }
        }
        if (version >= 1) {
            buffer.putInt(response.throttleTimeMs());
        }
        return buffer.flip();
    }
}
