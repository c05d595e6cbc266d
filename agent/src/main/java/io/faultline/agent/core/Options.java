package io.faultline.agent.core;

import java.io.File;
import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;

/**
 * What the operator asked for. Each key can be given as agent argument {@code key=value}, as {@code -Dfaultline.key}, as environment variable
 * {@code FAULTLINE_KEY} (upper case, dots and dashes as underscores), or in the properties file that {@code config} names; in that order of precedence.
 *
 * <p>Nothing here throws: a wrong key or value is a line in {@link #errors}, and the key keeps its default. As long as there is an error the mode is no more
 * than {@link Mode#OBSERVE}: what the operator meant is not known, so nothing is taken offline.
 */
public final class Options {

    /** Every key with its default and what is accepted. */
    public enum Key {
        /** What the agent may do. */
        MODE("mode", "act", "act, observe or off"),
        /** Where metrics are served over HTTP. */
        METRICS_PORT("metrics.port", "", "a port, 0 for any free one; unset for no HTTP"),
        /** The address that {@code metrics.port} binds. */
        METRICS_HOST("metrics.host", "127.0.0.1", "a host name or address to bind"),
        /** Where the agent's own lines go. */
        LOG("log", "stderr", "stderr or a file"),
        /** A file with more options. */
        CONFIG("config", "", "a properties file"),
        /** Whether the last directory of an owner is taken offline too. */
        ACT_LAST_DIR("act.last-dir", "act", "act or observe"),
        /** Directories that fail on their own though no owner claims them. */
        ROOTS("roots", "", "directories, separated by " + File.pathSeparator),
        /** How much may be re-read per second and directory. */
        CHECK_RATE("check.rate", "64", "MiB per second and directory, at least 1"),
        /** Whether failures may be rehearsed. */
        REHEARSE("rehearse", "off", "off or on; on lets the command line make reads fail");

        private final String spelled;
        private final String byDefault;
        private final String accepted;

        Key(String spelled, String byDefault, String accepted) {
            this.spelled = spelled;
            this.byDefault = byDefault;
            this.accepted = accepted;
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

        static Key of(String spelled) {
            for (Key key : values()) {
                if (key.spelled.equals(spelled)) {
                    return key;
                }
            }
            return null;
        }

        private String environment() {
            return ENVIRONMENT_PREFIX
                    + spelled.toUpperCase(Locale.ROOT).replace('.', '_').replace('-', '_');
        }
    }

    private static final String PROPERTY_PREFIX = "faultline.";
    private static final String ENVIRONMENT_PREFIX = "FAULTLINE_";
    private static final int MOST_PORT = 65_535;
    private static final int MOST_RATE = 1 << 20;
    private static final long MEBI = 1L << 20;

    private final Map<Key, String> values = new LinkedHashMap<>();
    private final List<String> errors = new ArrayList<>();

    private Options() {}

    /**
     * Reads the options of this process.
     *
     * @param arguments the agent's argument, or null
     * @return the options
     */
    public static Options read(String arguments) {
        Map<String, String> properties = new TreeMap<>();
        for (String name : System.getProperties().stringPropertyNames()) {
            properties.put(name, System.getProperty(name));
        }
        return read(arguments, properties, System.getenv());
    }

    /**
     * Reads options.
     *
     * @param arguments the agent's argument, or null
     * @param properties the system properties
     * @param environment the environment
     * @return the options
     */
    static Options read(String arguments, Map<String, String> properties, Map<String, String> environment) {
        Options options = new Options();
        Map<Key, String> given = options.ofArguments(arguments);
        Map<Key, String> ofProperties = options.ofProperties(properties);
        Map<Key, String> ofEnvironment = options.ofEnvironment(environment);
        ofProperties.forEach(given::putIfAbsent);
        ofEnvironment.forEach(given::putIfAbsent);
        String file = given.get(Key.CONFIG);
        if (file != null) {
            options.ofFile(file).forEach(given::putIfAbsent);
        }
        given.forEach(options::take);
        return options;
    }

    /**
     * What was wrong, a line each.
     *
     * @return the errors, empty if all is well
     */
    public List<String> errors() {
        return List.copyOf(errors);
    }

