package io.faultline.bench.host;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class KeptFailuresTest {

    @TempDir
    private Path folder;

    @Test
    void noMoreFailuresWaitThanTheQueuesOfAllDirectoriesHaveRoomFor() {
        assertThat(KeptFailures.most(32)).isEqualTo(4_096 + 32 * 1_024);
    }

    @Test
    void directoriesBeyondANumberShareAQueue() {
        assertThat(KeptFailures.most(1_000)).isEqualTo(KeptFailures.most(257));
    }

    @Test
    void aFailureTakesWhatItsExceptionDoesAndLittleMore() throws Exception {
        Path file = Files.write(folder.resolve("segment"), new byte[4 << 10]);
        assertThat(KeptFailures.bytesOfOne(file)).isBetween(300.0, 3_000.0);
    }
}
