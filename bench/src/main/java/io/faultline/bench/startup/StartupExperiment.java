package io.faultline.bench.startup;

import io.faultline.bench.Layout;
import io.faultline.bench.report.Experiment;
import io.faultline.bench.report.Report;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@link Startup} as a command. */
@Command(
        name = "startup",
        description = "what the agent adds to the start of an empty main, beside the OpenTelemetry agent",
        mixinStandardHelpOptions = true)
public final class StartupExperiment extends Experiment {

    @Option(
            names = "--rounds",
            defaultValue = "20",
            description = "How often each side runs; ${DEFAULT-VALUE} by default.")
    private int rounds;

    /** Made by the command line. */
    public StartupExperiment() {}

    @Override
    protected void run(Layout layout, Report report) throws Exception {
        new Startup(layout, rounds).run(report);
    }
}
