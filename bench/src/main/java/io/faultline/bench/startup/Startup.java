package io.faultline.bench.startup;

import io.faultline.bench.Layout;
import io.faultline.bench.report.Samples;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What the agent adds to the start of a JVM with an empty main, beside what the OpenTelemetry agent adds: the wall time of whole processes, in random order in one run, with a
 * control that runs the same thing twice.
 */
public final class Startup {

    /** At most this part of what OpenTelemetry adds. */
    private static final double MOST_ADDED = 0.05;

    /** At most this part of what OpenTelemetry adds, until woven. */
    private static final double MOST_UNTIL_WOVEN = 0.20;

    private static final int RESAMPLES = 10_000;
    private static final double NANOS_PER_MILLI = 1e6;
    private static final Pattern WOVEN = Pattern.compile("woven (\\d+) ms");

    private enum Side {
        NO_AGENT,
        NO_AGENT_AGAIN,
        FAULTLINE,
        OPEN_TELEMETRY
    }

    private final Layout layout;
    private final PrintStream out;
    private final int rounds;
    private final Random random = new Random(1);

    /**
     * Makes the experiment.
     *
     * @param layout where the jars are
     * @param out where it prints
     * @param rounds how often each side runs
     */
    public Startup(Layout layout, PrintStream out, int rounds) {
        this.layout = layout;
        this.out = out;
        this.rounds = rounds;
    }

    /**
     * Runs it and prints a line per figure.
     *
     * @return true unless a bound was missed
     * @throws IOException if a process cannot be started
     * @throws InterruptedException if interrupted while one runs
     */
    public boolean run() throws IOException, InterruptedException {
        Map<Side, double[]> times = new EnumMap<>(Side.class);
        Arrays.stream(Side.values()).forEach(side -> times.put(side, new double[rounds]));
        double[] untilWoven = new double[rounds];
        List<Side> order = new ArrayList<>(List.of(Side.values()));
        for (Side side : order) { // once each before anything counts: the jars come into the page cache
            millis(side);
        }
        for (int round = 0; round < rounds; round++) {
            Collections.shuffle(order, random);
            for (Side side : order) {
                times.get(side)[round] = millis(side);
            }
            untilWoven[round] = millisUntilWoven();
        }
        out.printf("startup: an empty main, java %s, %d rounds, medians%n", System.getProperty("java.version"), rounds);
        times.forEach((side, millis) -> out.printf("  %-16s %7.0f ms%n", side, median(millis)));
        out.printf("  %-16s %7.0f ms after loading%n", "until woven", median(untilWoven));
        double[] none = times.get(Side.NO_AGENT);
        double[] openTelemetry = times.get(Side.OPEN_TELEMETRY);
        report("control: no agent added to no agent", times.get(Side.NO_AGENT_AGAIN), none, openTelemetry, none, 1);
        boolean added = report(
                "added to the start, of what OpenTelemetry adds",
                times.get(Side.FAULTLINE),
                none,
                openTelemetry,
                none,
                MOST_ADDED);
        boolean woven = report(
                "until woven, of what OpenTelemetry adds",
                untilWoven,
                new double[rounds],
                openTelemetry,
                none,
                MOST_UNTIL_WOVEN);
        return added && woven;
    }

    /** Prints (a - b) / (c - d) with a 95 % bootstrap interval; false if the whole interval lies above the bound. */
    private boolean report(String what, double[] a, double[] b, double[] c, double[] d, double most) {
        double[] ratios = new double[RESAMPLES];
        for (int sample = 0; sample < RESAMPLES; sample++) {
            double above = resampled(a) - resampled(b);
            double below = resampled(c) - resampled(d);
            ratios[sample] = above / below;
        }
        Arrays.sort(ratios);
        double low = ratios[(int) (RESAMPLES * 0.025)];
        double high = ratios[(int) (RESAMPLES * 0.975)];
        String outcome = high <= most ? "reached" : low > most ? "MISSED" : "not resolvable, more rounds would tell";
        out.printf(
                "  %-48s %5.1f %%  [%.1f, %.1f]  at most %.0f %%: %s%n",
                what,
                100 * (median(a) - median(b)) / (median(c) - median(d)),
                100 * low,
                100 * high,
                100 * most,
                outcome);
        return low <= most;
    }

    private double resampled(double[] values) {
        return new Samples(values).resample(random).median();
    }

    private static double median(double[] values) {
        return new Samples(values).median();
    }

    private double millis(Side side) throws IOException, InterruptedException {
        List<String> options = switch (side) {
            case NO_AGENT, NO_AGENT_AGAIN -> List.of();
            case FAULTLINE -> List.of("-javaagent:" + layout.agent());
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

    /** What the agent itself says of its start, in a host that stays long enough. */
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
