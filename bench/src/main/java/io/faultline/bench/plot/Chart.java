package io.faultline.bench.plot;

import java.awt.BasicStroke;
import java.awt.Color;
import java.awt.Font;
import java.awt.Graphics2D;
import java.awt.geom.Line2D;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.DoubleSummaryStatistics;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.knowm.xchart.AnnotationText;
import org.knowm.xchart.ChartEncoder;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYChartBuilder;
import org.knowm.xchart.XYSeries;
import org.knowm.xchart.XYSeries.XYSeriesRenderStyle;
import org.knowm.xchart.style.Styler.LegendLayout;
import org.knowm.xchart.style.Styler.LegendPosition;
import org.knowm.xchart.style.XYStyler;
import org.knowm.xchart.style.lines.SeriesLines;
import org.knowm.xchart.style.markers.Marker;
import org.knowm.xchart.style.markers.SeriesMarkers;

/**
 * Figures of one unit, one below the other: the value as a dot and its interval as a line, both in the colour of the outcome, the target as a stroke across; above that the figure's name and all of it in words. Needs
 * no display.
 */
final class Chart {

    private static final int WIDTH = 1_100;
    private static final int HEIGHT_OF_FRAME = 150;
    private static final int HEIGHT_OF_FIGURE = 56;
    private static final int FONT_SIZE = 12;
    private static final double LINE_BELOW = 0.65;
    private static final double WORDS_ABOVE = 0.38;
    private static final double MARGIN = 0.06;
    private static final Color REACHED = new Color(0x2E7D32);
    private static final Color MISSED = new Color(0xC62828);
    private static final Color NOT_RESOLVABLE = new Color(0x757575);

    private final XYChart chart;
    private final Set<String> inLegend = new HashSet<>();

    private Chart(XYChart chart) {
        this.chart = chart;
    }

    /** Draws figures, all of one unit. */
    static Chart of(String title, List<DrawnFigure> figures) {
        Chart drawn = new Chart(new XYChartBuilder()
                .width(WIDTH)
                .height(HEIGHT_OF_FRAME + HEIGHT_OF_FIGURE * figures.size())
                .title(title)
                .xAxisTitle(inWords(figures.get(0).unit()))
                .build());
        DoubleSummaryStatistics extent =
                figures.stream().flatMapToDouble(DrawnFigure::extent).summaryStatistics();
        double span = extent.getMax() > extent.getMin() ? extent.getMax() - extent.getMin() : 1;
        drawn.style(extent.getMin() - MARGIN * span, extent.getMax() + MARGIN * span, figures.size());
        double middle = (extent.getMin() + extent.getMax()) / 2;
        for (int below = 0; below < figures.size(); below++) {
            drawn.add(figures.get(below), figures.size() - below - LINE_BELOW, middle);
        }
        return drawn;
    }

    /** Writes it as {@code NAME.svg} and {@code NAME.png}. */
    void write(Path name) throws IOException {
        try (OutputStream svg = Files.newOutputStream(Path.of(name + ".svg"));
                OutputStream png = Files.newOutputStream(Path.of(name + ".png"))) {
            ChartEncoder.saveChart(chart, svg, "svg");
            ChartEncoder.saveChart(chart, png, "png");
        }
    }

    private void style(double from, double to, int figures) {
        XYStyler styler = chart.getStyler();
        styler.setChartBackgroundColor(Color.WHITE);
        styler.setLegendPosition(LegendPosition.OutsideS);
        styler.setLegendLayout(LegendLayout.Horizontal);
        styler.setAnnotationTextFont(new Font(Font.SANS_SERIF, Font.PLAIN, FONT_SIZE));
        styler.setAxisTickLabelsFont(new Font(Font.SANS_SERIF, Font.PLAIN, FONT_SIZE));
        styler.setYAxisTicksVisible(false); // whose names may not be longer than 20 characters
        styler.setPlotGridHorizontalLinesVisible(false);
        styler.setXAxisMin(from);
        styler.setXAxisMax(to);
        styler.setYAxisMin(0.0);
        styler.setYAxisMax((double) figures);
    }

    private void add(DrawnFigure figure, double at, double middle) {
        Color color = color(figure.outcome());
        if (figure.hasInterval()) {
            double[] ends = {figure.result().low(), figure.result().high()};
            XYSeries interval = series("interval", ends, new double[] {at, at}, color, SeriesMarkers.NONE);
            interval.setShowInLegend(false);
        }
        dot(figure.outcome(), figure.result().value(), at, color, SeriesMarkers.CIRCLE);
        dot("target", figure.target(), at, Color.BLACK, new StrokeAcross());
        chart.addAnnotation(new AnnotationText(figure.inWords(), middle, at + WORDS_ABOVE, false));
    }

    private void dot(String meaning, double x, double y, Color color, Marker marker) {
        XYSeries dot = series(meaning, new double[] {x}, new double[] {y}, color, marker);
        dot.setXYSeriesRenderStyle(XYSeriesRenderStyle.Scatter);
        dot.setLabel(meaning);
        dot.setShowInLegend(inLegend.add(meaning));
    }

    private XYSeries series(String what, double[] x, double[] y, Color color, Marker marker) {
        XYSeries series = chart.addSeries(what + " " + y[0], x, y);
        series.setLineColor(color);
        series.setLineStyle(SeriesLines.SOLID);
        series.setMarkerColor(color);
        series.setMarker(marker);
        return series;
    }

    private static Color color(String outcome) {
        return switch (outcome) {
            case "reached" -> REACHED;
            case "missed" -> MISSED;
            default -> NOT_RESOLVABLE;
        };
    }

    private static String inWords(String unit) {
        return switch (unit) {
            case "ns" -> "nanoseconds";
            case "us" -> "microseconds";
            case "ms" -> "milliseconds";
            case "%" -> "percent";
            case "x" -> "times";
            default -> unit;
        };
    }

    /** Across the line of a figure. */
    private static final class StrokeAcross extends Marker {

        private static final int HALF_LENGTH = 9;
        private static final BasicStroke STROKE = new BasicStroke(2);

        @Override
        public void paint(Graphics2D graphics, double x, double y, int size) {
            graphics.setStroke(STROKE);
            graphics.draw(new Line2D.Double(x, y - HALF_LENGTH, x, y + HALF_LENGTH));
        }
    }
}
