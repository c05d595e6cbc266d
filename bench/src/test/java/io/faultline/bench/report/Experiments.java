package io.faultline.bench.report;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.jr.ob.JSON;
import io.faultline.bench.Layout;
import io.faultline.bench.host.JvmProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import picocli.CommandLine;

/** Runs experiments as their command does. */
public final class Experiments {

    private static final Duration PATIENCE = Duration.ofMinutes(5);

    private Experiments() {}

    /**
     * Runs one in a JVM of its own, as for those that attach an agent to themselves. Whether targets are reached is no matter: that is for quiet machines to say.
     *
     * @param name the experiment's name
     * @param folder where its result may be written
     * @param options of its command line
     * @return its result, from JSON
     * @throws IOException if there is none
     * @throws InterruptedException if interrupted meanwhile
     */
    public static Map<String, Object> runInItsOwnJvm(String name, Path folder, String... options)
            throws IOException, InterruptedException {
        Layout layout = Layout.ofThisBuild();
        Path json = folder.resolve("result.json");
        List<String> line = new ArrayList<>(List.of(
                layout.java().toString(), "-jar", layout.bench().toString(), "run", name, "--json", json.toString()));
        line.addAll(List.of(options));
        try (JvmProcess process = JvmProcess.start(name, new ProcessBuilder(line), null)) {
            int exit = process.awaitExit(PATIENCE);
            assertThat(json).as("it ended with " + exit + ": " + process.tail()).exists();
        }
        return JSON.std.mapFrom(Files.readString(json));
    }

    /**
     * The figures of a result.
     *
     * @param result the result
     * @return the names of all of them
     */
    public static List<String> figures(Map<String, Object> result) {
        return ((Map<?, ?>) result.get("figures"))
                .values().stream()
                        .flatMap(figures -> ((List<?>) figures).stream())
                        .map(figure -> (String) ((Map<?, ?>) figure).get("figure"))
                        .toList();
    }

    /**
     * The claims of a result that held.
     *
     * @param result the result
     * @return their texts
     */
    public static List<String> heldClaims(Map<String, Object> result) {
        return ((List<?>) result.get("claims"))
                .stream()
                        .map(claim -> (Map<?, ?>) claim)
                        .filter(claim -> Boolean.TRUE.equals(claim.get("held")))
                        .map(claim -> (String) claim.get("claim"))
                        .toList();
    }

    /**
     * Runs one, and fails unless everything that it claims held.
     *
     * @param experiment the experiment
     * @param folder where its result may be written
     * @param options of its command line
     * @return its result, as JSON
     * @throws IOException if there is none
     */
    public static String assertHolds(Experiment experiment, Path folder, String... options) throws IOException {
        Path json = folder.resolve("result.json");
        int exit = run(experiment, json, options);
        String result = Files.exists(json) ? Files.readString(json) : "no result: see what it printed";
        assertThat(exit).as(result).isZero();
        return result;
    }

    /**
     * Runs one whose claims are about time, and fails unless it has a result, whatever that is.
     *
     * @param experiment the experiment
     * @param folder where its result may be written
     * @param options of its command line
     * @return its result, as JSON
     * @throws IOException if there is none
     */
    public static String result(Experiment experiment, Path folder, String... options) throws IOException {
        Path json = folder.resolve("result.json");
        run(experiment, json, options);
        return Files.readString(json);
    }

    private static int run(Experiment experiment, Path json, String... options) {
        List<String> line = new ArrayList<>(List.of("--json", json.toString()));
        line.addAll(List.of(options));
        return new CommandLine(experiment)
                .setCaseInsensitiveEnumValuesAllowed(true)
                .execute(line.toArray(String[]::new));
    }
}
