package io.faultline.agent.core;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;
import java.util.TreeMap;

/**
 * Where options come from. Each key can be given as agent argument {@code key=value}, as {@code -Dfaultline.key}, as environment variable
 * {@code FAULTLINE_KEY} (upper case, dots and dashes as underscores), or in the properties file that {@code config} names; in that order of precedence. The file can change
 * while the agent runs; and what somebody sets by command holds until the file says something else.
 *
 * <p>Safe for use from several threads.
 */
final class Configuration {

    private static final String PROPERTY_PREFIX = "faultline.";
    private static final String ENVIRONMENT_PREFIX = "FAULTLINE_";

    /** What was given when the JVM started, and cannot change. */
    private final Map<Key, Options.Setting> fixed = new EnumMap<>(Key.class);

    private final List<String> fixedErrors = new ArrayList<>();
    private final ConfigFile file;
    private final Map<Key, Options.Setting> commanded = new EnumMap<>(Key.class);
    private Map<Key, Options.Setting> ofFile = Map.of();
    private volatile Options options;
    private volatile Instant lastSuccess;

    /**
     * What a look at the file found.
     *
     * @param errors what is wrong with it, a line each; then nothing has changed
     * @param changes what has changed
     */
    record Look(List<String> errors, List<Change> changes) {

        private static final Look NOTHING_NEW = new Look(List.of(), List.of());
    }

    Configuration(String arguments, Map<String, String> properties, Map<String, String> environment) {
        ofArguments(arguments).forEach((key, value) -> fix(key, value, Source.ARGUMENT));
        ofProperties(properties).forEach((key, value) -> fix(key, value, Source.PROPERTY));
        ofEnvironment(environment).forEach((key, value) -> fix(key, value, Source.ENVIRONMENT));
        List<String> errors = new ArrayList<>(fixedErrors);
        Options.Setting config = fixed.get(Key.CONFIG);
        file = config == null ? null : new ConfigFile(Path.of(config.value()));
        if (file != null) {
            try {
                ofFile = parse(file.readIfChanged(), errors);
            } catch (IOException unreadable) {
                errors.add(cannotRead(unreadable));
            }
        }
        options = merged(errors);
        lastSuccess = errors.isEmpty() ? Instant.now() : Instant.EPOCH;
    }

    /** Reads the options of this process. */
    static Configuration ofThisProcess(String arguments) {
        Map<String, String> properties = new TreeMap<>();
        for (String name : System.getProperties().stringPropertyNames()) {
            properties.put(name, System.getProperty(name));
        }
        return new Configuration(arguments, properties, System.getenv());
    }

    /** What is in force now. */
    Options options() {
        return options;
    }

    /** When everything was last read without an error; the epoch if never. */
    Instant lastSuccess() {
        return lastSuccess;
    }

    /** Says whether there is a file to look at. */
    boolean hasFile() {
        return file != null;
    }

    /** Looks whether the file's content changed, and takes it over if all of it is in order. */
    synchronized Look look() {
        Properties properties;
        try {
            properties = file.readIfChanged();
        } catch (IOException unreadable) {
            return new Look(List.of(cannotRead(unreadable) + ". What was in force stays so"), List.of());
        }
        if (properties == null) {
            return Look.NOTHING_NEW;
        }
        List<String> errors = new ArrayList<>();
        Map<Key, Options.Setting> read = parse(properties, errors);
        if (!errors.isEmpty()) {
            errors.replaceAll(error -> error + ". What was in force stays so");
            return new Look(errors, List.of());
        }
        Map<Key, Options.Setting> before = ofFile;
        ofFile = read;
        // Whoever changes the file means it: that goes before what was commanded earlier.
        commanded.keySet().removeIf(key -> !Objects.equals(before.get(key), read.get(key)));
        lastSuccess = Instant.now();
        return new Look(List.of(), takeOver(merged(fixedErrors)));
    }

    /** Sets a key by command. Its value must have been accepted. */
    synchronized List<Change> command(Key key, String value, Source source) {
        commanded.put(key, new Options.Setting(value, source));
        return takeOver(merged(options.errors()));
    }

