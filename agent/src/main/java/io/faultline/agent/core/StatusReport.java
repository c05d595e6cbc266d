package io.faultline.agent.core;

import io.faultline.agent.weave.HookAccess;
import io.faultline.agent.weave.Weaver;
import io.faultline.classifier.FailureClassifier;
import java.util.function.IntSupplier;
import java.util.function.Supplier;

/** Makes the answer to the question how the agent is: what is in force, and every count. */
final class StatusReport implements Supplier<String> {

    private final LiveFigures figures;
    private final Supplier<Mode> mode;
    private final IntSupplier port;
    private final Configuration configuration;
    private final HookAccess hook;
    private final FailureClassifier classifier;
    private final DirectoryWatch directories;

    /**
     * Makes one.
     *
     * @param port where metrics are served, -1 for nowhere
     */
    StatusReport(
            LiveFigures figures,
            Supplier<Mode> mode,
            IntSupplier port,
            Configuration configuration,
            HookAccess hook,
            FailureClassifier classifier,
            DirectoryWatch directories) {
        this.figures = figures;
        this.mode = mode;
        this.port = port;
        this.configuration = configuration;
        this.hook = hook;
        this.classifier = classifier;
        this.directories = directories;
    }

    /** The status as of now, behind a first line that says ok. */
    @Override
    public String get() {
        StatusLines lines = new StatusLines();
        lines.add("version", figures.version());
        lines.add("jar", Lifecycle.jar());
        lines.add("hook.contract", hook.contract());
        lines.add("mode", mode.get().spelled());
        Weaver.TARGETS.forEach(target -> lines.add("woven." + target, figures.isWoven(target)));
        int bound = port.getAsInt();
        lines.add("metrics.bound", bound < 0 ? "none" : bound);
        lines.options(configuration.options());
        lines.add("transfers.socket", counted("SOCKET_TRANSFERS"));
        lines.add("transfers.other", counted("OTHER_TRANSFERS"));
        lines.add("reads.tls", counted("TLS_READS"));
        lines.add("failures.socket", counted("SOCKET_FAILURES"));
        lines.add("failures.other", counted("OTHER_FAILURES") - counted("SELF_CHECKS"));
        lines.add("failures.tls", counted("TLS_FAILURES"));
        lines.add("failures.plain", counted("PLAIN_FAILURES"));
        lines.add("ends-of-file.tls", counted("TLS_ENDS_OF_FILE"));
        lines.add("stale-prevented.tls", counted("STALE_PREVENTED"));
        lines.accounts(classifier.accounts());
        lines.add("excluded", classifier.excluded());
        lines.add("errors", figures.parts().stream().mapToLong(figures::errors).sum());
        figures.parts().forEach(part -> lines.add("errors." + part, figures.errors(part)));
        lines.add("log.suppressed", figures.suppressedLines());
        directories.all().forEach(lines::directory);
        classifier.directories().forEach(lines::checks);
        return "ok\n" + lines;
    }

    private long counted(String counter) {
        return hook.counter(counter).sum();
    }
}
