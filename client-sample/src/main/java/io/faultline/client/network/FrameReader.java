package io.faultline.client.network;

import io.faultline.client.protocol.WireException;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.function.IntFunction;

/** Cuts what comes in into frames. The length in front of a frame is looked at before any room is made for it. */
final class FrameReader {

    private final int largest;
    private final IntFunction<ByteBuffer> room;
    private final ByteBuffer length = ByteBuffer.allocate(Integer.BYTES);
    private ByteBuffer frame;

    /**
     * Begins with the next frame.
     *
     * @param largest how many bytes a frame has at most
     * @param room makes room for a frame of so many bytes: a buffer with that limit
     */
    FrameReader(int largest, IntFunction<ByteBuffer> room) {
        this.largest = largest;
        this.room = room;
    }

    /**
     * Reads on.
     *
     * @return a whole frame, null if there is none yet
     * @throws EOFException if the peer ended the connection
     * @throws WireException if a frame cannot be one
     */
    ByteBuffer read(Transport transport) throws IOException {
        if (frame == null) {
            readFrom(transport, length);
            if (length.hasRemaining()) {
                return null;
            }
            frame = room.apply(checked(length.getInt(0)));
        }
        readFrom(transport, frame);
        if (frame.hasRemaining()) {
            return null;
        }
        ByteBuffer whole = frame.flip();
        frame = null;
        length.clear();
        return whole;
    }

    private static void readFrom(Transport transport, ByteBuffer into) throws IOException {
        if (into.hasRemaining() && transport.read(into) < 0) {
            throw new EOFException("the peer closed the connection");
        }
    }

    private int checked(int size) throws WireException {
        if (size < Integer.BYTES || size > largest) {
            throw new WireException("a frame of " + Integer.toUnsignedString(size) + " bytes (at most " + largest
                    + " are accepted): does the peer speak Kafka, and TLS where we do?");
        }
        return size;
    }
}
