package io.faultline.client.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import java.util.zip.CRC32C;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The checksum of two pieces, put together without reading them again, against that of the JDK over both. */
class ChecksumsTest {

    @ParameterizedTest
    @CsvSource({"0, 0", "0, 1", "1, 0", "1, 1", "40, 7", "40, 4096", "13, 1000003"})
    void ofTwoPiecesIsThatOfTheWhole(int firstSize, int secondSize) {
        byte[] whole = new byte[firstSize + secondSize];
        new Random(firstSize + 31L * secondSize).nextBytes(whole);
        int joined = Checksums.concatenated(
                checksum(whole, 0, firstSize), checksum(whole, firstSize, secondSize), secondSize);
        assertThat(joined).isEqualTo(checksum(whole, 0, whole.length));
    }

    private static int checksum(byte[] bytes, int from, int size) {
        CRC32C checksum = new CRC32C();
        checksum.update(bytes, from, size);
        return (int) checksum.getValue();
    }
}
