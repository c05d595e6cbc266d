package io.faultline.bench.suite;

import io.faultline.bench.Layout;
import io.faultline.bench.host.TemporaryFolder;
import io.faultline.bench.report.Experiment;
import io.faultline.bench.report.Report;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** A suite as a command. */
abstract class SuiteExperiment extends Experiment {

    @Spec
    private CommandSpec command;

    @Option(
            names = "--results",
            paramLabel = "DIRECTORY",
            description = "Keep each experiment's result there, as NAME.json.")
    private Path results;

    @Option(names = "--only", split = ",", paramLabel = "NAME", description = "Only these of them.")
    private List<String> only;

    private final List<Part> parts;
    private final Duration most;

    /**
     * Of experiments.
     *
     * @param most how long all together may take
     * @param parts the experiments, in their order
     */
    SuiteExperiment(Duration most, Part... parts) {
        this.most = most;
        this.parts = List.of(parts);
    }

    @Override
    protected final void run(Layout layout, Report report) throws Exception {
        List<Part> chosen = chosen();
        try (TemporaryFolder folder = TemporaryFolder.named("faultline-results")) {
            Path kept = results == null ? folder.path() : Files.createDirectories(results);
            new Suite(layout, report, kept.toAbsolutePath()).run(chosen, most);
        }
    }

    private List<Part> chosen() {
        if (only == null) {
            return parts;
        }
        List<String> names = parts.stream().map(Part::name).toList();
        List<String> unknown = new ArrayList<>(only);
        unknown.removeAll(names);
        if (!unknown.isEmpty()) {
            throw new ParameterException(
                    command.commandLine(), "--only takes some of " + names + ", not " + String.join(",", unknown));
        }
        return parts.stream().filter(part -> only.contains(part.name())).toList();
    }
}
