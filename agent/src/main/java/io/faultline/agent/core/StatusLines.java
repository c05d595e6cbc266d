package io.faultline.agent.core;

import io.faultline.classifier.Accounts;
import io.faultline.classifier.DirectoryStatus;
import java.util.Locale;

/** The answer to the command line's {@code status}: a key and a value on each line, in an order that people can read. */
final class StatusLines {

    private final StringBuilder lines = new StringBuilder();

    void add(String key, Object value) {
        lines.append(key).append('=').append(value).append('\n');
    }

    /** What is in force, and where from. */
    void options(Options options) {
        for (Key key : Key.values()) {
            Options.Setting setting = options.setting(key);
            add("option." + key.spelled(), key.shown(setting.value()));
            add("source." + key.spelled(), setting.source().spelled());
        }
    }

    void accounts(Accounts accounts) {
        add("handed-over", accounts.handedOver());
        add("verdicts", accounts.verdicts());
        add("dropped", accounts.dropped());
        add("expired", accounts.expired());
        add("skipped", accounts.skipped());
        add("pending", accounts.pending());
    }

    void directory(DirectoryWatch.Watched watched) {
        String prefix = "directory." + watched.path() + ".";
        add(prefix + "owner", watched.owner());
        String by = watched.offlineBy() == null
                ? "no"
                : "by " + watched.offlineBy().name().toLowerCase(Locale.ROOT);
        add(prefix + "offline", by);
        add(prefix + "would-be-offline", watched.wouldBeOffline());
    }

    void checks(DirectoryStatus directory) {
        String prefix = "directory." + directory.directory().path() + ".";
        directory
                .verdicts()
                .forEach((outcome, count) ->
                        add(prefix + "verdicts." + outcome.verdict() + "." + outcome.reason(), count));
        directory.actions().forEach((action, count) -> add(prefix + "actions." + action, count));
        add(prefix + "pending", directory.pending());
        add(prefix + "running-for-ms", directory.runningFor().toMillis());
        add(prefix + "bytes-read", directory.bytesRead());
        add(prefix + "suspected-transient", directory.suspectedTransient());
    }

    @Override
    public String toString() {
        return lines.toString().strip();
    }
}
