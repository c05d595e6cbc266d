package io.faultline.bench.suite;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.faultline.bench.measure.Figure;
import io.faultline.bench.measure.Interval;
import io.faultline.bench.measure.Target;
import io.faultline.bench.report.Report;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FiguresTableTest {

    @TempDir
    private Path folder;

    @BeforeEach
    void anExperimentHasWrittenItsResult() throws IOException {
        Report report = new Report("detect", new PrintStream(OutputStream.nullOutputStream()));
        report.figures(
                "What it must reach",
                List.of(
                        Figure.of("idle, p95", "ms", Target.atMost(10), new Interval(6.5, 6, 7), 100),
                        Figure.of("loaded, p95", "ms", Target.atMost(10), new Interval(20, 18, 30), 100),
                        Figure.of("idle, p50", "ms", Target.atMost(10), new Interval(9, 4, 14), 100),
                        Figure.of("loaded, p50", "ms", Target.atMost(10), new Interval(11, 8, 15), 100)));
        report.claim(true, "0 directories are lost");
        report.writeJson(folder.resolve("detect.json"));
    }

    @Test
    void eachFigureHasItsTargetItsResultAndItsOutcome() throws IOException {
        assertThat(written("")).contains("| `detect`: idle, p95 | at most 10 ms | 6.50 ms | [6, 7] | reached |");
    }

    @Test
    void whatFellShortIsMarked() throws IOException {
        assertThat(written("")).contains("| `detect`: loaded, p95 | at most 10 ms | 20 ms | [18, 30] | **missed** |");
    }

    @Test
    void whatHasNoOutcomeIsToldOfBelowTheTable() throws IOException {
        assertThat(written(""))
                .contains("\n- `detect`, at most 10 ms: idle, p50 9 ms [4, 14]; loaded, p50 11 ms [8, 15]\n")
                .doesNotContain("| `detect`: idle, p50");
    }

    @Test
    void whatIsClaimedWithoutAFigureHasARowToo() throws IOException {
        assertThat(written("")).contains("| `detect`: 0 directories are lost |  |  |  | reached |");
    }

    @Test
    void whatWasBetweenTheMarkersGoesAndTheRestStays() throws IOException {
        assertThat(written("old figures\n"))
                .startsWith("before\n" + FiguresTable.BEGIN)
                .endsWith(FiguresTable.END + "\nbehind\n")
                .doesNotContain("old figures");
    }

    @Test
    void aDocumentWithoutMarkersIsRefused() {
        assertThatThrownBy(() -> FiguresTable.of(folder).putInto("no markers"))
                .isInstanceOf(IOException.class)
                .hasMessageContaining(FiguresTable.BEGIN);
    }

    private String written(String between) throws IOException {
        String document = "before\n" + FiguresTable.BEGIN + "\n" + between + FiguresTable.END + "\nbehind\n";
        return FiguresTable.of(folder).putInto(document);
    }
}
