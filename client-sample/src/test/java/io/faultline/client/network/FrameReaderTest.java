package io.faultline.client.network;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import com.sun.management.ThreadMXBean;
import io.faultline.client.protocol.WireException;
import java.io.EOFException;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FrameReaderTest {

    private static final int LIMIT = 100 << 20;

    private final FrameReader reader = new FrameReader(LIMIT, ByteBuffer::allocate);

    @Test
    void framesAreCutHoweverTheBytesCome() throws IOException {
        byte[] two = ByteBuffer.allocate(20)
                .putInt(4)
                .putInt(11)
                .putInt(8)
                .putLong(12)
                .array();
        Bytes bytes = new Bytes(two, 3);
        assertThat(next(bytes).getInt()).isEqualTo(11);
        assertThat(next(bytes).getLong()).isEqualTo(12);
    }

    private ByteBuffer next(Bytes bytes) throws IOException {
        ByteBuffer frame = reader.read(bytes);
        while (frame == null) {
            frame = reader.read(bytes);
        }
        return frame;
    }

    @Test
    void httpIsNotTakenForALength() {
        refuses("HTTP/1.1 400 Bad Request".getBytes(StandardCharsets.US_ASCII), "1213486160");
    }

    @Test
    void aTlsAlertIsNotTakenForALength() {
        refuses(new byte[] {0x15, 0x03, 0x03, 0x00, 0x02, 0x02, 0x50}, "352518912");
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, Integer.MIN_VALUE, 0, 3, LIMIT + 1, Integer.MAX_VALUE})
    void aLengthThatCannotBeOneIsRefusedBeforeRoomIsMade(int length) {
        refuses(ByteBuffer.allocate(4).putInt(length).array(), Integer.toUnsignedString(length));
    }

    private void refuses(byte[] bytes, String named) {
        Bytes from = new Bytes(bytes, 100);
        long before = allocatedBytes();
        Throwable refusal = catchThrowable(() -> reader.read(from));
        long allocated = allocatedBytes() - before;
        assertThat(refusal).isInstanceOf(WireException.class).hasMessageContaining(named);
        assertThat(allocated).isLessThan(1 << 20);
    }

    /** By this thread, ever. */
    private static long allocatedBytes() {
        return ((ThreadMXBean) ManagementFactory.getThreadMXBean()).getCurrentThreadAllocatedBytes();
    }

    @Test
    void anEndWithinAFrameIsAnEnd() {
        Bytes half =
                new Bytes(ByteBuffer.allocate(6).putInt(8).putShort((short) 1).array(), 100);
        assertThatThrownBy(() -> {
                    reader.read(half);
                    half.ended = true;
                    reader.read(half);
                })
                .isInstanceOf(EOFException.class);
    }

    /** Hands out bytes, so many at a time. */
    private static final class Bytes implements Transport {
        private final ByteBuffer bytes;
        private final int atOnce;
        private boolean ended;

        private Bytes(byte[] bytes, int atOnce) {
            this.bytes = ByteBuffer.wrap(bytes);
            this.atOnce = atOnce;
        }

        @Override
        public int read(ByteBuffer into) {
            int count = Math.min(Math.min(atOnce, bytes.remaining()), into.remaining());
            if (count == 0) {
                return ended ? -1 : 0;
            }
            into.put(bytes.slice(bytes.position(), count));
            bytes.position(bytes.position() + count);
            return count;
        }

        @Override
        public boolean open() {
            return true;
        }

        @Override
        public void write(ByteBuffer[] from) {
            throw new UnsupportedOperationException();
        }

        @Override
        public boolean flush() {
            return true;
        }

        @Override
        public boolean isPlain() {
            return true;
        }

        @Override
        public boolean hasReadAhead() {
            return false;
        }

        @Override
        public void sayGoodbye() {
            // To nobody.
        }
    }
}
