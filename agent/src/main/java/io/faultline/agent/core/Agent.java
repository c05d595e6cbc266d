package io.faultline.agent.core;

import io.faultline.agent.control.ControlServer;
import io.faultline.agent.jfr.FlightEvents;
import io.faultline.agent.kafka.KafkaAdapter;
import io.faultline.agent.metrics.AgentControlMBean;
import io.faultline.agent.metrics.AgentFigures;
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
import io.faultline.classifier.Hint;
import io.faultline.classifier.Verdict;
import java.io.IOException;
import java.lang.instrument.Instrumentation;
import java.lang.reflect.Field;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;

/**
 * One attached agent: what it weaves, classifies, shows and answers, from attach to detach. Everything runs on threads of its own; no fault of one part stops another,
 * and none reaches the host.
 */
final class Agent {

    private static final long HOUSEKEEPING_NANOS = 1_000_000_000L;
    private static final long CONFIGURATION_NANOS = 250_000_000L;
    private static final int LOOKS_FOR_MISSED = 5;
    private static final double MILLIS = 1e6;

    private final Configuration configuration;

    /** As they were when the agent started: for keys that cannot change. */
    private final Options started;

    private final AgentLog log;
    private final Instrumentation instrumentation;
    private final HookAccess hook;
    private final String version = Release.of(Lifecycle.jar());
    private final OwnErrors errors = new OwnErrors();
    private final DirectoryWatch directories = new DirectoryWatch();
    private final Repeats repeats = new Repeats();
    private final FlightEvents events = new FlightEvents();
    private final LongAdder selfChecks;
    private final ActionLimits limits;
    private final AuditFile auditFile;

    /** Null where nothing is written down. */
    private final Audit audit;

    private FailureHints hints;
    private FailureFeed feed;
    private FailureClassifier classifier;
    private FailureSink sink;
    private Weaver weaver;
    private FoundOwners owners;
    private RehearsedFailures rehearsed;
    private ControlServer control;
    private HintedFailures failures;
    private StaleReads staleReads;
    private JmxWatch jmxWatch;
    private Outlets outlets;
    private Thread housekeeping;

    /** Null where there is no file to watch. */
    private Thread configurationWatch;

    private volatile Mode mode = Mode.OFF;
    private volatile boolean detached;

    Agent(Configuration configuration, AgentLog log, Instrumentation instrumentation, HookAccess hook) {
        this.configuration = configuration;
        this.started = configuration.options();
        this.log = log;
        this.instrumentation = instrumentation;
        this.hook = hook;
        this.selfChecks = hook.counter("SELF_CHECKS");
        this.limits = new ActionLimits(
                () -> mode, configuration::options, directory -> owners != null && owners.holdsMetadata(directory));
        Path audited = started.auditFile();
        this.auditFile =
                audited == null ? null : new AuditFile(audited, new Identity(version, () -> jmxWatch), log, errors);
        this.audit = auditFile == null ? null : new Audit(auditFile, limits);
    }

    /**
     * Starts everything, the weaving first. What fails on the way takes back what was begun.
     *
     * @param began when the agent was loaded, as {@link System#nanoTime}
     * @return false if an agent is attached already, and then nothing was started
     */
    boolean start(long began) throws ReflectiveOperationException {
        Field path = Class.forName(Weaver.FILE_CHANNEL).getDeclaredField("path");
        path.setAccessible(true);
        FailureHints hints = FailureHints.learn();
        this.hints = hints;
        feed = new FailureFeed();
        feed.bridge(hook.consumers(), hook.owners());
        feed.act("agent", this::told);
        classifier = FailureClassifier.publishingTo(feed)
                .hints(hints)
                .roots(started.roots())
                .bytesPerSecond(() -> configuration.options().bytesPerSecond())
                .only(file -> configuration.options().checks(file))
                .policy(limits)
                .checks(events)
                .build();
        failures = new HintedFailures(hints, hook);
        sink = new FailureSink(classifier, path, failures, events, version);
        staleReads = new StaleReads(sink::nameOf);
        if (!hook.claim(sink)) {
            classifier.close();
            log.line(hook.attached() + " is attached already; " + version + " is not attached a second time");
            return false;
        }
        hook.tellEmptied(staleReads);
        weaver = new Weaver(instrumentation, started.rehearses(), this::notWoven, log::line);
        try {
            startAttached(path, began);
            return true;
        } catch (Throwable failed) { // half an agent that nobody can talk to would bar the way for the next one
            takeBack();
            throw failed;
        }
    }

