package io.faultline.bench.plot;

import java.awt.Color;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.knowm.xchart.ChartEncoder;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYChartBuilder;
import org.knowm.xchart.XYSeries;
import org.knowm.xchart.style.markers.Marker;
import org.knowm.xchart.style.markers.SeriesMarkers;

/** Figures of one unit, one below the other: each its value, its interval as a line, and its target as a stroke across. Needs no display. */
final class Chart {

    private static final int WIDTH = 900;
    private static final int HEIGHT_OF_FRAME = 130;
    private static final int HEIGHT_OF_FIGURE = 44;
    private static final double HALF_STROKE = 0.3;
    private static final Color REACHED = new Color(0x2E7D32);
    private static final Color MISSED = new Color(0xC62828);
    private static final Color NOT_RESOLVABLE = new Color(0x757575);

    private final XYChart chart;

    private Chart(XYChart chart) {
        this.chart = chart;
    }

    /** Draws figures, all of one unit. */
    static Chart of(String title, List<DrawnFigure> figures) {
        XYChart chart = new XYChartBuilder()
                .width(WIDTH)
                .height(HEIGHT_OF_FRAME + HEIGHT_OF_FIGURE * figures.size())
                .title(title)
                .xAxisTitle(figures.get(0).unit())
                .build();
        chart.getStyler().setLegendVisible(false);
        chart.getStyler().setYAxisMin(-1.0);
        chart.getStyler().setYAxisMax((double) figures.size());
        chart.getStyler().setYAxisTickMarkSpacingHint(HEIGHT_OF_FIGURE);
        chart.getStyler().setYAxisTickLabelsFormattingFunction(at -> nameAt(figures, at));
        for (int index = 0; index < figures.size(); index++) {
            DrawnFigure figure = figures.get(index);
            double at = figures.size() - 1 - index;
            Color color = color(figure.outcome());
            String name = index + " ";
            line(chart, name + "interval", new double[] {figure.low(), figure.high()}, new double[] {at, at}, color);
            line(
                    chart,
                    name + "target",
                    new double[] {figure.target(), figure.target()},
                    new double[] {at - HALF_STROKE, at + HALF_STROKE},
                    Color.BLACK);
            add(chart, name + "value", new double[] {figure.value()}, new double[] {at}, color, SeriesMarkers.CIRCLE);
        }
        return new Chart(chart);
    }

    /** Writes it as {@code NAME.svg} and {@code NAME.png}. */
    void write(Path name) throws IOException {
        try (OutputStream svg = Files.newOutputStream(Path.of(name + ".svg"));
                OutputStream png = Files.newOutputStream(Path.of(name + ".png"))) {
            ChartEncoder.saveChart(chart, svg, "svg");
            ChartEncoder.saveChart(chart, png, "png");
        }
    }

    private static String nameAt(List<DrawnFigure> figures, double at) {
        long index = figures.size() - 1 - Math.round(at);
        boolean between = Math.abs(at - Math.rint(at)) > 1e-6;
        return between || index < 0 || index >= figures.size()
                ? ""
                : figures.get((int) index).name();
    }

    private static void line(XYChart chart, String name, double[] x, double[] y, Color color) {
        add(chart, name, x, y, color, SeriesMarkers.NONE);
    }

    private static void add(XYChart chart, String name, double[] x, double[] y, Color color, Marker marker) {
        XYSeries series = chart.addSeries(name, x, y);
        series.setLineColor(color);
        series.setMarkerColor(color);
        series.setMarker(marker);
    }

    private static Color color(String outcome) {
        return switch (outcome) {
            case "reached" -> REACHED;
            case "missed" -> MISSED;
            default -> NOT_RESOLVABLE;
        };
    }
}
