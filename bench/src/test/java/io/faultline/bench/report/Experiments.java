package io.faultline.bench.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine;

/** Runs experiments as their command does. */
public final class Experiments {

    private Experiments() {}

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
