package io.faultline.client.protocol;

import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;

/** A part of a frame that is sent: bytes in memory, or a region of a file. */
public sealed interface FramePart {

    /**
     * How long it is.
     *
     * @return bytes
     */
    int size();

    /**
     * Bytes in memory.
     *
     * @param buffer from its position to its limit; its content must not change until the frame is released
     */
    record Bytes(ByteBuffer buffer) implements FramePart {
        @Override
        public int size() {
            return buffer.remaining();
        }
    }

    /**
     * A region of a file, which goes from there to the socket.
     *
     * @param channel the open file; whoever opened it closes it, after the frame is released
     * @param name the path of the file, for verdicts and people
     * @param position where the region begins
     * @param size its length
     */
    record FileRegion(FileChannel channel, String name, long position, int size) implements FramePart {}
}