    /**
     * What is in force, for people.
     *
     * @return every key with its value
     */
    public Map<String, String> inForce() {
        Map<String, String> all = new LinkedHashMap<>();
        for (Key key : Key.values()) {
            all.put(key.spelled, value(key));
        }
        return all;
    }

    /**
     * The mode to start in.
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
     * @return a file, or null for standard error
     */
    public Path log() {
        String log = value(Key.LOG);
        return log.equals(Key.LOG.byDefault) ? null : Path.of(log);
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
     * Whether failures may be rehearsed in this JVM.
     *
     * @return true if so
     */
    public boolean rehearses() {
        return value(Key.REHEARSE).equals("on");
    }

    private String value(Key key) {
        return values.getOrDefault(key, key.byDefault);
    }

    private Map<Key, String> ofArguments(String arguments) {
        Map<Key, String> given = new LinkedHashMap<>();
        if (arguments == null || arguments.isBlank()) {
            return given;
        }
        for (String pair : arguments.split(",")) {
            int equals = pair.indexOf('=');
            if (equals < 0) {
                errors.add("agent argument '" + pair + "' is no key=value; accepted keys are " + keys());
            } else {
                put(
                        given,
                        pair.substring(0, equals).strip(),
                        pair.substring(equals + 1).strip(),
                        "agent argument");
            }
        }
        return given;
    }

    private Map<Key, String> ofProperties(Map<String, String> properties) {
        Map<Key, String> given = new LinkedHashMap<>();
        properties.forEach((name, value) -> {
            if (name.startsWith(PROPERTY_PREFIX)) {
                put(given, name.substring(PROPERTY_PREFIX.length()), value.strip(), "system property");
            }
        });
        return given;
    }

    private Map<Key, String> ofEnvironment(Map<String, String> environment) {
        Map<Key, String> given = new LinkedHashMap<>();
        environment.forEach((name, value) -> {
            if (name.startsWith(ENVIRONMENT_PREFIX)) {
                for (Key key : Key.values()) {
                    if (key.environment().equals(name)) {
                        given.put(key, value.strip());
                        return;
                    }
                }
                errors.add("environment variable " + name + " is none of Faultline's; accepted keys are " + keys());
            }
        });
        return given;
    }

    private Map<Key, String> ofFile(String file) {
        Map<Key, String> given = new LinkedHashMap<>();
        Properties properties = new Properties();
        try (Reader reader = Files.newBufferedReader(Path.of(file))) {
            properties.load(reader);
        } catch (IOException | RuntimeException unreadable) {
            errors.add("config=" + file + " cannot be read (" + unreadable + "); accepted: " + Key.CONFIG.accepted);
            return given;
        }
        for (String name : properties.stringPropertyNames()) {
            put(given, name, properties.getProperty(name).strip(), "config file");
        }
        return given;
    }

    private void put(Map<Key, String> given, String name, String value, String source) {
        Key key = Key.of(name);
        if (key == null) {
            errors.add(source + " " + name + "=" + value + ": unknown key; accepted keys are " + keys());
        } else {
            given.put(key, value);
        }
    }

    private void take(Key key, String value) {
        boolean fine = switch (key) {
            case MODE -> Mode.of(value) != null;
            case METRICS_PORT -> value.isEmpty() || isBetween(value, 0, MOST_PORT);
            case METRICS_HOST -> !value.isEmpty();
            case LOG -> !value.isEmpty() && isPath(value);
            case CONFIG -> true; // judged when it was read
            case ACT_LAST_DIR -> value.equals("act") || value.equals("observe");
            case ROOTS -> isPath(value);
            case CHECK_RATE -> isBetween(value, 1, MOST_RATE);
            case REHEARSE -> value.equals("on") || value.equals("off");
        };
        if (fine) {
            values.put(key, value);
        } else {
            errors.add(key.spelled + "=" + value + ": accepted is " + key.accepted);
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

    private static String keys() {
        List<String> keys = new ArrayList<>();
        for (Key key : Key.values()) {
            keys.add(key.spelled);
        }
        return String.join(", ", keys);
    }
}
