package io.faultline.agent.core;

import io.faultline.agent.control.ControlServer;
import io.faultline.agent.kafka.KafkaAdapter;
import io.faultline.agent.metrics.AgentFigures;
import io.faultline.agent.metrics.AgentMeters;
import io.faultline.agent.metrics.Outlets;
import io.faultline.agent.weave.HookAccess;
import io.faultline.agent.weave.JmxWatch;
import io.faultline.agent.weave.Weaver;
import io.faultline.classifier.Accounts;
import io.faultline.classifier.Classification;
import io.faultline.classifier.ClassifierMetrics;
import io.faultline.classifier.DirectoryStatus;
import io.faultline.classifier.FailureClassifier;
import io.faultline.classifier.FailureFeed;
import io.faultline.classifier.FailureHints;
import io.faultline.classifier.FaultlineThreads;
import io.faultline.classifier.Hint;
import io.faultline.classifier.LogDirOwner;
import io.faultline.classifier.OwnerAction;
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
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;

/**
 * One attached agent: what it weaves, classifies, shows and answers, from attach to detach. Everything runs on threads of its own; no fault of one part stops another,
 * and none reaches the host.
 */
final class Agent {

    private static final long HOUSEKEEPING_NANOS = 1_000_000_000L;
    private static final int LOOKS_FOR_MISSED = 5;
    private static final double MILLIS = 1e6;

    private final Options options;
    private final AgentLog log;
    private final Instrumentation instrumentation;
    private final HookAccess hook;
    private final String version = Release.of(Lifecycle.jar());
    private final OwnErrors errors = new OwnErrors();
    private final DirectoryWatch directories = new DirectoryWatch();
    private final LongAdder selfChecks;

    /** Directories that owners were told to take offline. */
    private final Map<LogDirOwner, Set<String>> givenUp = new HashMap<>();

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
    private Outlets outlets;
    private Thread housekeeping;
    private final Instant configured = Instant.now();
    private volatile Mode mode = Mode.OFF;
    private volatile boolean detached;

    Agent(Options options, AgentLog log, Instrumentation instrumentation, HookAccess hook) {
        this.options = options;
        this.log = log;
        this.instrumentation = instrumentation;
        this.hook = hook;
        this.selfChecks = hook.counter("SELF_CHECKS");
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
        feed.act("log", this::report);
        feed.act("directories", directories::told);
        classifier = FailureClassifier.publishingTo(feed)
                .hints(hints)
                .roots(options.roots())
                .bytesPerSecond(options.bytesPerSecond())
                .policy(this::permit)
                .build();
        failures = new HintedFailures(hints, hook);
        sink = new FailureSink(classifier, path, failures, version);
        staleReads = new StaleReads(sink::nameOf);
        if (!hook.claim(sink)) {
            classifier.close();
            log.line(hook.attached() + " is attached already; " + version + " is not attached a second time");
            return false;
        }
        hook.tellEmptied(staleReads);
        weaver = new Weaver(instrumentation, options.rehearses(), this::notWoven, log::line);
        try {
            startAttached(path, began);
            return true;
        } catch (Throwable failed) { // half an agent that nobody can talk to would bar the way for the next one
            takeBack();
            throw failed;
        }
    }

    private void startAttached(Field path, long began) throws ReflectiveOperationException {
        Mode wanted = options.mode();
        if (wanted != Mode.OFF) {
            weaver.weave();
        }
        mode = wanted;
        long wovenAfter = System.nanoTime() - began;
        joinApplication();
        owners = new FoundOwners(List.of(new KafkaAdapter(log::line)), feed, log);
        owners.look();
        if (options.rehearses()) {
            rehearsed = new RehearsedFailures(path, hints);
            hook.rehearse(rehearsed);
        }
        String state = version + ": mode " + mode.spelled();
        if (wanted == Mode.OFF) {
            log.line(state + ", nothing is woven");
        } else if (selfCheck()) {
            log.line(String.format("%s, woven %.0f ms after loading", state, wovenAfter / MILLIS));
        }
        startMetrics();
        lookAtDirectories();
        housekeeping = FaultlineThreads.start("housekeeping", this::keepHouse);
        startControl(); // the last: whoever gets an answer finds everything in place
    }

