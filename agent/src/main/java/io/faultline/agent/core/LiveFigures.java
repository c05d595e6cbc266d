package io.faultline.agent.core;

import io.faultline.agent.metrics.AgentFigures;
import io.faultline.agent.weave.Weaver;
import io.faultline.classifier.Hint;
import java.util.Arrays;
import java.util.Collection;
import java.util.Locale;
import java.util.function.Supplier;

/** What the meters read, from wherever it is counted. */
final class LiveFigures implements AgentFigures {

    private final String version;
    private final Supplier<Mode> mode;
    private final Weaver weaver;
    private final HintedFailures failures;
    private final StaleReads staleReads;
    private final DirectoryWatch directories;
    private final Configuration configuration;
    private final OwnErrors errors;
    private final AgentLog log;

    LiveFigures(
            String version,
            Supplier<Mode> mode,
            Weaver weaver,
            HintedFailures failures,
            StaleReads staleReads,
            DirectoryWatch directories,
            Configuration configuration,
            OwnErrors errors,
            AgentLog log) {
        this.version = version;
        this.mode = mode;
        this.weaver = weaver;
        this.failures = failures;
        this.staleReads = staleReads;
        this.directories = directories;
        this.configuration = configuration;
        this.errors = errors;
        this.log = log;
    }

    @Override
    public String version() {
        return version;
    }

    @Override
    public Collection<String> modes() {
        return Arrays.stream(Mode.values()).map(Mode::spelled).toList();
    }

    @Override
    public boolean isInForce(String spelled) {
        return mode.get() == Mode.of(spelled);
    }

    @Override
    public Collection<String> targets() {
        return Weaver.TARGETS;
    }

    @Override
    public boolean isWoven(String target) {
        return weaver.hasWoven(target);
    }

    @Override
    public Collection<String> transports() {
        return HintedFailures.TRANSPORTS;
    }

    @Override
    public long failures(String transport, Hint hint) {
        return failures.of(transport, hint);
    }

    @Override
    public long stalePrevented(String directory) {
        return staleReads.of(directory);
    }

    @Override
    public long stalePreventedWhereKnown() {
        return staleReads.sorted();
    }

    @Override
    public boolean isOffline(String directory, String by) {
        return directories.isOffline(directory, DirectoryWatch.By.valueOf(by.toUpperCase(Locale.ROOT)));
    }

    @Override
    public boolean wouldBeOffline(String directory) {
        return directories.wouldBeOffline(directory);
    }

    @Override
    public double configured() {
        return configuration.lastSuccess().getEpochSecond();
    }

    @Override
    public Collection<String> parts() {
        return Arrays.stream(Part.values()).map(Part::spelled).toList();
    }

    @Override
    public long errors(String part) {
        return errors.of(Part.valueOf(part.toUpperCase(Locale.ROOT)));
    }

    @Override
    public long suppressedLines() {
        return log.suppressed();
    }
}
