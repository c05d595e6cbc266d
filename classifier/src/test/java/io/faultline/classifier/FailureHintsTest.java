package io.faultline.classifier;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FailureHintsTest {

    private final FailureHints hints = FailureHints.learn();

    @Test
    void theTextOfAMediaErrorIsLearned() {
        assertThatThrownBy(() -> {
                    try (FileChannel memory = FileChannel.open(Path.of("/proc/self/mem"))) {
                        memory.read(ByteBuffer.allocate(1), 0);
                    }
                })
                .isInstanceOfSatisfying(
                        IOException.class,
                        failure -> assertThat(hints.of(failure)).isEqualTo(Hint.MEDIA_ERROR));
    }

    @Test
    void theTextsOfAPeerThatWentAwayAreLearned(@TempDir Path directory) throws Exception {
        Path file = Files.write(directory.resolve("segment"), new byte[10]);
        try (Peers peers = new Peers();
                FileChannel channel = FileChannel.open(file);
                SocketChannel gone = peers.gone()) {
            FailedTransfer first = Peers.failedTransfer(channel, file.toString(), 0, 10, gone);
            FailedTransfer second = Peers.failedTransfer(channel, file.toString(), 0, 10, gone);
            assertThat(hints.of(first.failure())).isEqualTo(Hint.CONNECTION_RESET);
            assertThat(hints.of(second.failure())).isEqualTo(Hint.BROKEN_PIPE);
        }
    }

    @Test
    void anyOtherTextIsNoHint() {
        assertThat(hints.of(null)).isEqualTo(Hint.NONE);
        assertThat(hints.of(new IOException())).isEqualTo(Hint.NONE);
        assertThat(hints.of(new IOException("Is a directory"))).isEqualTo(Hint.NONE);
        assertThat(FailureHints.NONE.of(new IOException(hints.mediaError()))).isEqualTo(Hint.NONE);
    }
}
