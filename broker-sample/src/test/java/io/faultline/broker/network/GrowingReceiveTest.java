package io.faultline.broker.network;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.Pipe;
import java.util.Random;
import org.apache.kafka.common.network.InvalidReceiveException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class GrowingReceiveTest {

    private static final int MAX_SIZE = 1 << 20;

    private final RequestMemory memory = new RequestMemory(50_000);
    private final GrowingReceive receive = new GrowingReceive(MAX_SIZE, "test", memory);
    private Pipe pipe;

    @BeforeEach
    void open() throws IOException {
        pipe = Pipe.open();
        pipe.source().configureBlocking(false);
    }

    @AfterEach
    void close() throws IOException {
        pipe.sink().close();
        pipe.source().close();
    }

    private void send(ByteBuffer bytes) throws IOException {
        while (bytes.hasRemaining()) {
            pipe.sink().write(bytes);
        }
    }

    private static ByteBuffer frame(int claimed, byte... sent) {
        return ByteBuffer.allocate(Integer.BYTES + sent.length)
                .putInt(claimed)
                .put(sent)
                .flip();
    }

    @Test
    void aClaimedSizeIsNotAllocated() throws IOException {
        send(frame(MAX_SIZE, new byte[100]));
        receive.readFrom(pipe.source());
        assertThat(receive.payload().capacity()).isEqualTo(GrowingReceive.FIRST_BYTES);
        assertThat(receive.taken()).isZero();
        assertThat(receive.complete()).isFalse();
    }

    @Test
    void aRequestThatComesInPiecesIsWhole() throws IOException {
        byte[] content = new byte[20_000];
        new Random(1).nextBytes(content);
        ByteBuffer frame = frame(content.length, content);
        while (frame.hasRemaining()) {
            assertThat(receive.complete()).isFalse();
            ByteBuffer piece = frame.slice(frame.position(), Math.min(777, frame.remaining()));
            frame.position(frame.position() + piece.remaining());
            send(piece);
            receive.readFrom(pipe.source());
        }
        assertThat(receive.complete()).isTrue();
        assertThat(receive.payload().array()).isEqualTo(content);
        assertThat(receive.bytesRead()).isEqualTo(receive.size()).isEqualTo(20_004);
    }

    @Test
    void anEmptyRequestIsWhole() throws IOException {
        send(frame(0));
        receive.readFrom(pipe.source());
        assertThat(receive.complete()).isTrue();
        assertThat(receive.payload().hasRemaining()).isFalse();
    }

    @Test
    void sizesOutOfRangeAreRefused() throws IOException {
        for (int size : new int[] {-1, Integer.MIN_VALUE, MAX_SIZE + 1}) {
            send(frame(size));
            assertThatThrownBy(() -> new GrowingReceive(MAX_SIZE, "test", memory).readFrom(pipe.source()))
                    .isInstanceOf(InvalidReceiveException.class)
                    .hasMessageContaining("size = " + size);
        }
    }

    @Test
    void theEndOfTheConnectionIsTold() throws IOException {
        send(frame(10, new byte[5]));
        pipe.sink().close();
        assertThatThrownBy(() -> {
                    receive.readFrom(pipe.source());
                    receive.readFrom(pipe.source());
                })
                .isInstanceOf(EOFException.class);
    }

    @Test
    void whereMemoryIsTakenARequestWaitsAndGoesOnWhenItIsBack() throws IOException {
        assertThat(memory.take(40_000)).isTrue();
        send(frame(30_000, new byte[30_000]));
        receive.readFrom(pipe.source());
        assertThat(receive.isStarved()).isTrue();
        assertThat(receive.complete()).isFalse();
        memory.giveBack(40_000);
        receive.readFrom(pipe.source());
        assertThat(receive.isStarved()).isFalse();
        assertThat(receive.complete()).isTrue();
    }

    @Test
    void theOnlyRequestMayTakeMoreThanTheLimit() {
        assertThat(memory.take(100_000)).isTrue();
        assertThat(memory.take(1)).isFalse();
        memory.giveBack(100_000);
        assertThat(memory.take(1)).isTrue();
    }

    @Test
    void whatARequestTookIsGivenBackWhenItsConnectionCloses() throws IOException {
        send(frame(60_000, new byte[20_000]));
        receive.readFrom(pipe.source());
        assertThat(receive.taken()).isPositive();
        receive.close();
        assertThat(memory.take(50_000)).isTrue();
        assertThat(memory.take(1)).isFalse();
    }
}