    // ---- what is woven, and what it may do ----

    private synchronized String changeMode(Mode wanted) {
        if (detached) {
            return "error detached";
        }
        Mode before = mode;
        if (wanted == Mode.OFF) {
            weaver.unweave();
        } else {
            weaver.weave();
        }
        mode = wanted;
        if (before != wanted) {
            log.line("mode " + before.spelled() + " -> " + wanted.spelled());
        }
        if (before == Mode.OFF && wanted != Mode.OFF && !selfCheck()) {
            return "error mode " + wanted.spelled() + ", but the self-check failed; see the log";
        }
        return "ok mode " + wanted.spelled();
    }

    private OwnerAction permit(LogDirOwner owner, String directory) {
        if (mode != Mode.ACT) {
            return OwnerAction.OBSERVED;
        }
        return options.actsOnLastDirectory() || leavesAnother(owner, directory)
                ? OwnerAction.FED
                : OwnerAction.OBSERVED;
    }

    /** Directories that fail at once are judged one after the other, and each counts as gone before its owner says so. */
    private boolean leavesAnother(LogDirOwner owner, String directory) {
        synchronized (givenUp) {
            Set<String> ofOwner = givenUp.computeIfAbsent(owner, key -> new HashSet<>());
            boolean another = owner.directories().stream()
                    .anyMatch(other -> !other.equals(directory) && !ofOwner.contains(other) && !owner.isOffline(other));
            if (another) {
                ofOwner.add(directory);
            }
            return another;
        }
    }

    private void notWoven(String className, Throwable failure) {
        errors.count(Part.WEAVING);
        log.line("cannot weave " + className + ", its failures go unseen: " + failure);
    }

