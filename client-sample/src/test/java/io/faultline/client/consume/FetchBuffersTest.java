package io.faultline.client.consume;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

class FetchBuffersTest {

    private static final int LARGE = FetchBuffers.SMALLEST_KEPT;

    private final FetchBuffers buffers = new FetchBuffers(1);

    private FetchFrame frame() {
        return new FetchFrame(buffers);
    }

    @Test
    void aBufferThatWasGivenBackIsUsedForWhateverFits() {
        ByteBuffer given = buffers.take(LARGE + 7);
        given.position(5);
        buffers.give(given);
        ByteBuffer again = buffers.take(LARGE + 9);
        assertThat(again.array()).isSameAs(given.array());
        assertThat(again.position()).isZero();
        assertThat(again.limit()).isEqualTo(LARGE + 9);
    }

    @Test
    void aBufferThatIsTooSmallMakesRoomForALargerOne() {
        buffers.give(buffers.take(LARGE));
        ByteBuffer larger = buffers.take(2 * LARGE);
        assertThat(larger.limit()).isEqualTo(2 * LARGE);
        buffers.give(larger);
        assertThat(buffers.take(LARGE).array()).isSameAs(larger.array());
    }

    @Test
    void aSmallBufferIsNotKept() {
        ByteBuffer small = buffers.take(LARGE - 1);
        buffers.give(small);
        assertThat(buffers.take(LARGE - 1).array()).isNotSameAs(small.array());
    }

    @Test
    void noMoreAreKeptThanIsSaid() {
        ByteBuffer first = buffers.take(LARGE);
        ByteBuffer second = buffers.take(LARGE);
        buffers.give(first);
        buffers.give(second);
        assertThat(buffers.take(LARGE).array()).isSameAs(first.array());
        assertThat(buffers.take(LARGE).array()).isNotSameAs(second.array());
    }

    @Test
    void aFrameGoesBackWhenTheLastOfItsReadersLetsGo() {
        FetchFrame frame = frame();
        ByteBuffer bytes = frame.room(LARGE);
        frame.share();
        frame.release();
        assertThat(frame().room(LARGE).array()).isNotSameAs(bytes.array());
        frame.release();
        assertThat(frame().room(LARGE).array()).isSameAs(bytes.array());
    }

    @Test
    void aFrameThatNeverCameGivesNothingBack() {
        frame().release();
        assertThat(buffers.take(LARGE).limit()).isEqualTo(LARGE);
    }
}
