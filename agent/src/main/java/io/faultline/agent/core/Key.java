package io.faultline.agent.core;

import java.io.File;
import java.nio.file.FileSystems;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import java.util.regex.PatternSyntaxException;

/** The keys of the options, each with its default, what is accepted, what it does, and whether it can change while the agent runs. */
public enum Key {
    /** What the agent may do. */
    MODE("mode", "act", "act, observe or off", "observe takes nothing offline; off weaves nothing", true),
    /** Where metrics are served over HTTP. */
    METRICS_PORT(
            "metrics.port",
            "",
            "a port, 0 for any free one; unset for no HTTP",
            "serves metrics and the status page",
            false),
    /** The address that {@code metrics.port} binds. */
    METRICS_HOST("metrics.host", "127.0.0.1", "a host name or address to bind", "what metrics.port binds", false),
    /** Where the agent's own lines go. */
    LOG(
            "log",
            "stderr",
            "stderr, slf4j or a file",
            "where the agent's lines go, at most 20 a minute; slf4j is the host's own",
            false),
    /** A file with more options. */
    CONFIG(
            "config",
            "",
            "a properties file",
            "more options; watched, so that a change takes effect within a second",
            false),
    /** How many directories may be taken offline in a while. */
    ACT_MAX_DIRECTORIES(
            "act.max.directories",
            "1",
            "a number, at least 1",
            "how many directories may be taken offline within act.window; further ones are only reported, as limited",
            true),
    /** The while. */
    ACT_WINDOW("act.window", "1h", "a number with s, m, h or d, such as 30m", "see act.max.directories", true),
    /** Whether the last directory of an owner is taken offline too. */
    ACT_LAST_DIR(
            "act.last-dir",
            "act",
            "act or observe",
            "whether the last directory of a server is taken offline too, which ends Kafka",
            true),
    /** Whether a directory that holds a metadata log is taken offline too. */
    ACT_METADATA_DIR(
            "act.metadata-dir",
            "act",
            "act or observe",
            "whether a directory that holds Kafka's metadata log is taken offline too, which ends the node",
            true),
    /** The only directories that are taken offline. */
    ACT_DIRS(
            "act.dirs",
            "",
            Key.PATTERNS,
            "directories that may be taken offline; all others are only observed. Unset for all",
            true),
    /** Directories that are not taken offline. */
    OBSERVE_DIRS("observe.dirs", "", Key.PATTERNS, "directories that are only observed", true),
    /** The only files that are checked. */
    INCLUDE("include", "", Key.PATTERNS, "files whose failures are checked. Unset for all", true),
    /** Files that are not checked. */
    EXCLUDE(
            "exclude",
            "",
            Key.PATTERNS,
            "files, or all below a directory, whose failures are counted but not checked",
            true),
    /** Directories that fail on their own though no owner claims them. */
    ROOTS(
            "roots",
            "",
            "directories, separated by " + File.pathSeparator,
            "directories that fail on their own where no owner claims them; else the mount point counts",
            false),
    /** How much may be re-read per second and directory. */
    CHECK_RATE("check.rate", "64", "MiB per second and directory, at least 1", "how much may be re-read", true),
    /** Where what was done is written down. */
    AUDIT_FILE(
            "audit.file",
            "",
            "a file outside of every watched directory",
            "JSON lines: verdicts that acted or would have, refusals, changes, attach and detach; at most 5 times 10 MiB",
            false),
    /** Where metrics are sent. */
    OTLP_URL(
            "otlp.url",
            "",
            "an http or https URL, such as http://collector:4318/v1/metrics",
            "sends metrics over OTLP; unset for none",
            false),
    /** How often metrics are sent. */
    OTLP_INTERVAL("otlp.interval", "60s", "a number with s, m, h or d", "how often metrics are sent over OTLP", false),
    /** What is sent along. */
    OTLP_HEADERS(
            "otlp.headers", "", "name:value pairs, separated by ;", "HTTP headers for OTLP, such as a token", false),
    /** Who sends. */
    OTLP_RESOURCE(
            "otlp.resource",
            "service.name:faultline",
            "name:value pairs, separated by ;",
            "resource attributes for OTLP",
            false),
    /** Whether failures may be rehearsed. */
    REHEARSE("rehearse", "off", "off or on", "on lets the command line make reads fail", false);

