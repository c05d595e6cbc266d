package io.faultline.client.protocol;

/**
 * The CRC-32C of two pieces of bytes one behind the other, from those of the pieces: as remainders of polynomials over GF(2), the
 * first one is moved up by the length of the second, and they are added.
 */
final class Checksums {

    private static final int REFLECTED_POLYNOMIAL = 0x82F63B78;
    private static final int ONE = 1 << 31; // the lowest power is the highest bit
    private static final int X = 1 << 30;

    private Checksums() {}

    /** The checksum of both, where the second is so many bytes long. */
    static int concatenated(int first, int second, long secondSize) {
        return multiplied(power(secondSize * Byte.SIZE), first) ^ second;
    }

    private static int power(long exponent) {
        int result = ONE;
        int square = X;
        for (long rest = exponent; rest > 0; rest >>= 1) {
            if ((rest & 1) != 0) {
                result = multiplied(square, result);
            }
            square = multiplied(square, square);
        }
        return result;
    }

    private static int multiplied(int left, int right) {
        int product = 0;
        int shifted = right;
        for (int bit = ONE; bit != 0; bit >>>= 1) {
            if ((left & bit) != 0) {
                product ^= shifted;
            }
            shifted = (shifted & 1) != 0 ? shifted >>> 1 ^ REFLECTED_POLYNOMIAL : shifted >>> 1;
        }
        return product;
    }
}
