package io.faultline.bench.report;

import com.fasterxml.jackson.jr.ob.JSON;
import io.faultline.bench.measure.Figure;
import io.faultline.bench.measure.Interval;
import io.faultline.bench.measure.Outcome;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** What an experiment found: what it says as it goes, tables, and claims that held or did not. */
public final class Report {

    private static final double NANOS_PER_SECOND = 1e9;

    private record Claim(String text, boolean held) {}

    private final String experiment;
    private final PrintStream out;
    private final long began = System.nanoTime();
    private final Map<String, Object> facts = new LinkedHashMap<>();
    private final Map<String, Table> tables = new LinkedHashMap<>();
    private final Map<String, List<Figure>> figures = new LinkedHashMap<>();
    private final List<Claim> claims = new ArrayList<>();

    /**
     * Begins a report.
     *
     * @param experiment the experiment's name
     * @param out where it prints
     */
    public Report(String experiment, PrintStream out) {
        this.experiment = experiment;
        this.out = out;
        fact("java", System.getProperty("java.version"));
        fact("os", System.getProperty("os.name") + " " + System.getProperty("os.version"));
        fact("processor", Machine.processor());
        fact("processors", Runtime.getRuntime().availableProcessors());
        fact("memory, MiB", Machine.memoryMebibytes());
        fact("date", Instant.now().truncatedTo(ChronoUnit.SECONDS).toString());
        fact("load before", Machine.load());
    }

    /**
     * Says how far the experiment is.
     *
     * @param format as of {@link String#format}
     * @param arguments its arguments
     */
    public void say(String format, Object... arguments) {
        out.printf("  [%4.0f s] %s%n", seconds(), String.format(format, arguments));
    }

    /**
     * Records under which circumstances the figures came about.
     *
     * @param name of the circumstance
     * @param value a string, number or boolean
     */
    public void fact(String name, Object value) {
        facts.put(name, value);
    }

    /**
     * Prints and records a table.
     *
     * @param name what it shows
     * @param table the table
     */
    public void table(String name, Table table) {
        tables.put(name, table);
        print(name, table);
    }

    private void print(String name, Table table) {
        out.println();
        out.println("  " + name);
        table.print(out);
        out.println();
    }

    /**
     * Prints and records figures with their targets. Each is a claim that its target is not missed.
     *
     * @param name what they show
     * @param shown the figures, one a row
     */
    public void figures(String name, List<Figure> shown) {
        figures.put(name, List.copyOf(shown));
        Table table = new Table(List.of("target", "result", "95 % interval", "control", "samples", "outcome"));
        for (Figure figure : shown) {
            String outcome = figure.outcome() == Outcome.MISSED ? "MISSED" : String.valueOf(figure.outcome());
            table.row(
                    figure.name(),
                    List.of(
                            figure.targetText(),
                            figure.resultText(),
                            Figure.ends(figure.result()),
                            figure.control().map(Figure::ends).orElse(""),
                            figure.samples(),
                            figure.wouldResolve()
                                    .map(what -> outcome + ": " + what)
                                    .orElse(outcome)));
            claim(figure.outcome() != Outcome.MISSED, figure.name() + " " + figure.targetText());
        }
        print(name, table);
    }

    /**
     * Records a claim; one that did not hold is printed at the end.
     *
     * @param held whether it held
     * @param text the claim
     * @return whether it held
     */
    public boolean claim(boolean held, String text) {
        claims.add(new Claim(text, held));
        return held;
    }

    /**
     * Says whether everything has held so far.
     *
     * @return false if a claim did not hold
     */
    public boolean held() {
        return claims.stream().allMatch(Claim::held);
    }

    /** Prints which claims did not hold, or that all did. */
    public void conclude() {
        fact("seconds", Math.round(seconds()));
        fact("load after", Machine.load());
        if (held()) {
            out.printf("  %s: all %d claims held%s (%.0f s)%n", experiment, claims.size(), notResolvable(), seconds());
        } else {
            claims.stream()
                    .filter(claim -> !claim.held())
                    .forEach(claim -> out.println("  DID NOT HOLD: " + claim.text()));
        }
    }

    private String notResolvable() {
        long unresolved = figures.values().stream()
                .flatMap(List::stream)
                .filter(figure -> figure.outcome() == Outcome.NOT_RESOLVABLE)
                .count();
        return unresolved == 0 ? "" : ", " + unresolved + " of them not resolvable";
    }

    /**
     * Writes everything but the running commentary.
     *
     * @param file where to
     * @throws IOException if it cannot be written
     */
    public void writeJson(Path file) throws IOException {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("experiment", experiment);
        json.put("held", held());
        json.put("facts", facts);
        Map<String, Object> byName = new LinkedHashMap<>();
        tables.forEach((name, table) -> byName.put(name, table.asMaps()));
        json.put("tables", byName);
        Map<String, Object> figuresByName = new LinkedHashMap<>();
        figures.forEach((name, shown) ->
                figuresByName.put(name, shown.stream().map(Report::asMap).toList()));
        json.put("figures", figuresByName);
        List<Map<String, Object>> all = new ArrayList<>();
        claims.forEach(claim -> all.add(Map.of("claim", claim.text(), "held", claim.held())));
        json.put("claims", all);
        JSON.std.with(JSON.Feature.PRETTY_PRINT_OUTPUT).write(json, file.toFile());
    }

    /** The form in which a figure becomes JSON. JSON has no infinity: an interval without an end has a null there. */
    private static Map<String, Object> asMap(Figure figure) {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("figure", figure.name());
        map.put("unit", figure.unit());
        map.put("target", figure.target().bound());
        map.put("direction", figure.target().direction().name().toLowerCase(Locale.ROOT));
        map.put("value", figure.result().value());
        map.put("interval", asList(figure.result()));
        figure.control().ifPresent(control -> map.put("control", asList(control)));
        map.put("samples", figure.samples());
        map.put("outcome", figure.outcome().toString());
        figure.wouldResolve().ifPresent(what -> map.put("wouldResolve", what));
        return map;
    }

    private static List<Double> asList(Interval interval) {
        return Arrays.asList(finite(interval.low()), finite(interval.high()));
    }

    private static Double finite(double value) {
        return Double.isFinite(value) ? value : null;
    }

    private double seconds() {
        return (System.nanoTime() - began) / NANOS_PER_SECOND;
    }
}