    private static final String PATTERNS = "path patterns with *, ** and ?, separated by :";
    private static final int MOST_PORT = 65_535;
    private static final int MOST_DIRECTORIES = 1_000_000;
    private static final int MOST_RATE = 1 << 20;

    private final String spelled;
    private final String byDefault;
    private final String accepted;
    private final String meaning;
    private final boolean live;

    Key(String spelled, String byDefault, String accepted, String meaning, boolean live) {
        this.spelled = spelled;
        this.byDefault = byDefault;
        this.accepted = accepted;
        this.meaning = meaning;
        this.live = live;
    }

    /**
     * The key as it is written.
     *
     * @return the key
     */
    public String spelled() {
        return spelled;
    }

    /**
     * The value without which the agent starts.
     *
     * @return the default, "" for unset
     */
    public String byDefault() {
        return byDefault;
    }

    /**
     * What may be given.
     *
     * @return a description for people
     */
    public String accepted() {
        return accepted;
    }

    /**
     * What it does.
     *
     * @return a description for people
     */
    public String meaning() {
        return meaning;
    }

    /**
     * Says whether it can change while the agent runs.
     *
     * @return false if a change needs a restart of the host, or the agent to be attached anew
     */
    public boolean isLive() {
        return live;
    }

    /**
     * A value as people may see it.
     *
     * @param value the value
     * @return the value, or *** for one that may hold a secret
     */
    public String shown(String value) {
        return this == OTLP_HEADERS && !value.isEmpty() ? "***" : value;
    }

    /** Says whether a value may be given. A switch and not a function for each key: those would be made when the host starts. */
    boolean accepts(String value) {
        return switch (this) {
            case MODE -> Mode.of(value) != null;
            case METRICS_PORT -> value.isEmpty() || isBetween(value, 0, MOST_PORT);
            case METRICS_HOST -> !value.isEmpty();
            case LOG -> !value.isEmpty() && isPath(value);
            case CONFIG -> true; // judged when it is read
            case ACT_MAX_DIRECTORIES -> isBetween(value, 1, MOST_DIRECTORIES);
            case ACT_WINDOW, OTLP_INTERVAL -> duration(value) != null;
            case ACT_LAST_DIR, ACT_METADATA_DIR -> value.equals("act") || value.equals("observe");
            case ACT_DIRS, OBSERVE_DIRS, INCLUDE, EXCLUDE -> arePatterns(value);
            case ROOTS, AUDIT_FILE -> isPath(value);
            case CHECK_RATE -> isBetween(value, 1, MOST_RATE);
            case OTLP_URL -> value.isEmpty() || value.matches("https?://.+");
            case OTLP_HEADERS, OTLP_RESOURCE -> value.isEmpty() || value.matches("[^:;]+:[^;]*(;[^:;]+:[^;]*)*");
            case REHEARSE -> value.equals("on") || value.equals("off");
        };
    }

    static Key of(String spelled) {
        for (Key key : values()) {
            if (key.spelled.equals(spelled)) {
                return key;
            }
        }
        return null;
    }

    /** The environment variable that gives it. */
    String environment(String prefix) {
        return prefix + spelled.toUpperCase(Locale.ROOT).replace('.', '_').replace('-', '_');
    }

    /** A number with a unit as a duration, or null if it is none or nothing. */
    static Duration duration(String value) {
        if (!value.matches("\\d{1,6}[smhd]")) {
            return null;
        }
        long number = Long.parseLong(value.substring(0, value.length() - 1));
        Duration duration = switch (value.charAt(value.length() - 1)) {
            case 's' -> Duration.ofSeconds(number);
            case 'm' -> Duration.ofMinutes(number);
            case 'h' -> Duration.ofHours(number);
            default -> Duration.ofDays(number);
        };
        return duration.isZero() ? null : duration;
    }

    private static boolean arePatterns(String value) {
        try {
            for (String pattern : PathPatterns.split(value)) {
                FileSystems.getDefault().getPathMatcher("glob:" + pattern);
            }
            return true;
        } catch (PatternSyntaxException noPattern) {
            return false;
        }
    }

    private static boolean isBetween(String value, int least, int most) {
        try {
            int number = Integer.parseInt(value);
            return number >= least && number <= most;
        } catch (NumberFormatException noNumber) {
            return false;
        }
    }

    private static boolean isPath(String value) {
        try {
            Path.of(value);
            return true;
        } catch (InvalidPathException noPath) {
            return false;
        }
    }
}
