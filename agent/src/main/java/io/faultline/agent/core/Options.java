package io.faultline.agent.core;

import java.io.File;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What the operator asked for, as of some moment. Immutable. {@link Configuration} says where it comes from.
 *
 * <p>Nothing here throws: a wrong key or value is a line in {@link #errors}, and the key keeps its default. As long as there is an error the mode is no more
 * than {@link Mode#OBSERVE}: what the operator meant is not known, so nothing is taken offline.
 */
public final class Options {

    private static final long MEBI = 1L << 20;

    private final Map<Key, Setting> settings;
    private final List<String> errors;
    private final PathPatterns actDirs;
    private final PathPatterns observeDirs;
    private final PathPatterns include;
    private final PathPatterns exclude;

    /**
     * A value that was given.
     *
     * @param value the value
     * @param source where it is from
     */
    public record Setting(String value, Source source) {}

    /**
     * Makes options.
     *
     * @param settings what was given and accepted
     * @param errors what was not
     */
    Options(Map<Key, Setting> settings, List<String> errors) {
        this.settings = new EnumMap<>(Key.class);
        this.settings.putAll(settings);
        this.errors = List.copyOf(errors);
        this.actDirs = PathPatterns.of(value(Key.ACT_DIRS));
        this.observeDirs = PathPatterns.of(value(Key.OBSERVE_DIRS));
        this.include = PathPatterns.of(value(Key.INCLUDE));
        this.exclude = PathPatterns.of(value(Key.EXCLUDE));
    }

    /**
     * Reads options once, without watching anything.
     *
     * @param arguments the agent's argument, or null
     * @param properties the system properties
     * @param environment the environment
     * @return the options
     */
    static Options read(String arguments, Map<String, String> properties, Map<String, String> environment) {
        return new Configuration(arguments, properties, environment).options();
    }

    /** These with one setting more. */
    Options with(Key key, Setting setting) {
        Map<Key, Setting> more = new EnumMap<>(settings);
        more.put(key, setting);
        return new Options(more, errors);
    }

    /**
     * What was wrong, a line each.
     *
     * @return the errors, empty if all is well
     */
    public List<String> errors() {
        return errors;
    }

    /**
     * A value and its source.
     *
     * @param key the key
     * @return what was given, else the default
     */
    public Setting setting(Key key) {
        return settings.getOrDefault(key, new Setting(key.byDefault(), Source.DEFAULT));
    }

    /**
     * What is in force, for people.
     *
     * @return every key with its value
     */
    public Map<String, String> inForce() {
        Map<String, String> all = new LinkedHashMap<>();
        for (Key key : Key.values()) {
            all.put(key.spelled(), key.shown(value(key)));
        }
        return all;
    }

    /**
     * The mode that is wanted.
     *
     * @return the mode
     */
    public Mode mode() {
        Mode mode = Mode.of(value(Key.MODE));
        return mode == Mode.ACT && !errors.isEmpty() ? Mode.OBSERVE : mode;
    }

    /**
     * Where to serve metrics.
     *
     * @return the port, 0 for any, -1 for none
     */
    public int metricsPort() {
        String port = value(Key.METRICS_PORT);
        return port.isEmpty() ? -1 : Integer.parseInt(port);
    }

    /**
     * The address to serve metrics on.
     *
     * @return a host name or address
     */
    public String metricsHost() {
        return value(Key.METRICS_HOST);
    }

    /**
     * Where the agent's lines go.
     *
     * @return a file, or null for standard error or the host's logging
     */
    public Path log() {
        String log = value(Key.LOG);
        return log.equals(Key.LOG.byDefault()) || logsToSlf4j() ? null : Path.of(log);
    }

    /**
     * Whether the agent's lines go to the host's logging.
     *
     * @return true if so
     */
    public boolean logsToSlf4j() {
        return value(Key.LOG).equals("slf4j");
    }

    /**
     * How many directories may be taken offline within {@link #actWindow}.
     *
     * @return at least 1
     */
    public int actMaxDirectories() {
        return Integer.parseInt(value(Key.ACT_MAX_DIRECTORIES));
    }

    /**
     * How long a directory that was taken offline counts.
     *
     * @return more than nothing
     */
    public Duration actWindow() {
        return Key.duration(value(Key.ACT_WINDOW));
    }

    /**
     * Whether the last directory of an owner is taken offline too.
     *
     * @return true if so
     */
    public boolean actsOnLastDirectory() {
        return value(Key.ACT_LAST_DIR).equals("act");
    }

    /**
     * Whether a directory that holds a metadata log is taken offline too.
     *
     * @return true if so
     */
    public boolean actsOnMetadataDirectory() {
        return value(Key.ACT_METADATA_DIR).equals("act");
    }

    /**
     * Why a directory is only observed, whatever the mode.
     *
     * @param directory in its owner's spelling
     * @return the option that says so, or null if none does
     */
    String observes(String directory) {
        if (!actDirs.isEmpty() && !actDirs.matches(directory)) {
            return Key.ACT_DIRS.spelled() + "=" + value(Key.ACT_DIRS);
        }
        return observeDirs.matches(directory) ? Key.OBSERVE_DIRS.spelled() + "=" + value(Key.OBSERVE_DIRS) : null;
    }

    /**
     * Whether failures of a file are checked.
     *
     * @param file its absolute name
     * @return true if so
     */
    public boolean checks(String file) {
        return (include.isEmpty() || include.matches(file)) && !exclude.matches(file);
    }

    /**
     * Directories that fail on their own.
     *
     * @return the roots, possibly none
     */
    public String[] roots() {
        String roots = value(Key.ROOTS);
        return roots.isEmpty() ? new String[0] : roots.split(File.pathSeparator);
    }

    /**
     * How much may be re-read.
     *
     * @return bytes per second and directory
     */
    public long bytesPerSecond() {
        return Integer.parseInt(value(Key.CHECK_RATE)) * MEBI;
    }

    /**
     * Where what was done is written down.
     *
     * @return the file, or null for none
     */
    public Path auditFile() {
        String file = value(Key.AUDIT_FILE);
        return file.isEmpty() ? null : Path.of(file).toAbsolutePath();
    }

    /**
     * Where metrics are sent.
     *
     * @return a URL, or null for nowhere
     */
    public String otlpUrl() {
        String url = value(Key.OTLP_URL);
        return url.isEmpty() ? null : url;
    }

    /**
     * How often metrics are sent.
     *
     * @return more than nothing
     */
    public Duration otlpInterval() {
        return Key.duration(value(Key.OTLP_INTERVAL));
    }

    /**
     * What is sent along with metrics.
     *
     * @return HTTP headers
     */
    public Map<String, String> otlpHeaders() {
        return pairs(value(Key.OTLP_HEADERS));
    }

    /**
     * Who sends metrics.
     *
     * @return resource attributes
     */
    public Map<String, String> otlpResource() {
        return pairs(value(Key.OTLP_RESOURCE));
    }

    /**
     * Whether failures may be rehearsed in this JVM.
     *
     * @return true if so
     */
    public boolean rehearses() {
        return value(Key.REHEARSE).equals("on");
    }

    private static Map<String, String> pairs(String given) {
        Map<String, String> pairs = new LinkedHashMap<>();
        for (String pair : given.isEmpty() ? new String[0] : given.split(";")) {
            int colon = pair.indexOf(':');
            pairs.put(
                    pair.substring(0, colon).strip(), pair.substring(colon + 1).strip());
        }
        return pairs;
    }

    private String value(Key key) {
        return setting(key).value();
    }

    static String keys() {
        List<String> keys = new ArrayList<>();
        for (Key key : Key.values()) {
            keys.add(key.spelled());
        }
        return String.join(", ", keys);
    }
}
