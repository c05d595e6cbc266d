package io.faultline.bench.report;

import io.faultline.bench.Layout;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** An experiment as a command: it exits with 0 if everything that it claims held, with 1 if something did not. */
public abstract class Experiment implements Callable<Integer> {

    @Spec
    private CommandSpec command;

    @Option(names = "--json", paramLabel = "FILE", description = "Write the result there, as JSON.")
    private Path json;

    /** For subclasses. */
    protected Experiment() {}

    /**
     * Runs the experiment.
     *
     * @param layout where the jars are
     * @param report takes what it finds
     * @throws Exception if something that has nothing to do with its claims failed
     */
    protected abstract void run(Layout layout, Report report) throws Exception;

    @Override
    public final Integer call() throws Exception {
        System.out.println(command.name());
        Report report = new Report(command.name(), System.out);
        run(Layout.ofThisBuild(), report);
        report.conclude();
        if (json != null) {
            report.writeJson(json);
        }
        return report.held() ? 0 : 1;
    }
}
