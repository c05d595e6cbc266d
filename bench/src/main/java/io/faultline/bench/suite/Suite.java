package io.faultline.bench.suite;

import com.fasterxml.jackson.jr.ob.JSON;
import io.faultline.bench.Layout;
import io.faultline.bench.report.Report;
import io.faultline.bench.report.Table;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/** Runs experiments one after the other, each in a JVM of its own, so that none is faster or slower for what ran before it. */
final class Suite {

    private static final Duration PATIENCE_AT_END = Duration.ofSeconds(30);
    private static final double SECONDS_PER_MINUTE = 60;

    private final Layout layout;
    private final Report report;
    private final Path results;

    /**
     * Makes it.
     *
     * @param results where each experiment's result goes, as NAME.json
     */
    Suite(Layout layout, Report report, Path results) {
        this.layout = layout;
        this.report = report;
        this.results = results;
    }

    /**
     * Runs them. Each row of what they found is a claim, and so is that each ended by itself.
     *
     * @param most how long all together may take; those that are left then are not run
     */
    void run(List<Part> parts, Duration most) throws IOException, InterruptedException {
        long end = System.nanoTime() + most.toNanos();
        Table rows = new Table(List.of("target", "result", "95 % interval", "outcome"));
        Table minutes = new Table(List.of("minutes"));
        for (Part part : parts) {
            long began = System.nanoTime();
            Path result = results.resolve(part.name() + ".json");
            boolean ended = run(part, Math.min(part.most().toNanos(), end - began), result);
            double took = Duration.ofNanos(System.nanoTime() - began).toSeconds() / SECONDS_PER_MINUTE;
            minutes.row(part.name(), List.of(String.format("%.1f", took)));
            report.claim(ended, part.name() + " ends by itself with a result");
            if (!ended) {
                rows.row(part.name(), List.of("", "", "", "NO RESULT"));
            }
            for (Row row : ended ? Row.of(JSON.std.mapFrom(Files.readString(result))) : List.<Row>of()) {
                String name = part.name() + ": " + row.name();
                String outcome = row.outcome().equals(Row.MISSED) ? Row.MISSED.toUpperCase(Locale.ROOT) : row.outcome();
                rows.row(name, List.of(row.target(), row.result(), row.interval(), outcome));
                report.claim(!row.outcome().equals(Row.MISSED), name);
            }
        }
        report.table("All figures", rows);
        report.table("What it took", minutes);
    }

    private boolean run(Part part, long nanos, Path result) throws IOException, InterruptedException {
        Files.deleteIfExists(result);
        if (nanos <= 0) {
            return false;
        }
        List<String> command = new ArrayList<>(List.of(
                layout.java().toString(),
                "-jar",
                layout.bench().toString(),
                "run",
                part.name(),
                "--json",
                result.toString()));
        command.addAll(part.arguments());
        Process process = new ProcessBuilder(command).inheritIO().start();
        try {
            if (!process.waitFor(nanos, TimeUnit.NANOSECONDS)) {
                report.say("%s does not end, and is ended", part.name());
            }
        } finally {
            process.destroy(); // what it has started ends with it
            if (!process.waitFor(PATIENCE_AT_END.toSeconds(), TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
        }
        return Files.exists(result);
    }
}