    private void startAttached(Field path, long began) throws ReflectiveOperationException {
        Mode wanted = started.mode();
        if (wanted != Mode.OFF) {
            weaver.weave();
        }
        mode = wanted;
        long wovenAfter = System.nanoTime() - began;
        joinApplication();
        owners = new FoundOwners(List.of(new KafkaAdapter(log::warn)), feed, log);
        owners.look();
        if (started.rehearses()) {
            rehearsed = new RehearsedFailures(path, hints);
            hook.rehearse(rehearsed);
        }
        String state = version + ": mode " + mode.spelled();
        if (wanted == Mode.OFF) {
            log.line(state + ", nothing is woven");
        } else if (selfCheck()) {
            log.line(String.format("%s, woven %.0f ms after loading", state, wovenAfter / MILLIS));
        }
        jmxWatch = new JmxWatch(instrumentation);
        startMetrics();
        startAudit();
        lookAtDirectories();
        housekeeping = FaultlineThreads.start("housekeeping", this::keepHouse);
        if (configuration.hasFile()) {
            configurationWatch = FaultlineThreads.start("configuration", this::watchConfiguration);
        }
        startControl(); // the last: whoever gets an answer finds everything in place
    }

    private void startAudit() {
        if (audit == null) {
            return;
        }
        for (String root : started.roots()) {
            auditFile.refuseBelow(root);
        }
        classifier.ownedDirectories().forEach(directory -> auditFile.refuseBelow(directory.path()));
        feed.observe("audit", audit::verdict);
        audit.attached(mode.spelled());
        for (String error : started.errors()) {
            audit.refusal("configuration", Source.FILE, error);
        }
    }

    // ---- what is woven, and what it may do ----

    private synchronized String changeMode(Mode wanted, Source source) {
        if (detached) {
            return "error detached";
        }
        configuration.command(Key.MODE, wanted.spelled(), source);
        return enterMode(wanted, source);
    }

    private synchronized String enterMode(Mode wanted, Source source) {
        Mode before = mode;
        if (wanted == Mode.OFF) {
            weaver.unweave();
        } else {
            weaver.weave();
        }
        mode = wanted;
        if (before != wanted) {
            log.line("mode " + before.spelled() + " -> " + wanted.spelled() + ", by " + source.spelled());
            if (audit != null) {
                // The modes that were in force: with an error in the options that is not what they say.
                audit.change(new Change(Key.MODE, before.spelled(), wanted.spelled(), source, true));
            }
        }
        if (before == Mode.OFF && wanted != Mode.OFF && !selfCheck()) {
            return "error mode " + wanted.spelled() + ", but the self-check failed; see the log";
        }
        return "ok mode " + wanted.spelled();
    }

    private String changeMode(String spelled, Source source) {
        Mode wanted = Mode.of(spelled);
        if (wanted == null) {
            String why = "mode is " + spelled + "; accepted: act, observe, off";
            if (audit != null) {
                audit.refusal("mode " + spelled, source, why);
            }
            return "error " + why;
        }
        return changeMode(wanted, source);
    }

    private void notWoven(String className, Throwable failure) {
        errors.count(Part.WEAVING);
        log.line("cannot weave " + className + ", its failures go unseen: " + failure);
    }

