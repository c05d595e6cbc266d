package io.faultline.agent.status;

import com.fasterxml.jackson.jr.ob.JSON;
import io.faultline.classifier.Accounts;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/** The facts of the {@link StatusPage}, for programs. Durations are in seconds, moments in ISO 8601, what is not known is null. */
public final class StatusJson {

    private static final double MILLIS = 1e3;

    private StatusJson() {}

    /**
     * Makes the text.
     *
     * @param now what to show
     * @return a JSON object
     */
    public static String of(Snapshot now) {
        try {
            return JSON.std
                    .with(JSON.Feature.PRETTY_PRINT_OUTPUT, JSON.Feature.WRITE_NULL_PROPERTIES)
                    .asString(facts(now));
        } catch (IOException impossible) { // it writes to memory
            throw new UncheckedIOException(impossible);
        }
    }

    private static Map<String, Object> facts(Snapshot now) {
        Headline headline = Headline.of(now);
        Map<String, Object> facts = new LinkedHashMap<>();
        facts.put("at", now.at().toString());
        facts.put("level", headline.level().key());
        facts.put("headline", headline.sentence());
        facts.put("details", headline.details());
        facts.put("host", orNull(now.host()));
        facts.put("pid", now.pid());
        facts.put("version", now.version());
        facts.put("attached_at", now.since().toString());
        facts.put("mode", now.mode());
        facts.put("ready", now.isReady());
        facts.put("woven", now.woven());
        facts.put("agent_errors", now.errors());
        facts.put("failures", accounts(now.accounts()));
        facts.put(
                "directories",
                now.directories().stream().map(StatusJson::directory).toList());
        facts.put(
                "latest_failures",
                now.latest().stream().map(seen -> failure(seen, now)).toList());
        Map<String, Object> lastHour = new LinkedHashMap<>();
        for (Kind kind : Kind.values()) {
            lastHour.put(kind.key(), now.lastHour().of(kind));
        }
        facts.put("last_hour_by_minute", lastHour);
        return facts;
    }

    private static Map<String, Object> accounts(Accounts accounts) {
        Map<String, Object> counts = new LinkedHashMap<>();
        counts.put("handed_over", accounts.handedOver());
        counts.put("verdicts", accounts.verdicts());
        counts.put("dropped", accounts.dropped());
        counts.put("expired", accounts.expired());
        counts.put("skipped", accounts.skipped());
        counts.put("pending", accounts.pending());
        return counts;
    }

    private static Map<String, Object> directory(Directory directory) {
        Map<String, Object> facts = new LinkedHashMap<>();
        facts.put("path", directory.path());
        facts.put("owner", directory.owner());
        facts.put("state", directory.state().key());
        facts.put(
                "offline_by",
                directory.state() != Directory.State.OFFLINE
                        ? null
                        : directory.takenOfflineByFaultline() ? "faultline" : "owner");
        facts.put("device", orNull(directory.mount().device()));
        facts.put("file_system", orNull(directory.mount().fileSystemType()));
        facts.put("mount_point", orNull(directory.mount().point()));
        facts.put("pending", directory.pending());
        facts.put("oldest_pending_seconds", seconds(directory.oldest()));
        facts.put("disk_verdicts", directory.diskVerdicts());
        facts.put("suspected_transient", directory.suspectedTransient());
        return facts;
    }

    private static Map<String, Object> failure(SeenFailure seen, Snapshot now) {
        Map<String, Object> facts = new LinkedHashMap<>();
        facts.put("at", seen.at().toString());
        facts.put("age_seconds", seconds(Duration.between(seen.at(), now.at())));
        facts.put("times", seen.times());
        facts.put("verdict", lowerCase(seen.verdict()));
        facts.put("reason", lowerCase(seen.reason()));
        facts.put("action", lowerCase(seen.action()));
        facts.put("suspected_transient", seen.suspectedTransient());
        facts.put("directory", orNull(seen.directory()));
        facts.put("file", seen.file());
        facts.put("position", seen.region().position());
        facts.put("count", seen.region().count());
        facts.put("unreadable_at", seen.unreadableAt() < 0 ? null : seen.unreadableAt());
        facts.put("device", orNull(seen.mount().device()));
        facts.put("failure", orNull(seen.text()));
        return facts;
    }

    private static double seconds(Duration duration) {
        return duration.toMillis() / MILLIS;
    }

    private static String lowerCase(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT);
    }

    private static String orNull(String text) {
        return text.isEmpty() ? null : text;
    }
}
