package io.faultline.classifier;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
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

    @Test
    void theTextsAreLearnedInTheLanguageOfTheProcess(@TempDir Path locales) throws Exception {
        assumeTrue(
                Files.exists(Path.of("/usr/bin/localedef"))
                        && Files.exists(Path.of("/usr/share/i18n/locales/de_DE"))
                        && Files.exists(Path.of("/usr/share/locale/de/LC_MESSAGES/libc.mo")),
                "needs the German of glibc (Debian package locales)");
        ChildJvm.run(
                Map.of(),
                List.of(
                        "localedef",
                        "-i",
                        "de_DE",
                        "-f",
                        "UTF-8",
                        locales.resolve("de_DE.UTF-8").toString()));
        Map<String, String> german = Map.of("LC_ALL", "de_DE.UTF-8", "LOCPATH", locales.toString());
        assertThat(ChildJvm.run(german, List.of("-Dfile.encoding=UTF-8"), TextsOfThisProcess.class))
                .containsExactly("Eingabe-/Ausgabefehler", "MEDIA_ERROR");
    }

    /** Prints the learned text of EIO, and the hint of a real one. */
    static final class TextsOfThisProcess {

        private TextsOfThisProcess() {}

        public static void main(String[] none) {
            FailureHints hints = FailureHints.learn();
            System.out.println(hints.mediaError());
            try (FileChannel memory = FileChannel.open(Path.of("/proc/self/mem"))) {
                memory.read(ByteBuffer.allocate(1), 0);
            } catch (IOException failure) {
                System.out.println(hints.of(failure));
            }
        }
    }
}