    private void joinApplication() throws ReflectiveOperationException {
        new ApplicationCopies(instrumentation).join(hook.consumers(), hook.owners(), (loader, otherVersion) -> {
            errors.count(Part.APPLICATION);
            log.warn("a copy of the classifier library in " + loader + " cannot be told of verdicts: " + otherVersion);
        });
    }

    /** Says loudly what is wrong, if anything is. */
    private boolean selfCheck() {
        SelfCheck check = new SelfCheck(anyFile(), hints);
        sink.divert(check);
        String wrong;
        try {
            wrong = check.run();
        } finally {
            sink.divert(null);
            if (check.wasSeen()) {
                selfChecks.increment();
            }
        }
        if (wrong != null) {
            errors.count(Part.WEAVING);
            log.line(version + ": mode " + mode.spelled() + ". SELF-CHECK FAILED, failures may go unseen: " + wrong);
        }
        return wrong == null;
    }

    /** The JDK's own image, which is there as long as the JVM runs; our jar may have been replaced by a newer one. */
    private static Path anyFile() {
        Path image = Path.of(System.getProperty("java.home"), "lib", "modules");
        return Files.isReadable(image) ? image : Lifecycle.jar();
    }

    // ---- what people see ----

    /** The one actor of the agent's own: first what counts, then the line. */
    private void told(Classification classification) {
        directories.told(classification);
        limits.told(classification);
        events.verdict(classification, limits.reasonOf(classification));
        report(classification);
    }

    private void report(Classification classification) {
        boolean disk = classification.verdict() == Verdict.DISK;
        if (!disk && !classification.suspectedTransient()) {
            return;
        }
        String why = limits.reasonOf(classification);
        long times = repeats.news(classification, why);
        if (times == 0) {
            log.suppress();
            return;
        }
        String again = times == 1 ? "" : " (" + times + " times since this was last said)";
        log.warn(
                disk
                        ? classification + "; " + done(classification, why) + again
                        : "suspected transient media error, readable again: " + classification + again);
    }

    private static String done(Classification classification, String why) {
        return switch (classification.action()) {
            case FED ->
                "the directory is taken offline, "
                        + Duration.between(classification.failedAt(), Instant.now())
                                .toMillis() + " ms after the failure";
            case NONE -> "nobody claims the directory, so nothing is taken offline";
            case OBSERVED -> "observing only (" + why + "), the directory stays online";
            case LIMITED -> "LIMITED (" + why + "), the directory stays online";
            case ALREADY -> "the directory is offline already";
            case UNKNOWN, ERROR -> "the directory's owner says " + classification.action();
        };
    }

    private void startMetrics() {
        try {
            Figures figures = new Figures();
            outlets = new Outlets(
                    new ClassifierMetrics(classifier, feed),
                    new AgentMeters(hook, figures),
                    new Control(),
                    jmxWatch,
                    log,
                    errors);
            outlets.open(started, started.metricsPort() < 0 ? null : remembering(figures));
        } catch (RuntimeException | LinkageError failed) {
            errors.count(Part.METRICS);
            log.line("no metrics: " + failed);
        }
    }

    private CurrentStatus remembering(AgentFigures figures) {
        SeenFailures seen = new SeenFailures();
        feed.act("status-page", seen);
        return new CurrentStatus(figures, directories, classifier, seen);
    }

    private long errors(Part part) {
        return errors.of(part) + (part == Part.CHECKS ? classifier.ownErrors() : 0);
    }

    /** What the meters read. */
    private final class Figures implements AgentFigures {

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
            return mode == Mode.of(spelled);
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
            return Agent.this.errors(Part.valueOf(part.toUpperCase(Locale.ROOT)));
        }

