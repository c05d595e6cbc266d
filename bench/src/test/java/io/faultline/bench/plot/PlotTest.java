package io.faultline.bench.plot;

import static org.assertj.core.api.Assertions.assertThat;

import io.faultline.bench.measure.Figure;
import io.faultline.bench.measure.Interval;
import io.faultline.bench.measure.Samples;
import io.faultline.bench.measure.Target;
import io.faultline.bench.report.Report;
import java.awt.image.BufferedImage;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
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
                .isEqualTo(1_100);
    }

    @Test
    void eachFigureIsNamed() throws Exception {
        List<Integer> drawn = drawn("a figure with a long name", "another with a long name");
        assertThat(drawn("a figure with a long name", "another with a long name"))
                .isEqualTo(drawn);
        assertThat(drawn("a FIGURE with a long name", "another with a long name"))
                .isNotEqualTo(drawn);
        assertThat(drawn("a figure with a long name", "ANOTHER with a long name"))
                .isNotEqualTo(drawn);
    }

    @Test
    void whatAFigureSaysOfItsTargetIsSaidInWords() {
        DrawnFigure figure = DrawnFigure.of(Map.of(
                "figure", "a call",
                "unit", "ns",
                "direction", "at_most",
                "target", 20,
                "value", 12.34,
                "interval", List.of(11, 13),
                "outcome", "reached"));
        assertThat(figure.inWords()).isEqualTo("a call: 12.3 ns [11, 13], at most 20 ns: reached");
    }

    @Test
    void aFileThatIsNoResultIsWrongUse() throws Exception {
        Path file = Files.writeString(folder.resolve("file"), "[1");
        assertThat(new CommandLine(new Plot()).execute(file.toString())).isEqualTo(2);
        assertThat(new CommandLine(new Plot()).execute(folder.resolve("absent").toString()))
                .isEqualTo(2);
    }

    /** The picture of figures that differ in nothing but their names. */
    private List<Integer> drawn(String... names) throws Exception {
        Report report = new Report("named", new PrintStream(OutputStream.nullOutputStream()));
        report.figures(
                "Names",
                Arrays.stream(names)
                        .map(name -> Figure.of(name, "ns", Target.atMost(20), new Interval(10, 9, 11), 30))
                        .toList());
        Path json = folder.resolve("named.json");
        report.writeJson(json);
        assertThat(new CommandLine(new Plot()).execute(json.toString())).isZero();
        BufferedImage image = ImageIO.read(folder.resolve("named-names-ns.png").toFile());
        int width = image.getWidth();
        return Arrays.stream(image.getRGB(0, 0, width, image.getHeight(), null, 0, width))
                .boxed()
                .toList();
    }
}
