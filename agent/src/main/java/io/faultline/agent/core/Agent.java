package io.faultline.agent.core;

import io.faultline.agent.control.ControlServer;
import io.faultline.agent.core.Rounds.Chore;
import io.faultline.agent.jfr.FlightEvents;
import io.faultline.agent.kafka.KafkaAdapter;
import io.faultline.agent.metrics.AgentMeters;
import io.faultline.agent.metrics.Outlets;
import io.faultline.agent.status.CurrentStatus;
import io.faultline.agent.status.SeenFailures;
import io.faultline.agent.weave.HookAccess;
import io.faultline.agent.weave.JmxWatch;
import io.faultline.agent.weave.Weaver;
import io.faultline.classifier.Classification;
import io.faultline.classifier.ClassifierMetrics;
import io.faultline.classifier.FailureClassifier;
import io.faultline.classifier.FailureFeed;
import io.faultline.classifier.FailureHints;
import io.faultline.classifier.FaultlineThreads;
import java.io.IOException;
import java.lang.instrument.Instrumentation;
import java.lang.reflect.Field;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

/**
 * One attached agent, from attach to detach: makes its parts and joins them, starts them in the order that the host needs, and takes everything back. Everything runs on threads of its own; no fault of one
 * part stops another, and none reaches the host.
 */
final class Agent {

    private static final long HOUSEKEEPING_NANOS = 1_000_000_000L;
    private static final long CONFIGURATION_NANOS = 250_000_000L;
    private static final int LOOKS_FOR_MISSED = 5;
    private static final long FAREWELL_MILLIS = 50;

    private final Configuration configuration;

    /** As they were when the agent started: for keys that cannot change. */
    private final Options started;

    private final AgentLog log;
    private final Instrumentation instrumentation;
    private final HookAccess hook;
    private final String version = Release.of(Lifecycle.jar());
    private final AtomicReference<Mode> mode = new AtomicReference<>(Mode.OFF);
    private final OwnErrors errors = new OwnErrors();
    private final DirectoryWatch directories = new DirectoryWatch();
    private final FlightEvents events = new FlightEvents();
    private final FailureFeed feed = new FailureFeed();
    private final VerdictLines verdictLines;
    private final FoundOwners owners;
    private final ActionLimits limits;
    private final FailureClassifier classifier;
    private final FailureSink sink;
    private final StaleReads staleReads;
    private final Weaver weaver;
    private final SelfChecks selfChecks;
    private final Audit audit;
    private final ModeSwitch modes;
    private final LiveFigures figures;
    private final StatusReport status;
    private final DirectoryNews directoryNews;

    /** Null unless failures are rehearsed. */
    private final RehearsedFailures rehearsed;

    private JmxWatch jmxWatch;

    /** Null where metrics cannot be had. */
    private Outlets outlets;

    /** Null where the command line cannot be answered. */
    private ControlServer control;

    private Rounds housekeeping;

    /** Null where there is no file to watch. */
    private Rounds configurationWatch;

    private boolean detached;

