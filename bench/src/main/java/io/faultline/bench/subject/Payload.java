package io.faultline.bench.subject;

import java.nio.ByteBuffer;
import java.util.Random;
import java.util.zip.CRC32C;

/**
 * The value of a record: who sent it, its number among those that the sender gave to the partition, filler and a checksum of all that.
 *
 * @param sender who sent it, one number for each producer
 * @param partition where it was sent
 * @param number from 0 on, one up with each record of that sender to that partition
 */
public record Payload(int sender, int partition, long number) {

    private static final int MAGIC = 0x0fa0171e;
    private static final int SIZE = 100;
    private static final int FILLER_FROM = 2 * Integer.BYTES + Integer.BYTES + Long.BYTES;
    private static final int CHECKED = SIZE - Integer.BYTES;

    /**
     * Writes it.
     *
     * @return always the same bytes
     */
    public byte[] encode() {
        byte[] filler = new byte[CHECKED - FILLER_FROM];
        new Random(number).nextBytes(filler);
        ByteBuffer bytes = ByteBuffer.allocate(SIZE)
                .putInt(MAGIC)
                .putInt(sender)
                .putInt(partition)
                .putLong(number)
                .put(filler);
        return bytes.putInt(checksum(bytes.array())).array();
    }

    /**
     * Reads one.
     *
     * @param bytes a record's value, or null
     * @return the payload, or null if these bytes are not exactly what {@link #encode} wrote
     */
    public static Payload decode(byte[] bytes) {
        if (bytes == null || bytes.length != SIZE) {
            return null;
        }
        ByteBuffer buffer = ByteBuffer.wrap(bytes);
        if (buffer.getInt() != MAGIC || buffer.getInt(CHECKED) != checksum(bytes)) {
            return null;
        }
        return new Payload(buffer.getInt(), buffer.getInt(), buffer.getLong());
    }

    private static int checksum(byte[] bytes) {
        CRC32C crc = new CRC32C();
        crc.update(bytes, 0, CHECKED);
        return (int) crc.getValue();
    }
}
