package io.faultline.bench.outage;

import io.faultline.bench.Layout;
import io.faultline.bench.outage.OutageRun.Plan;
import io.faultline.bench.report.Experiment;
import io.faultline.bench.report.Report;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Outages under a client: every invariant is a claim. Those that kafka-clients, the yardstick, breaks are stated, not claimed. */
@Command(
        name = "outage",
        description = {
            "what becomes of a client's records in an outage, and whether it goes on by itself",
            "Counted for each outage and client are records lost, there twice, out of order and given up, and seconds until the client goes on; docs/outages.md explains the 15 invariants.",
            "It holds if each invariant holds for the bundled client; what kafka-clients breaks is stated."
        },
        mixinStandardHelpOptions = true)
public final class Outage extends Experiment {

    @Spec
    private CommandSpec command;

    @Option(
            names = "--scenario",
            paramLabel = "NAME",
            split = ",",
            converter = ScenarioConverter.class,
            description = "One or more of: ${COMPLETION-CANDIDATES}.",
            completionCandidates = ScenarioConverter.class)
    private List<Scenario> scenarios;

    @Option(names = "--all", description = "Every scenario.")
    private boolean all;

    @Option(
            names = "--length",
            paramLabel = "SECONDS",
            defaultValue = "75",
            description = "How long each outage lasts; ${DEFAULT-VALUE} by default.")
    private double length;

    @Mixin
    private OutageOptions options;

    @Option(names = "--markdown", paramLabel = "FILE", description = "Write the tables there, as Markdown.")
    private Path markdown;

    /** Made by the command line. */
    public Outage() {}

    @Override
    protected void run(Layout layout, Report report) throws Exception {
        report.fact("length", length);
        options.describe(report);
        Duration scaled = Duration.ofMillis(
                (long) (length * options.scale() * Duration.ofSeconds(1).toMillis()));
        List<Outcome> outcomes = new ArrayList<>();
        for (Scenario scenario : chosen()) {
            for (Plan plan : options.plans(layout, scenario, scaled)) {
                Outcome outcome = Outcome.of(plan, new OutageRun(layout, report, plan).run());
                outcomes.add(outcome);
                OutageRun.state(outcome, report);
            }
        }
        if (markdown != null) {
            new OutageTables(outcomes).write(markdown);
        }
    }

    private List<Scenario> chosen() {
        if (all == (scenarios != null)) {
            throw new ParameterException(command.commandLine(), "either --all or --scenario is needed");
        }
        List<Scenario> chosen = all ? Scenario.outages() : scenarios;
        String missing = chosen.stream()
                .filter(scenario -> !scenario.missing().isEmpty())
                .map(scenario -> scenario + " needs " + String.join(", ", scenario.missing()))
                .collect(Collectors.joining("; "));
        if (!missing.isEmpty()) {
            throw new ParameterException(command.commandLine(), missing);
        }
        return chosen;
    }
}