    private List<Change> takeOver(Options wanted) {
        List<Change> changes = new ArrayList<>();
        Options now = wanted;
        for (Key key : Key.values()) {
            Options.Setting before = options.setting(key);
            Options.Setting after = wanted.setting(key);
            if (!before.value().equals(after.value())) {
                changes.add(new Change(key, before.value(), after.value(), after.source(), key.isLive()));
                if (!key.isLive()) {
                    now = now.with(key, before);
                }
            }
        }
        options = now;
        return changes;
    }

    private Options merged(List<String> errors) {
        Map<Key, Options.Setting> all = new EnumMap<>(Key.class);
        all.putAll(ofFile);
        all.putAll(fixed);
        all.putAll(commanded);
        return new Options(all, errors);
    }

    private void fix(Key key, String value, Source source) {
        if (!fixed.containsKey(key) && isAccepted(key, value, fixedErrors)) {
            fixed.put(key, new Options.Setting(value, source));
        }
    }

    private static boolean isAccepted(Key key, String value, List<String> errors) {
        boolean accepted = key.accepts(value);
        if (!accepted) {
            errors.add(key.spelled() + "=" + key.shown(value) + ": accepted is " + key.accepted());
        }
        return accepted;
    }

    private Map<Key, String> ofArguments(String arguments) {
        Map<Key, String> given = new LinkedHashMap<>();
        if (arguments == null || arguments.isBlank()) {
            return given;
        }
        for (String pair : arguments.split(",")) {
            int equals = pair.indexOf('=');
            if (equals < 0) {
                fixedErrors.add("agent argument '" + pair + "' is no key=value; accepted keys are " + Options.keys());
            } else {
                String name = pair.substring(0, equals).strip();
                put(given, name, pair.substring(equals + 1).strip(), Source.ARGUMENT, fixedErrors);
            }
        }
        return given;
    }

    private Map<Key, String> ofProperties(Map<String, String> properties) {
        Map<Key, String> given = new LinkedHashMap<>();
        properties.forEach((name, value) -> {
            if (name.startsWith(PROPERTY_PREFIX)) {
                put(given, name.substring(PROPERTY_PREFIX.length()), value.strip(), Source.PROPERTY, fixedErrors);
            }
        });
        return given;
    }

    private Map<Key, String> ofEnvironment(Map<String, String> environment) {
        Map<Key, String> given = new LinkedHashMap<>();
        environment.forEach((name, value) -> {
            if (name.startsWith(ENVIRONMENT_PREFIX)) {
                for (Key key : Key.values()) {
                    if (key.environment(ENVIRONMENT_PREFIX).equals(name)) {
                        given.put(key, value.strip());
                        return;
                    }
                }
                fixedErrors.add("environment variable " + name + " is none of Faultline's; accepted keys are "
                        + Options.keys());
            }
        });
        return given;
    }

    private static Map<Key, Options.Setting> parse(Properties properties, List<String> errors) {
        Map<Key, String> given = new LinkedHashMap<>();
        for (String name : properties.stringPropertyNames()) {
            put(given, name, properties.getProperty(name).strip(), Source.FILE, errors);
        }
        Map<Key, Options.Setting> accepted = new EnumMap<>(Key.class);
        given.forEach((key, value) -> {
            if (isAccepted(key, value, errors)) {
                accepted.put(key, new Options.Setting(value, Source.FILE));
            }
        });
        return accepted;
    }

    private static void put(Map<Key, String> given, String name, String value, Source source, List<String> errors) {
        Key key = Key.of(name);
        if (key == null) {
            errors.add(
                    source.spelled() + " " + name + "=" + value + ": unknown key; accepted keys are " + Options.keys());
        } else {
            given.put(key, value);
        }
    }

    private String cannotRead(IOException unreadable) {
        return "config=" + file.path() + " cannot be read (" + unreadable.getMessage() + "); accepted: "
                + Key.CONFIG.accepted();
    }
}
