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
        List<String> line = new ArrayList<>(List.of("--json", json.toString()));
        line.addAll(List.of(options));
        int exit = new CommandLine(experiment)
                .setCaseInsensitiveEnumValuesAllowed(true)
                .execute(line.toArray(String[]::new));
        String result = Files.exists(json) ? Files.readString(json) : "no result: see what it printed";
        assertThat(exit).as(result).isZero();
        return result;
    }
}
