package io.faultline.bench.outage;

import io.faultline.bench.Layout;
import io.faultline.bench.kafka.KafkaVersion;
import io.faultline.bench.outage.OutageRun.Plan;
import io.faultline.bench.report.Experiment;
import io.faultline.bench.report.Report;
import io.faultline.bench.report.Table;
import io.faultline.bench.subject.ClientKind;
import io.faultline.bench.subject.Timeouts;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/**
 * Outages under a client: every invariant is a claim. Those that kafka-clients, the yardstick, breaks are stated, not claimed.
 */
@Command(
        name = "outage",
        description = "what becomes of a client's records in an outage, and whether it goes on by itself",
        mixinStandardHelpOptions = true)
public final class Outage extends Experiment {

    /** The brokers of a run. */
    enum Cluster {
        KAFKA,
        BROKER
    }

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

    @Option(
            names = "--scale",
            paramLabel = "FACTOR",
            defaultValue = "1",
            description =
                    "Multiplies the length and every time-out of the client (delivery: 30 s); ${DEFAULT-VALUE} by default.")
    private double scale;

    @Option(
            names = "--client",
            paramLabel = "NAME",
            split = ",",
            defaultValue = "java",
            description =
                    "Which client, or clients one after the other: ${COMPLETION-CANDIDATES}; ${DEFAULT-VALUE} by default.")
    private List<ClientKind> clients;

    @Option(
            names = "--cluster",
            paramLabel = "NAME",
            split = ",",
            defaultValue = "kafka",
            description =
                    "Three brokers of Apache Kafka, the bundled broker, or both: ${COMPLETION-CANDIDATES}; ${DEFAULT-VALUE} by default.")
    private List<Cluster> clusters;

    @Option(
            names = "--kafka",
            paramLabel = "VERSION",
            defaultValue = "4.4.0",
            description = "The release of Kafka; ${DEFAULT-VALUE} by default.")
    private String kafka;

    @Option(
            names = "--rate",
            paramLabel = "N",
            defaultValue = "300",
            description = "Records per second; ${DEFAULT-VALUE} by default.")
    private double rate;

    @Option(
            names = "--seed",
            paramLabel = "S",
            defaultValue = "1",
            description = "For what is left to chance; ${DEFAULT-VALUE} by default.")
    private long seed;

    @Option(names = "--markdown", paramLabel = "FILE", description = "Write the tables there, as Markdown.")
    private Path markdown;

    /** Made by the command line. */
    public Outage() {}

    @Override
    protected void run(Layout layout, Report report) throws Exception {
        report.fact("length", length);
        report.fact("scale", scale);
        report.fact("rate", rate);
        report.fact("seed", seed);
        List<Outcome> outcomes = new ArrayList<>();
        for (Plan plan : plans(layout)) {
            Outcome outcome = Outcome.of(plan, new OutageRun(layout, report, plan).run());
            outcomes.add(outcome);
            state(outcome, report);
        }
        if (markdown != null) {
            new OutageTables(outcomes).write(markdown);
        }
    }

    private List<Plan> plans(Layout layout) {
        List<Plan> plans = new ArrayList<>();
        for (Scenario scenario : chosen()) {
            for (Cluster cluster : clusters) {
                for (ClientKind client : clients) {
                    plans.add(new Plan(
                            scenario,
                            new Deployment(layout, cluster == Cluster.KAFKA ? KafkaVersion.of(kafka) : null),
                            client,
                            Duration.ofMillis((long) (length * scale * 1_000)),
                            rate,
                            new Timeouts(scale),
                            seed));
                }
            }
        }
        return plans;
    }

    private Collection<Scenario> chosen() {
        if (all == (scenarios != null)) {
            throw new ParameterException(command.commandLine(), "either --all or --scenario is needed");
        }
        List<Scenario> chosen = all ? Arrays.asList(Scenario.values()) : scenarios;
        String missing = chosen.stream()
                .filter(scenario -> !scenario.missing().isEmpty())
                .map(scenario -> scenario + " needs " + String.join(", ", scenario.missing()))
                .collect(Collectors.joining("; "));
        if (!missing.isEmpty()) {
            throw new ParameterException(command.commandLine(), missing);
        }
        return chosen;
    }

    private static void state(Outcome outcome, Report report) {
        Table table = new Table(List.of(outcome.plan().client().title()));
        List<String> cells = outcome.cells();
        for (int column = 0; column < cells.size(); column++) {
            table.row(Outcome.COLUMNS.get(column), List.of(cells.get(column)));
        }
        report.table(outcome.plan().toString(), table);
        outcome.failures().forEach(failure -> report.say("failed: %s", failure));
        outcome.evidence().main().errors().forEach((error, times) -> report.say("%,d x %s", times, error));
        for (Invariant invariant : outcome.invariants()) {
            report.say("%s %s", invariant.held() ? "held  " : "BROKEN", invariant);
            if (outcome.plan().client() != ClientKind.JAVA) {
                report.claim(invariant.held(), outcome.plan() + ": " + invariant);
            }
        }
        report.claim(outcome.evidence().log().records() > 0, outcome.plan() + ": the log was read");
    }
}
