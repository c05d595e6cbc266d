package io.faultline.client.spool;

import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/**
 * How records lie in the files of a spool: length, CRC-32C, bytes, and a mark. By the checksum a record that is well is found
 * again behind bytes that are damaged; by the mark one that was written to its end is told from one that was torn, since bytes
 * behind the last record are 0.
 */
final class Framing {

    /** No record is longer. */
    static final int LARGEST_RECORD = 1 << 17;

    private static final int HEAD = 2 * Integer.BYTES;
    private static final int MARK = 0x7E5B5D7E;
    private static final int OVERHEAD = HEAD + Integer.BYTES;

    private Framing() {}

    /** How many bytes a record of so many takes. */
    static int framedSize(int recordSize) {
        return OVERHEAD + recordSize;
    }

    static void put(ByteBuffer into, byte[] record) {
        into.putInt(record.length).putInt(checksum(record)).put(record).putInt(MARK);
    }

    /** Reads the record at a position; null if none that is well is there. */
    static byte[] at(ByteBuffer bytes, int position) {
        if (bytes.limit() - position < OVERHEAD) {
            return null;
        }
        int length = bytes.getInt(position);
        if (length <= 0 || length > LARGEST_RECORD || length > bytes.limit() - position - OVERHEAD) {
            return null;
        }
        if (bytes.getInt(position + HEAD + length) != MARK) {
            return null;
        }
        byte[] record = new byte[length];
        bytes.get(position + HEAD, record);
        return checksum(record) == bytes.getInt(position + Integer.BYTES) ? record : null;
    }

    /** Where the next record that is well begins; the limit if there is none. */
    static int next(ByteBuffer bytes, int from) {
        for (int position = from; position < bytes.limit(); position++) {
            if (at(bytes, position) != null) {
                return position;
            }
        }
        return bytes.limit();
    }

    /**
     * Says whether what follows behind the last record that is well is a record that was written to its end, and so was damaged later:
     * what a process that is killed leaves of one has no mark.
     */
    static boolean isWhole(ByteBuffer bytes, int from) {
        int end = bytes.limit();
        while (end > from && bytes.get(end - 1) == 0) {
            end--;
        }
        return end - from >= OVERHEAD && bytes.getInt(from) != 0 && bytes.getInt(end - Integer.BYTES) == MARK;
    }

    private static int checksum(byte[] record) {
        CRC32C checksum = new CRC32C();
        checksum.update(record);
        return (int) checksum.getValue();
    }
}
