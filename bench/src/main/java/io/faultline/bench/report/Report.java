package io.faultline.bench.report;

import com.fasterxml.jackson.jr.ob.JSON;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
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
        fact("processors", Runtime.getRuntime().availableProcessors());
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
        out.println();
        out.println("  " + name);
        table.print(out);
        out.println();
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
        if (held()) {
            out.printf("  %s: all %d claims held (%.0f s)%n", experiment, claims.size(), seconds());
        } else {
            claims.stream()
                    .filter(claim -> !claim.held())
                    .forEach(claim -> out.println("  DID NOT HOLD: " + claim.text()));
        }
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
        List<Map<String, Object>> all = new ArrayList<>();
        claims.forEach(claim -> all.add(Map.of("claim", claim.text(), "held", claim.held())));
        json.put("claims", all);
        JSON.std.with(JSON.Feature.PRETTY_PRINT_OUTPUT).write(json, file.toFile());
    }

    private double seconds() {
        return (System.nanoTime() - began) / NANOS_PER_SECOND;
    }
}