    /** Makes every part. Nothing of the host's is touched yet. */
    Agent(Configuration configuration, AgentLog log, Instrumentation instrumentation, HookAccess hook)
            throws ReflectiveOperationException {
        this.configuration = configuration;
        this.started = configuration.options();
        this.log = log;
        this.instrumentation = instrumentation;
        this.hook = hook;
        Field path = Class.forName(Weaver.FILE_CHANNEL).getDeclaredField("path");
        path.setAccessible(true);
        FailureHints hints = FailureHints.learn();
        verdictLines = new VerdictLines(log);
        owners = new FoundOwners(List.of(new KafkaAdapter(log::warn)), feed, log);
        limits = new ActionLimits(mode::get, configuration::options, owners::holdsMetadata);
        classifier = FailureClassifier.publishingTo(feed)
                .hints(hints)
                .roots(started.roots())
                .bytesPerSecond(() -> configuration.options().bytesPerSecond())
                .only(file -> configuration.options().checks(file))
                .policy(limits)
                .checks(events)
                .build();
        errors.also(Part.CHECKS, classifier::ownErrors);
        HintedFailures failures = new HintedFailures(hints, hook);
        sink = new FailureSink(classifier, path, failures, events, version);
        staleReads = new StaleReads(sink::nameOf);
        weaver = new Weaver(instrumentation, started.rehearses(), this::notWoven, log::line);
        selfChecks = new SelfChecks(version, sink, hints, hook, errors, log);
        AuditFile audited = started.auditFile() == null
                ? null
                : new AuditFile(started.auditFile(), new Identity(version, () -> jmxWatch), log, errors);
        audit = new Audit(audited, limits);
        modes = new ModeSwitch(mode, configuration, weaver, selfChecks, log, audit);
        figures = new LiveFigures(
                version, mode::get, weaver, failures, staleReads, directories, configuration, errors, log);
        status = new StatusReport(figures, mode::get, this::port, configuration, hook, classifier, directories);
        directoryNews = new DirectoryNews(classifier, directories, staleReads, events, log, audit, this::show);
        rehearsed = started.rehearses() ? new RehearsedFailures(path, hints) : null;
    }

    /**
     * Starts everything, the weaving first. What fails on the way takes back what was begun.
     *
     * @param began when the agent was loaded, as {@link System#nanoTime}
     * @return false if an agent is attached already, and then nothing was started
     */
    boolean start(long began) throws ReflectiveOperationException {
        feed.bridge(hook.consumers(), hook.owners());
        feed.act("agent", this::told);
        if (!hook.claim(sink)) {
            classifier.close();
            log.line(hook.attached() + " is attached already; " + version + " is not attached a second time");
            return false;
        }
        hook.tellEmptied(staleReads);
        try {
            startAttached(began);
            return true;
        } catch (Throwable failed) { // half an agent that nobody can talk to would bar the way for the next one
            takeBack();
            throw failed;
        }
    }

    private void startAttached(long began) throws ReflectiveOperationException {
        Mode wanted = started.mode();
        modes.begin(wanted);
        long wovenAfter = System.nanoTime() - began;
        joinApplication();
        owners.look();
        if (rehearsed != null) {
            hook.rehearse(rehearsed);
        }
        String state = version + ": mode " + wanted.spelled();
        if (wanted == Mode.OFF) {
            log.line(state + ", nothing is woven");
        } else if (weaver.hasWoven(Weaver.FILE_CHANNEL)) { // else it has been said
            log.line(state + ", woven " + TimeUnit.NANOSECONDS.toMillis(wovenAfter) + " ms after loading");
        }
        jmxWatch = new JmxWatch(instrumentation);
        startMetrics();
        startAudit(wanted);
        directoryNews.look();
        housekeeping = Rounds.start("housekeeping", HOUSEKEEPING_NANOS, chores(), errors);
        if (configuration.hasFile()) {
            Chore look =
                    Chore.always(Part.CONFIG, new ConfigurationWatch(configuration, modes, audit, errors, log)::look);
            // On a thread of its own, since the file may lie on a disk that hangs.
            configurationWatch = Rounds.start("configuration", CONFIGURATION_NANOS, List.of(look), errors);
        }
        startControl(); // the last: whoever gets an answer finds everything in place
    }

    private List<Chore> chores() {
        return List.of(
                new Chore(Part.WEAVING, LOOKS_FOR_MISSED, weaver::weaveMissed),
                Chore.always(Part.JFR, events::tend),
                Chore.always(Part.OWNERS, owners::look),
                Chore.always(Part.OWNERS, directoryNews::look),
                Chore.always(Part.METRICS, this::tendOutlets),
                Chore.always(Part.CONTROL, this::tendControl),
                // A second after the start, which leaves the processors to the host; the last, since it may wait.
                new Chore(Part.WEAVING, 1, modes::checkFirst));
    }

    private void joinApplication() throws ReflectiveOperationException {
        new ApplicationCopies(instrumentation).join(hook.consumers(), hook.owners(), (loader, otherVersion) -> {
            errors.count(Part.APPLICATION);
            log.warn("a copy of the classifier library in " + loader + " cannot be told of verdicts: " + otherVersion);
        });
    }

