package io.faultline.agent.core;

import static org.assertj.core.api.Assertions.assertThat;

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
        try (AgentLog log = AgentLog.open(file)) {
            log.line("behind");
        }

        assertThat(Files.readAllLines(file)).hasSize(2).first().isEqualTo("before");
    }

    @Test
    void aFloodIsCutAndTheRestCounted() throws IOException {
        Path file = folder.resolve("log");
        try (AgentLog log = AgentLog.open(file)) {
            for (int i = 0; i < 1_000; i++) {
                log.line("line " + i);
            }

            assertThat(Files.readAllLines(file)).hasSize(20).last().asString().endsWith("line 19");
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

    private List<String> written(String text) throws IOException {
        Path file = folder.resolve("log");
        try (AgentLog log = AgentLog.open(file)) {
            log.line(text);
        }
        return Files.readAllLines(file);
    }
}
