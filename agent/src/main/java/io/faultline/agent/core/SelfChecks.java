package io.faultline.agent.core;

import io.faultline.agent.weave.HookAccess;
import io.faultline.classifier.FailureHints;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.LongAdder;

/** Runs a {@link SelfCheck} whenever something was woven, keeps it out of the host's accounts, and says loudly what is wrong. One at a time. */
final class SelfChecks {

    private final String version;
    private final FailureSink sink;
    private final FailureHints hints;
    private final LongAdder seen;
    private final OwnErrors errors;
    private final AgentLog log;

    SelfChecks(String version, FailureSink sink, FailureHints hints, HookAccess hook, OwnErrors errors, AgentLog log) {
        this.version = version;
        this.sink = sink;
        this.hints = hints;
        this.seen = hook.counter("SELF_CHECKS");
        this.errors = errors;
        this.log = log;
    }

    /**
     * Runs a check.
     *
     * @param mode what is in force, for the line
     * @return whether all is well
     */
    boolean pass(Mode mode) {
        SelfCheck check = new SelfCheck(anyFile(), hints);
        sink.divert(check);
        String wrong;
        try {
            wrong = check.run();
        } finally {
            sink.divert(null);
            if (check.wasSeen()) {
                seen.increment();
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
}
