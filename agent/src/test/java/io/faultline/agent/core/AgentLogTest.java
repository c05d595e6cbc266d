package io.faultline.agent.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AgentLogTest {

    @TempDir
    private Path folder;

    @Test
    void aLineHasItsTimeAndItsSource() throws IOException {
        assertThat(written("hello"))
                .singleElement()
                .asString()
                .matches("\\d{4}-\\d\\d-\\d\\dT[\\d:.]+Z Faultline: hello");
    }

    @Test
    void aTextOfSeveralLinesStaysOneLine() throws IOException {
        assertThat(written("one\ntwo")).singleElement().asString().endsWith("Faultline: one two");
    }

    @Test
    void aFileIsAppendedTo() throws IOException {
        Path file = folder.resolve("log");
        Files.writeString(file, "before\n");
        write(file, "behind");

        assertThat(Files.readAllLines(file)).hasSize(2).first().isEqualTo("before");
    }

    @Test
    void aFloodIsCutAndTheRestCounted() throws IOException {
        Path file = folder.resolve("log");
        try (AgentLog log = AgentLog.open(file)) {
            for (int i = 0; i < 1_000; i++) {
                log.line("line " + i);
            }

            await().untilAsserted(() -> assertThat(Files.readAllLines(file)).hasSize(20));
            assertThat(Files.readAllLines(file)).last().asString().endsWith("line 19");
            assertThat(log.suppressed()).isEqualTo(980);
        }
    }

    @Test
    void aLineBehindTheEndIsCountedAndHarmsNobody() {
        AgentLog log = AgentLog.open(folder.resolve("log"));
        log.close();

        log.line("late");

        assertThat(log.suppressed()).isEqualTo(1);
    }

    @Test
    void aLogThatHangsHoldsUpNobodyAndIsWrittenWhenItGoesOn() throws Exception {
        Path pipe = folder.resolve("pipe");
        assertThat(new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor())
                .isZero();
        AgentLog log = AgentLog.open(pipe);

        for (int i = 0; i < 20; i++) {
            log.line("line " + i);
        }
        log.close();

        assertThat(log.isBusy()).as("nobody reads, and here we are").isTrue();
        assertThat(Files.readAllLines(pipe)).hasSize(20).last().asString().endsWith("line 19");
        await().until(() -> !log.isBusy());
    }

    private List<String> written(String text) throws IOException {
        Path file = folder.resolve("log");
        write(file, text);
        return Files.readAllLines(file);
    }

    private static void write(Path file, String text) {
        AgentLog log = AgentLog.open(file);
        log.line(text);
        log.close();
        await().until(() -> !log.isBusy());
    }
}