    /** Copies of the library that the application loaded before us cannot have found the hook. Those loaded from now on find it themselves. */
    private void joinApplication() throws ReflectiveOperationException {
        Module us = Agent.class.getModule();
        for (Class<?> loaded : instrumentation.getAllLoadedClasses()) {
            if (loaded.getName().equals("io.faultline.classifier.AgentLink") && loaded.getModule() != us) {
                try {
                    instrumentation.redefineModule(
                            loaded.getModule(),
                            Set.of(),
                            Map.of(loaded.getPackageName(), Set.of(us)),
                            Map.of(),
                            Set.of(),
                            Map.of());
                    loaded.getMethod("join", Collection.class, Collection.class)
                            .invoke(null, hook.consumers(), hook.owners());
                } catch (ReflectiveOperationException | RuntimeException | LinkageError otherVersion) {
                    errors.count(Part.APPLICATION);
                    log.line("a copy of the classifier library in " + loaded.getClassLoader()
                            + " cannot be told of verdicts: " + otherVersion);
                }
            }
        }
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

    private void report(Classification classification) {
        if (classification.verdict() == Verdict.DISK) {
            log.line(classification + "; "
                    + switch (classification.action()) {
                        case FED ->
                            "the directory is taken offline, "
                                    + Duration.between(classification.failedAt(), Instant.now())
                                            .toMillis() + " ms after the failure";
                        case NONE -> "nobody claims the directory, so nothing is taken offline";
                        case OBSERVED -> "observing only, the directory stays online";
                        case ALREADY -> "the directory is offline already";
                        case UNKNOWN, LIMITED, ERROR -> "the directory's owner says " + classification.action();
                    });
        } else if (classification.suspectedTransient()) {
            log.line("suspected transient media error, readable again: " + classification);
        }
    }

    private void startMetrics() {
        try {
            AgentMeters agentMeters = new AgentMeters(hook, new Figures());
            outlets = new Outlets(
                    new ClassifierMetrics(classifier, feed), agentMeters, new JmxWatch(instrumentation), log, errors);
            outlets.open(options.metricsHost(), options.metricsPort());
        } catch (RuntimeException | LinkageError failed) {
            errors.count(Part.METRICS);
            log.line("no metrics: " + failed);
        }
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
            return configured.getEpochSecond();
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

    // ---- housekeeping ----

    private void keepHouse() {
        int looks = 0;
        while (!detached) {
            LockSupport.parkNanos(this, HOUSEKEEPING_NANOS);
            if (looks++ < LOOKS_FOR_MISSED) {
                attempt(Part.WEAVING, weaver::weaveMissed);
            }
            attempt(Part.OWNERS, owners::look);
            attempt(Part.OWNERS, this::lookAtDirectories);
            if (outlets != null && !detached) {
                attempt(Part.METRICS, outlets::tend);
            }
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
        List<String> news = directories.look(classifier.ownedDirectories());
        if (outlets != null) {
            outlets.show(news);
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
            case "mode" -> {
                Mode wanted = words.length == 2 ? Mode.of(words[1]) : null;
                yield wanted == null
                        ? "error mode is " + request + "; accepted: act, observe, off"
                        : changeMode(wanted);
            }
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
        Accounts accounts = classifier.accounts();
        StringBuilder lines = new StringBuilder("ok\n");
        add(lines, "version", version);
        add(lines, "jar", Lifecycle.jar());
        add(lines, "hook.contract", hook.contract());
        add(lines, "mode", mode.spelled());
        Weaver.TARGETS.forEach(target -> add(lines, "woven." + target, weaver.hasWoven(target)));
        add(lines, "metrics.bound", boundPort());
        options.inForce().forEach((key, value) -> add(lines, "option." + key, value));
        add(lines, "transfers.socket", hook.counter("SOCKET_TRANSFERS").sum());
        add(lines, "transfers.other", hook.counter("OTHER_TRANSFERS").sum());
        add(lines, "reads.tls", hook.counter("TLS_READS").sum());
        add(lines, "failures.socket", hook.counter("SOCKET_FAILURES").sum());
        add(lines, "failures.other", hook.counter("OTHER_FAILURES").sum() - selfChecks.sum());
        add(lines, "failures.tls", hook.counter("TLS_FAILURES").sum());
        add(lines, "failures.plain", hook.counter("PLAIN_FAILURES").sum());
        add(lines, "ends-of-file.tls", hook.counter("TLS_ENDS_OF_FILE").sum());
        add(lines, "stale-prevented.tls", hook.counter("STALE_PREVENTED").sum());
        add(lines, "handed-over", accounts.handedOver());
        add(lines, "verdicts", accounts.verdicts());
        add(lines, "dropped", accounts.dropped());
        add(lines, "expired", accounts.expired());
        add(lines, "skipped", accounts.skipped());
        add(lines, "pending", accounts.pending());
        add(lines, "errors", errors.total() + classifier.ownErrors());
        add(lines, "log.suppressed", log.suppressed());
        for (DirectoryStatus directory : classifier.directories()) {
            String prefix = "directory." + directory.directory().path() + ".";
            directory
                    .verdicts()
                    .forEach((outcome, count) ->
                            add(lines, prefix + "verdicts." + outcome.verdict() + "." + outcome.reason(), count));
            directory.actions().forEach((action, count) -> add(lines, prefix + "actions." + action, count));
            add(lines, prefix + "pending", directory.pending());
            add(lines, prefix + "running-for-ms", directory.runningFor().toMillis());
            add(lines, prefix + "bytes-read", directory.bytesRead());
            add(lines, prefix + "suspected-transient", directory.suspectedTransient());
        }
        return lines.toString().strip();
    }

    private Object boundPort() {
        int port = outlets == null ? -1 : outlets.port();
        return port < 0 ? "none" : port;
    }

    private static void add(StringBuilder lines, String key, Object value) {
        lines.append(key).append('=').append(value).append('\n');
    }

    private synchronized String detach() {
        if (detached) {
            return "ok detached already";
        }
        takeBack();
        log.line(version + " is detached");
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
            while (classifier.isBusy() || housekeeping.isAlive()) {
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
