package io.faultline.broker.api;

import java.nio.ByteBuffer;
import org.apache.kafka.common.InvalidRecordException;

/**
 * Checks the lengths in compressed data of the Snappy kind before the library believes them: it allocates what they claim, up
 * to half a gigabyte for a chunk and two for what comes out of it.
 *
 * @see <a href="https://github.com/google/snappy/blob/main/format_description.txt">the format</a>
 */
final class SnappyClaims {

    /** What snappy-java puts before its chunks: eight bytes of magic, a version, and the version that can read it. */
    private static final long MAGIC = 0x82534E4150505900L;

    private static final int REST_OF_HEADER = 2 * Integer.BYTES;

    /** Three bytes copy 64 at most. */
    private static final int LARGEST_RATIO = 64 / 3 + 1;

    private static final int VARINT_BYTES = 5;
    private static final int VARINT_BITS = 7;

    private SnappyClaims() {}

    /**
     * Refuses lengths that cannot be true.
     *
     * @param compressed the compressed data; its position stays
     * @throws InvalidRecordException if one of its lengths cannot be true
     */
    static void check(ByteBuffer compressed) {
        ByteBuffer in = compressed.duplicate();
        if (!skipHeader(in)) {
            checkChunk(in, in.remaining());
            return;
        }
        while (in.remaining() >= Integer.BYTES) {
            if (!skipHeader(in)) {
                int size = in.getInt();
                if (size < 0 || size > in.remaining()) {
                    throw new InvalidRecordException(
                            "a chunk claims " + size + " bytes, " + in.remaining() + " are left");
                }
                checkChunk(in, size);
                in.position(in.position() + size);
            }
        }
    }

    private static boolean skipHeader(ByteBuffer in) {
        boolean header = in.remaining() >= Long.BYTES + REST_OF_HEADER && in.getLong(in.position()) == MAGIC;
        if (header) {
            in.position(in.position() + Long.BYTES + REST_OF_HEADER);
        }
        return header;
    }

    /** What comes out of a chunk is the first that it says. */
    private static void checkChunk(ByteBuffer in, int size) {
        long expanded = 0;
        for (int index = 0; index < Math.min(size, VARINT_BYTES); index++) {
            byte next = in.get(in.position() + index);
            expanded |= (long) (next & Byte.MAX_VALUE) << VARINT_BITS * index;
            if (next >= 0) {
                break;
            }
        }
        if (expanded > (long) size * LARGEST_RATIO) {
            throw new InvalidRecordException(size + " bytes claim to become " + expanded);
        }
    }
}
