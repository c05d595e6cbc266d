package io.faultline.bench.plot;

import static org.assertj.core.api.Assertions.assertThat;

import io.faultline.bench.measure.Figure;
import io.faultline.bench.measure.Interval;
import io.faultline.bench.measure.Samples;
import io.faultline.bench.measure.Target;
import io.faultline.bench.report.Report;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

class PlotTest {

    @TempDir
    private Path folder;

    @Test
    void eachTableOfFiguresIsDrawnAsSvgAndPngInTheColoursOfItsOutcomes() throws Exception {
        Report report = new Report("some-experiment", new PrintStream(OutputStream.nullOutputStream()));
        report.figures(
                "What it costs",
                List.of(
                        Figure.of("reached-figure", "ns", Target.atMost(20), new Interval(10, 9, 11), 30),
                        Figure.of("missed-figure", "ns", Target.atMost(20), new Interval(25, 22, 27), 30),
                        Figure.of(
                                "too-few-samples",
                                "ns",
                                Target.atMost(20),
                                new Samples(new double[] {1, 2}).medianInterval(),
                                2)));
        Path json = folder.resolve("result.json");
        report.writeJson(json);
        assertThat(new CommandLine(new Plot()).execute(json.toString())).isZero();
        Path svg = folder.resolve("some-experiment-what-it-costs-ns.svg");
        assertThat(Files.readString(svg)).contains("<svg", "rgb(46,125,50)", "rgb(198,40,40)", "rgb(117,117,117)");
        assertThat(ImageIO.read(folder.resolve("some-experiment-what-it-costs-ns.png")
                                .toFile())
                        .getWidth())
                .isEqualTo(900);
    }

    @Test
    void aFileThatIsNoResultIsWrongUse() throws Exception {
        Path file = Files.writeString(folder.resolve("file"), "[1");
        assertThat(new CommandLine(new Plot()).execute(file.toString())).isEqualTo(2);
        assertThat(new CommandLine(new Plot()).execute(folder.resolve("absent").toString()))
                .isEqualTo(2);
    }
}
