package io.faultline.bench.plot;

import com.fasterxml.jackson.jr.ob.JSON;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Draws the figures of a result that {@code run NAME --json FILE} wrote: a chart for each table of figures and unit. */
@Command(
        name = "plot",
        description = "Draws what 'run NAME --json FILE' wrote, as SVG and PNG. Needs no display.",
        mixinStandardHelpOptions = true)
public final class Plot implements Callable<Integer> {

    private static final int WRONG_USE = 2;

    @Parameters(paramLabel = "FILE", description = "The result.")
    private Path file;

    @Option(
            names = "--to",
            paramLabel = "FOLDER",
            description = "Where the pictures are written; beside the result by default.")
    private Path folder;

    /** Made by the command line. */
    public Plot() {}

    @Override
    public Integer call() throws IOException {
        System.setProperty("java.awt.headless", "true");
        Map<String, Object> result;
        Map<String, List<DrawnFigure>> charts;
        try {
            result = JSON.std.mapFrom(Files.readString(file));
            charts = charts(result);
        } catch (IOException | IllegalArgumentException noResult) {
            System.err.println(file + " is no result of an experiment: " + noResult);
            return WRONG_USE;
        }
        if (charts.isEmpty()) {
            System.err.println(file + " has no figures with targets; nothing is drawn");
            return WRONG_USE;
        }
        Path into = folder == null ? file.toAbsolutePath().getParent() : Files.createDirectories(folder);
        for (Map.Entry<String, List<DrawnFigure>> chart : charts.entrySet()) {
            Path name = into.resolve(result.get("experiment") + "-" + slug(chart.getKey()));
            Chart.of(result.get("experiment") + ": " + chart.getKey(), chart.getValue())
                    .write(name);
            System.out.println(name + ".svg");
            System.out.println(name + ".png");
        }
        return 0;
    }

    /** Figures that can share an axis, by the title of their chart. */
    private static Map<String, List<DrawnFigure>> charts(Map<String, Object> result) {
        Map<String, List<DrawnFigure>> charts = new LinkedHashMap<>();
        if (result.get("figures") instanceof Map<?, ?> tables) {
            tables.forEach((title, figures) -> {
                for (Object json : (List<?>) figures) {
                    DrawnFigure figure = DrawnFigure.of((Map<?, ?>) json);
                    charts.computeIfAbsent(title + ", " + figure.unit(), first -> new ArrayList<>())
                            .add(figure);
                }
            });
        }
        return charts;
    }

    private static String slug(String title) {
        return title.toLowerCase(Locale.ROOT)
                .replace("%", "percent")
                .replaceAll("[^a-z0-9]+", "-")
                .replaceAll("^-|-$", "");
    }
}
