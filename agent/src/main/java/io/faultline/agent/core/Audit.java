package io.faultline.agent.core;

import io.faultline.classifier.Classification;
import io.faultline.classifier.OwnerAction;
import io.faultline.classifier.Verdict;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/** What is worth an entry in the {@link AuditFile}, and what an entry holds. Does nothing where there is no file. */
final class Audit implements AutoCloseable {

    /** Null where nothing is written down. */
    private final AuditFile file;

    private final ActionLimits limits;
    private final Repeats repeats = new Repeats();

    /**
     * Makes one that has written nothing.
     *
     * @param file null where nothing is to be written down
     */
    Audit(AuditFile file, ActionLimits limits) {
        this.file = file;
        this.limits = limits;
    }

    /** Says whether anything is written down. */
    boolean isWritten() {
        return file != null;
    }

    /** As {@link AuditFile#refuseBelow}. */
    void refuseBelow(String directory) {
        if (file != null) {
            file.refuseBelow(directory);
        }
    }

    /** A verdict that acted, or would have. Those that nobody could act upon, and those on peers, are counted only. */
    void verdict(Classification verdict) {
        if (verdict.verdict() != Verdict.DISK) {
            return;
        }
        boolean leftAlone = verdict.action() == OwnerAction.OBSERVED || verdict.action() == OwnerAction.LIMITED;
        String why = leftAlone ? limits.reasonOf(verdict) : null;
        long times = repeats.news(verdict, why);
        if (times == 0) {
            return;
        }
        Map<String, Object> facts = new LinkedHashMap<>();
        facts.put("verdict", spelled(verdict.verdict()));
        facts.put("reason", spelled(verdict.reason()));
        facts.put("action", spelled(verdict.action()));
        facts.put("because", why);
        facts.put("times", times);
        facts.put("directory", verdict.directory());
        facts.put("owner", verdict.owner());
        facts.put("file", verdict.file());
        facts.put("position", verdict.region().position());
        facts.put("count", verdict.region().count());
        facts.put("unreadableAt", verdict.unreadablePosition() < 0 ? null : verdict.unreadablePosition());
        facts.put("target", spelled(verdict.targetKind()));
        facts.put("hint", spelled(verdict.hint()));
        facts.put("device", orNull(verdict.mount().device()));
        facts.put("fileSystem", orNull(verdict.mount().fileSystemType()));
        facts.put("mountPoint", orNull(verdict.mount().point()));
        facts.put("failedAt", verdict.failedAt().toString());
        facts.put("waitedMs", verdict.waited().toMillis());
        facts.put("tookMs", verdict.took().toMillis());
        facts.put("transferFailure", text(verdict.transferFailure()));
        facts.put("readFailure", text(verdict.readFailure()));
        write(leftAlone ? "verdict-not-acted-upon" : "verdict", facts);
    }

    /** Something that was asked for and not done. */
    void refusal(String what, Source source, String why) {
        Map<String, Object> facts = new LinkedHashMap<>();
        facts.put("what", what);
        facts.put("source", source.spelled());
        facts.put("why", why);
        write("refusal", facts);
    }

    /** A change of the configuration. */
    void change(Change change) {
        Map<String, Object> facts = new LinkedHashMap<>();
        facts.put("key", change.key().spelled());
        facts.put("from", change.key().shown(change.from()));
        facts.put("to", change.key().shown(change.to()));
        facts.put("source", change.source().spelled());
        facts.put("inForce", change.inForce());
        write(change.key() == Key.MODE ? "mode" : "config", facts);
    }

    void attached(String mode) {
        write("attach", Map.of("mode", mode));
    }

    void detached() {
        write("detach", Map.of());
    }

    /** Takes no further entry. What waits is still written; does not wait for that. */
    @Override
    public void close() {
        if (file != null) {
            file.close();
        }
    }

    /** Says whether entries may still be written. */
    boolean isBusy() {
        return file != null && file.isBusy();
    }

    private void write(String event, Map<String, ?> facts) {
        if (file != null) {
            file.write(event, facts);
        }
    }

    private static String spelled(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT);
    }

    private static String orNull(String text) {
        return text.isEmpty() ? null : text;
    }

    private static String text(Throwable failure) {
        return failure == null ? null : failure.toString();
    }
}
