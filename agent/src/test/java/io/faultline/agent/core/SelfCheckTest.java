package io.faultline.agent.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.faultline.classifier.FailureHints;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** In this process nothing is woven. */
class SelfCheckTest {

    @TempDir
    private Path folder;

    @Test
    void aWeavingThatDidNotTakeIsNoticed() throws IOException {
        Path file = Files.writeString(folder.resolve("file"), "content");
        SelfCheck check = new SelfCheck(file, FailureHints.NONE);

        assertThat(check.run()).isEqualTo("the weaving did not take: a failed transfer was not seen");
        assertThat(check.wasSeen()).isFalse();
    }

    @Test
    void aFileThatIsNotThereIsNoVerdictOnTheWeaving() {
        SelfCheck check = new SelfCheck(folder.resolve("none"), FailureHints.NONE);

        assertThat(check.run()).startsWith("it could not be run: ");
    }
}