    private void notWoven(String className, Throwable failure) {
        errors.count(Part.WEAVING);
        log.line("cannot weave " + className + ", its failures go unseen: " + failure);
    }

    /** The one actor of the agent's own: first what counts, then the line. */
    private void told(Classification classification) {
        directories.told(classification);
        limits.told(classification);
        String why = limits.reasonOf(classification);
        events.verdict(classification, why);
        verdictLines.told(classification, why);
    }

    private void startMetrics() {
        try {
            outlets = new Outlets(
                    new ClassifierMetrics(classifier, feed),
                    new AgentMeters(hook, figures),
                    new JmxControl(version, mode::get, modes, status),
                    jmxWatch,
                    log,
                    errors);
            outlets.open(started, started.metricsPort() < 0 ? null : remembering());
        } catch (RuntimeException | LinkageError failed) {
            errors.count(Part.METRICS);
            log.line("no metrics: " + failed);
        }
    }

    private CurrentStatus remembering() {
        SeenFailures seen = new SeenFailures();
        feed.act("status-page", seen);
        return new CurrentStatus(figures, directories, classifier, seen);
    }

    private int port() {
        return outlets == null ? -1 : outlets.port();
    }

    private void show(List<String> found) {
        if (outlets != null) {
            outlets.show(found);
        }
    }

    private void tendOutlets() {
        if (outlets != null) {
            outlets.tend();
        }
    }

    private void startAudit(Mode first) {
        if (!audit.isWritten()) {
            return;
        }
        for (String root : started.roots()) {
            audit.refuseBelow(root);
        }
        classifier.ownedDirectories().forEach(directory -> audit.refuseBelow(directory.path()));
        feed.observe("audit", audit::verdict);
        audit.attached(first.spelled());
        for (String error : started.errors()) {
            audit.refusal("configuration", Source.FILE, error);
        }
    }

    private void startControl() {
        try {
            control = ControlServer.open(new Requests(modes, status, this::dryRun, this::detach, rehearsed, log));
        } catch (IOException | RuntimeException refused) {
            errors.count(Part.CONTROL);
            log.line("status, mode and detach are not available: " + refused);
        }
    }

    private void tendControl() throws IOException {
        if (control != null) {
            control.tend();
        }
    }

    private String dryRun() {
        return new DryRun(instrumentation, configuration.options()).report(feed.owners());
    }

    private synchronized String detach() {
        if (detached) {
            return "ok detached already";
        }
        takeBack();
        log.line(version + " is detached");
        audit.detached();
        audit.close();
        log.close();
        FaultlineThreads.start("farewell", this::closeLoaderWhenIdle);
        return "ok detached";
    }

    /** Takes everything back, in the order in which the host notices least. The hook stays, for whoever comes next. */
    private synchronized void takeBack() {
        detached = true;
        modes.end();
        hook.rehearse(null);
        hook.tellEmptied(null);
        hook.release(sink);
        classifier.close(); // what is being read is left to end by itself
        if (jmxWatch != null) {
            jmxWatch.end();
        }
        if (housekeeping != null) {
            housekeeping.end();
        }
        if (configurationWatch != null) {
            configurationWatch.end();
        }
        if (outlets != null) {
            outlets.close();
        }
        if (control != null) {
            control.close();
        }
    }

    /** What has not ended yet, such as a check that hangs with its disk, still needs its classes. */
    private void closeLoaderWhenIdle() {
        try {
            while (classifier.isBusy()
                    || audit.isBusy()
                    || log.isBusy()
                    || housekeeping.isBusy()
                    || configurationWatch != null && configurationWatch.isBusy()) {
                TimeUnit.MILLISECONDS.sleep(FAREWELL_MILLIS);
            }
            events.end();
            if (outlets != null) {
                outlets.awaitEnd();
            }
        } catch (InterruptedException stranger) { // nobody of ours interrupts; then the jar stays open
            return;
        }
        Lifecycle.closeLoader();
    }
}
