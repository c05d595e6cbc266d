package io.faultline.broker.fuzz;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;

/** The response to Produce before version 3, which the codec does not know any more. */
final class OldProduceResponse {

    private OldProduceResponse() {}

    static void check(ByteBuffer response, short version) {
        try {
            int topics = response.getInt();
            for (int topic = 0; topic < topics; topic++) {
                skip(response, response.getShort());
                int partitions = response.getInt();
                skip(
                        response,
                        partitions * (Integer.BYTES + Short.BYTES + Long.BYTES + (version >= 2 ? Long.BYTES : 0)));
            }
            skip(response, version >= 1 ? Integer.BYTES : 0);
        } catch (BufferUnderflowException | IllegalArgumentException unreadable) {
            throw new Finding("the response to Produce v" + version + " cannot be read", unreadable);
        }
        if (response.hasRemaining()) {
            throw new Finding(response.remaining() + " bytes are behind the response to Produce v" + version);
        }
    }

    private static void skip(ByteBuffer buffer, int bytes) {
        buffer.position(buffer.position() + bytes);
    }
}
