package io.faultline.bench.outage;

import io.faultline.bench.Layout;
import io.faultline.bench.outage.OutageRun.Plan;
import io.faultline.bench.report.Experiment;
import io.faultline.bench.report.Report;
import java.time.Duration;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Faults at random for a long time. */
@Command(
        name = "soak",
        description = {
            "random faults, beside and after each other, under producers and a group that changes",
            "Counted as in outage. It holds if each invariant holds over all of it."
        },
        mixinStandardHelpOptions = true)
public final class Soak extends Experiment {

    @Mixin
    private OutageOptions options;

    @Option(names = "--minutes", defaultValue = "40", description = "How long it goes on; ${DEFAULT-VALUE} by default.")
    private double minutes;

    /** Made by the command line. */
    public Soak() {}

    @Override
    protected void run(Layout layout, Report report) throws Exception {
        report.fact("minutes", minutes);
        options.describe(report);
        Duration length =
                Duration.ofMillis((long) (minutes * Duration.ofMinutes(1).toMillis()));
        for (Plan plan : options.plans(layout, Scenario.SOAK, length)) {
            OutageRun.state(Outcome.of(plan, new OutageRun(layout, report, plan).run()), report);
        }
    }
}
