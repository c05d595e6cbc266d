package io.faultline.bench.suite;

import static org.assertj.core.api.Assertions.assertThat;

import io.faultline.bench.Layout;
import io.faultline.bench.report.Report;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Suites of one experiment that does not take long. */
class SuiteIT {

    private static final Duration LONG = Duration.ofMinutes(5);
    private static final Duration NO_TIME = Duration.ZERO;

    @TempDir
    private Path results;

    private final ByteArrayOutputStream printed = new ByteArrayOutputStream();
    private final Report report = new Report("suite", new PrintStream(printed, true, StandardCharsets.UTF_8));

    @Test
    void whatAnExperimentFoundIsInTheTable() throws Exception {
        suite().run(List.of(new Part("failed-send", LONG, "--rounds", "1")), LONG);
        assertThat(results.resolve("failed-send.json")).exists();
        assertThat(printed.toString(StandardCharsets.UTF_8)).contains("failed-send: ", "What it took");
    }

    @Test
    void anExperimentForWhichNoTimeIsLeftIsNotRunAndTheSuiteDoesNotHold() throws Exception {
        suite().run(List.of(new Part("failed-send", LONG)), NO_TIME);
        assertThat(printed.toString(StandardCharsets.UTF_8)).contains("NO RESULT");
        assertThat(report.held()).isFalse();
    }

    private Suite suite() {
        return new Suite(Layout.ofThisBuild(), report, results);
    }
}