        @Override
        public long suppressedLines() {
            return log.suppressed();
        }
    }

    /** What can be asked and changed over JMX. */
    private final class Control implements AgentControlMBean {

        @Override
        public String getMode() {
            return mode.spelled();
        }

        @Override
        public void setMode(String wanted) {
            String answer = changeMode(wanted, Source.JMX);
            if (answer.startsWith("error ")) {
                throw new IllegalArgumentException(answer.substring("error ".length()));
            }
        }

        @Override
        public String getVersion() {
            return version;
        }

        @Override
        public String status() {
            return Agent.this.status();
        }
    }

    // ---- housekeeping ----

    private void keepHouse() {
        int looks = 0;
        while (!detached) {
            LockSupport.parkNanos(this, HOUSEKEEPING_NANOS);
            if (looks++ < LOOKS_FOR_MISSED) {
                attempt(Part.WEAVING, weaver::weaveMissed);
            }
            attempt(Part.JFR, events::tend);
            attempt(Part.OWNERS, owners::look);
            attempt(Part.OWNERS, this::lookAtDirectories);
            if (outlets != null && !detached) {
                attempt(Part.METRICS, outlets::tend);
            }
            attempt(Part.CONTROL, this::tendControl);
            log.tend();
        }
    }

    private void tendControl() {
        if (control != null && !detached) {
            try {
                control.tend();
            } catch (IOException notNow) { // tried again in a second
                errors.count(Part.CONTROL);
            }
        }
    }

    /** On a thread of its own, since the file may lie on a disk that hangs. */
    private void watchConfiguration() {
        while (!detached) {
            LockSupport.parkNanos(this, CONFIGURATION_NANOS);
            attempt(Part.CONFIG, this::lookAtConfiguration);
        }
    }

    private void lookAtConfiguration() {
        Configuration.Look look = configuration.look();
        for (String error : look.errors()) {
            errors.count(Part.CONFIG);
            log.warn(error);
            if (audit != null) {
                audit.refusal("configuration", Source.FILE, error);
            }
        }
        for (Change change : look.changes()) {
            configurationChanged(change);
        }
    }

    private synchronized void configurationChanged(Change change) {
        if (detached) {
            return;
        }
        if (change.key() == Key.MODE) {
            enterMode(configuration.options().mode(), change.source());
        } else {
            if (audit != null) {
                audit.change(change);
            }
            Key key = change.key();
            log.line(key.spelled() + " " + key.shown(change.from()) + " -> " + key.shown(change.to()) + ", by "
                    + change.source().spelled()
                    + (change.inForce() ? "" : ". It takes effect when the agent is started anew"));
        }
    }

    /** A part that fails is tried again in a second, and holds up no other. */
    private void attempt(Part part, Runnable work) {
        try {
            work.run();
        } catch (Throwable failed) {
            errors.count(part);
        }
    }

    private void lookAtDirectories() {
        DirectoryWatch.Looked looked = directories.look(classifier.ownedDirectories());
        if (outlets != null) {
            outlets.show(looked.found());
        }
        if (auditFile != null) {
            looked.found().forEach(auditFile::refuseBelow);
        }
        for (DirectoryWatch.Watched directory : looked.wentOffline()) {
            String by = directory.offlineBy().name().toLowerCase(Locale.ROOT);
            events.offline(directory.path(), directory.owner(), by);
            if (directory.offlineBy() == DirectoryWatch.By.OWNER) {
                log.line(directory.path() + " is offline, not by Faultline but by " + directory.owner() + " itself");
            }
        }
        staleReads.sort(classifier);
    }

    // ---- the command line's requests ----

    private void startControl() {
        try {
            control = ControlServer.open(this::answer);
        } catch (IOException | RuntimeException refused) {
            errors.count(Part.CONTROL);
            log.line("status, mode and detach are not available: " + refused);
        }
    }

    private String answer(String request) {
        String[] words = request.split("\t");
        return switch (words[0]) {
            case "status" -> status();
            case "mode" -> changeMode(words.length == 2 ? words[1] : "", Source.COMMAND_LINE);
            case "check" -> new DryRun(instrumentation, configuration.options()).report(feed.owners());
            case "detach" -> detach();
            case "rehearse" -> rehearse(words);
            default -> "error unknown request " + words[0];
        };
    }

    private String rehearse(String[] words) {
        if (rehearsed == null) {
            return "error failures are rehearsed only in a JVM that was started with rehearse=on";
        }
        if (words.length == 2 && words[1].equals("heal")) {
            rehearsed.clear();
            log.line("rehearsal: healed");
            return "ok healed";
        }
        try {
            rehearsed.add(Path.of(words[1]), Long.parseLong(words[2]), Long.parseLong(words[3]));
            log.line("rehearsal: reads of " + words[1] + " fail from " + words[2] + " for " + words[3] + " bytes");
            return "ok";
        } catch (RuntimeException malformed) {
            return "error accepted: a file, a position and a count";
        }
    }

    private String status() {
        StatusLines lines = new StatusLines();
        lines.add("version", version);
        lines.add("jar", Lifecycle.jar());
        lines.add("hook.contract", hook.contract());
        lines.add("mode", mode.spelled());
        Weaver.TARGETS.forEach(target -> lines.add("woven." + target, weaver.hasWoven(target)));
        int port = outlets == null ? -1 : outlets.port();
        lines.add("metrics.bound", port < 0 ? "none" : port);
        lines.options(configuration.options());
        lines.add("transfers.socket", hook.counter("SOCKET_TRANSFERS").sum());
        lines.add("transfers.other", hook.counter("OTHER_TRANSFERS").sum());
        lines.add("reads.tls", hook.counter("TLS_READS").sum());
        lines.add("failures.socket", hook.counter("SOCKET_FAILURES").sum());
        lines.add("failures.other", hook.counter("OTHER_FAILURES").sum() - selfChecks.sum());
        lines.add("failures.tls", hook.counter("TLS_FAILURES").sum());
        lines.add("failures.plain", hook.counter("PLAIN_FAILURES").sum());
        lines.add("ends-of-file.tls", hook.counter("TLS_ENDS_OF_FILE").sum());
        lines.add("stale-prevented.tls", hook.counter("STALE_PREVENTED").sum());
        lines.accounts(classifier.accounts());
        lines.add("excluded", classifier.excluded());
        lines.add("errors", errors.total() + classifier.ownErrors());
        for (Part part : Part.values()) {
            lines.add("errors." + part.spelled(), errors(part));
        }
        lines.add("log.suppressed", log.suppressed());
        directories.all().forEach(lines::directory);
        classifier.directories().forEach(lines::checks);
        return "ok\n" + lines;
    }

    private synchronized String detach() {
        if (detached) {
            return "ok detached already";
        }
        takeBack();
        log.line(version + " is detached");
        if (audit != null) {
            audit.detached();
            auditFile.close();
        }
        log.close();
        FaultlineThreads.start("farewell", this::closeLoaderWhenIdle);
        return "ok detached";
    }

    /** Takes everything back, in the order in which the host notices least. The hook stays, for whoever comes next. */
    private synchronized void takeBack() {
        detached = true;
        weaver.unweave();
        mode = Mode.OFF;
        hook.rehearse(null);
        hook.tellEmptied(null);
        hook.release(sink);
        classifier.close(); // what is being read is left to end by itself
        if (jmxWatch != null) {
            jmxWatch.end();
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
                    || auditFile != null && auditFile.isBusy()
                    || housekeeping.isAlive()
                    || configurationWatch != null && configurationWatch.isAlive()) {
                TimeUnit.MILLISECONDS.sleep(50);
            }
            if (outlets != null) {
                outlets.awaitEnd();
            }
        } catch (InterruptedException stranger) { // nobody of ours interrupts; then the jar stays open
            return;
        }
        Lifecycle.closeLoader();
    }
}
