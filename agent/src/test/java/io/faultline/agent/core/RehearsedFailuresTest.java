package io.faultline.agent.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.faultline.classifier.FailureHints;
import java.io.IOException;
import java.lang.reflect.Field;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RehearsedFailuresTest {

    private static final int BLOCK = 4096;

    /** Stands for the JDK's field, which only an agent can read: the same name for every channel. */
    private static String path;

    @TempDir
    private Path folder;

    private Path file;
    private FileChannel channel;
    private RehearsedFailures rehearsed;

    @BeforeEach
    void open() throws IOException, NoSuchFieldException {
        file = Files.writeString(folder.resolve("segment"), "content");
        path = file.toString();
        channel = FileChannel.open(file);
        Field field = RehearsedFailuresTest.class.getDeclaredField("path");
        field.setAccessible(true);
        rehearsed = new RehearsedFailures(field, FailureHints.NONE);
    }

    @AfterEach
    void close() throws IOException {
        channel.close();
    }

    @Test
    void withoutARegionEverythingIsRead() {
        assertThat(read(0, 100)).isEqualTo(100L);
    }

    @Test
    void aReadEndsBeforeTheBlocksOfTheRegionAndFailsInside() {
        rehearsed.add(file, BLOCK + 50, 10);

        assertThat(read(0, BLOCK)).isEqualTo((long) BLOCK);
        assertThat(read(0, 2 * BLOCK)).isEqualTo((long) BLOCK);
        assertThat(read(BLOCK - 1, 2)).isEqualTo(1L);
        assertThat(read(BLOCK, 1)).isInstanceOf(IOException.class);
        assertThat(read(2 * BLOCK - 1, 100)).isInstanceOf(IOException.class);
        assertThat(read(2 * BLOCK, 100)).isEqualTo(100L);
    }

    @Test
    void aRegionOfSeveralBlocksFailsInEach() {
        rehearsed.add(file, BLOCK - 1, 2);

        assertThat(read(0, 1)).isInstanceOf(IOException.class);
        assertThat(read(BLOCK, 1)).isInstanceOf(IOException.class);
        assertThat(read(2 * BLOCK, 1)).isEqualTo(1L);
    }

    @Test
    void theNearestOfSeveralRegionsCounts() {
        rehearsed.add(file, 5 * BLOCK, 10);
        rehearsed.add(file, 2 * BLOCK, 10);

        assertThat(read(0, 9 * BLOCK)).isEqualTo(2L * BLOCK);
        assertThat(read(3 * BLOCK, 9 * BLOCK)).isEqualTo(2L * BLOCK);
    }

    @Test
    void otherFilesAreReadAsBefore() {
        rehearsed.add(folder.resolve("other"), 0, 10);

        assertThat(read(0, 100)).isEqualTo(100L);
    }

    @Test
    void aFileIsKnownByARelativeNameToo() {
        rehearsed.add(file, 0, 10);
        path = Path.of("").toAbsolutePath().relativize(file).toString();
        assertThat(Path.of(path)).isRelative();

        rehearsed.add(Path.of(path), 0, 10);

        assertThat(read(0, 1)).isInstanceOf(IOException.class);
    }

    @Test
    void whatIsHealedIsReadAgain() {
        rehearsed.add(file, 0, 10);

        rehearsed.clear();

        assertThat(read(0, 100)).isEqualTo(100L);
    }

    @Test
    void aChannelWithoutANameIsReadAsBefore() {
        rehearsed.add(file, 0, 10);
        path = null;

        assertThat(read(0, 100)).isEqualTo(100L);
    }

    private Object read(long position, long count) {
        return rehearsed.apply(new Object[] {channel, position, count});
    }
}
