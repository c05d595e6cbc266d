package io.faultline.broker.log;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class LatestOffsetsTest {

    private static final int KEYS = 1_000;

    private final LatestOffsets latest = new LatestOffsets(KEYS);

    @Test
    void theNewestOffsetOfEachKeyIsKnownUntilItIsFull() {
        for (int round = 0; round < 2; round++) {
            for (int key = 0; key < KEYS; key++) {
                assertThat(latest.isFull()).isEqualTo(round > 0);
                latest.put(key(key), round * KEYS + key);
            }
        }
        for (int key = 0; key < KEYS; key++) {
            assertThat(latest.hasNewer(key(key), key)).isTrue();
            assertThat(latest.hasNewer(key(key), KEYS + key)).isFalse();
        }
    }

    @Test
    void aKeyThatWasNeverPutHasNothingNewer() {
        latest.put(key(1), 5);
        assertThat(latest.hasNewer(key(2), 0)).isFalse();
    }

    @Test
    void keysAreLeftAsTheyWere() {
        ByteBuffer key = key(1);
        latest.put(key, 1);
        latest.hasNewer(key, 0);
        assertThat(key).isEqualTo(key(1));
    }

    private static ByteBuffer key(int number) {
        return ByteBuffer.wrap(("key " + number).getBytes(StandardCharsets.UTF_8));
    }
}
