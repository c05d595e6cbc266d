package io.faultline.bench.startup;

import io.faultline.bench.Layout;
import io.faultline.bench.measure.Effect;
import io.faultline.bench.measure.Figure;
import io.faultline.bench.measure.Interleaved;
import io.faultline.bench.measure.Rounds;
import io.faultline.bench.measure.Samples;
import io.faultline.bench.measure.Target;
import io.faultline.bench.report.Report;
import io.faultline.bench.report.Table;
import java.io.BufferedReader;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.DoubleBinaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What the agent adds to the start of a JVM with an empty main, beside what the OpenTelemetry agent adds: the wall time of whole processes, in random order in one run, with a
 * control that runs the same thing twice.
 */
public final class Startup {

    /** At most this many percent of what OpenTelemetry adds. */
    private static final double MOST_ADDED = 5;

    /** At most this many percent of what OpenTelemetry adds, until woven. */
    private static final double MOST_UNTIL_WOVEN = 20;

    private static final double NANOS_PER_MILLI = 1e6;
    private static final Pattern WOVEN = Pattern.compile("woven (\\d+) ms");

    private enum Side {
        NO_AGENT,
        FAULTLINE,
        OPEN_TELEMETRY,
        /** From loading until the agent says so, in a host that stays long enough. */
        UNTIL_WOVEN
    }

    private final Layout layout;
    private final int rounds;

    /**
     * Makes the experiment.
     *
     * @param layout where the jars are
     * @param rounds how often each side runs; six give an interval
     */
    public Startup(Layout layout, int rounds) {
        this.layout = layout;
        this.rounds = rounds;
    }

    /**
     * Runs it.
     *
     * @param report takes the figures
     * @throws Exception if a process cannot be started
     */
    public void run(Report report) throws Exception {
        Rounds<Side> measured = Interleaved.of(Side.NO_AGENT, () -> millis(Side.NO_AGENT))
                .with(Side.FAULTLINE, () -> millis(Side.FAULTLINE))
                .with(Side.OPEN_TELEMETRY, () -> millis(Side.OPEN_TELEMETRY))
                .with(Side.UNTIL_WOVEN, this::millisUntilWoven)
                .run(1, rounds); // the first brings the jars into the page cache
        Table medians = new Table(List.of("ms"));
        for (Side side : Side.values()) {
            medians.row(side.name(), List.of(Math.round(measured.of(side).median())));
        }
        report.table("An empty main, medians", medians);
        Samples none = measured.of(Side.NO_AGENT);
        Samples openTelemetry = added(measured.of(Side.OPEN_TELEMETRY), none);
        Samples control = added(measured.control(), none);
        report.figures(
                "Of what OpenTelemetry adds",
                List.of(
                        percent(
                                "added to the start",
                                MOST_ADDED,
                                added(measured.of(Side.FAULTLINE), none),
                                control,
                                openTelemetry),
                        percent(
                                "from loading until woven",
                                MOST_UNTIL_WOVEN,
                                measured.of(Side.UNTIL_WOVEN),
                                control,
                                openTelemetry)));
    }

    private static Samples added(Samples millis, Samples without) {
        return millis.pairedWith(without, (with, none) -> with - none);
    }

    private static Figure percent(String what, double most, Samples added, Samples control, Samples openTelemetry) {
        DoubleBinaryOperator percent = (millis, ofMillis) -> 100 * millis / ofMillis;
        Effect effect = Effect.of(added.pairedWith(openTelemetry, percent), control.pairedWith(openTelemetry, percent));
        return Figure.of(what, "%", Target.atMost(most), effect);
    }

    private double millis(Side side) throws IOException, InterruptedException {
        List<String> options = switch (side) {
            case NO_AGENT -> List.of();
            case FAULTLINE, UNTIL_WOVEN -> List.of("-javaagent:" + layout.agent());
            case OPEN_TELEMETRY ->
                List.of(
                        "-javaagent:" + layout.openTelemetryAgent(),
                        "-Dotel.traces.exporter=none",
                        "-Dotel.metrics.exporter=none",
                        "-Dotel.logs.exporter=none");
        };
        ProcessBuilder builder = new ProcessBuilder(command(options))
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .redirectError(ProcessBuilder.Redirect.DISCARD);
        long began = System.nanoTime();
        int exit = builder.start().waitFor();
        double millis = (System.nanoTime() - began) / NANOS_PER_MILLI;
        if (exit != 0) {
            throw new IOException(side + " ended with " + exit);
        }
        return millis;
    }

    /** What the agent itself says of its start. */
    private double millisUntilWoven() throws IOException, InterruptedException {
        List<String> command = command(List.of("-javaagent:" + layout.agent()));
        command.add("stay");
        Process process = new ProcessBuilder(command)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        try (BufferedReader lines = process.errorReader()) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                Matcher matcher = WOVEN.matcher(line);
                if (matcher.find()) {
                    return Double.parseDouble(matcher.group(1));
                }
            }
            throw new IOException("the agent did not say that it has woven");
        } finally {
            process.getOutputStream().close();
            process.waitFor();
        }
    }

    private List<String> command(List<String> options) {
        List<String> command = new ArrayList<>(List.of(layout.java().toString()));
        command.addAll(options);
        command.addAll(List.of("-cp", layout.bench().toString(), EmptyMain.class.getName()));
        return command;
    }
}
