package io.faultline.broker.fuzz;

import java.util.Arrays;
import java.util.SplittableRandom;

/**
 * The fuzzer's bytes as a stream of decisions. Behind their end the decisions come from a random source whose seed is the
 * bytes, so that a short input, too, stands for one rich message, always the same.
 */
final class Decisions {

    private static final int BYTE_VALUES = 256;

    private final byte[] bytes;
    private final SplittableRandom random;
    private int position;

    Decisions(byte[] bytes, int from) {
        this.bytes = bytes;
        this.position = from;
        this.random = new SplittableRandom(Arrays.hashCode(bytes));
    }

    boolean atEnd() {
        return position >= bytes.length;
    }

    private int nextByte() {
        return atEnd() ? random.nextInt(BYTE_VALUES) : bytes[position++] & 0xFF;
    }

    /** A number from 0 to bound - 1, for a bound of at most 65,536. */
    int below(int bound) {
        return bound <= BYTE_VALUES ? nextByte() % bound : (nextByte() << Byte.SIZE | nextByte()) % bound;
    }

    boolean oneIn(int count) {
        return below(count) == 0;
    }

    long nextLong() {
        long value = 0;
        for (int index = 0; index < Long.BYTES; index++) {
            value = value << Byte.SIZE | nextByte();
        }
        return value;
    }

    <T> T of(T[] values) {
        return values[below(values.length)];
    }

    long of(long... values) {
        return values[below(values.length)];
    }

    /** The rest of the fuzzer's bytes, as they are. */
    byte[] rest() {
        byte[] rest = Arrays.copyOfRange(bytes, Math.min(position, bytes.length), bytes.length);
        position = bytes.length;
        return rest;
    }
}
