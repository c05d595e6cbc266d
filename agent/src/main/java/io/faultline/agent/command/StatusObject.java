package io.faultline.agent.command;

import com.fasterxml.jackson.jr.ob.JSON;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The lines of a status as one JSON object: options and directories by their name, everything else as it is. Works with the answer of an older or newer agent too. */
final class StatusObject {

    /** A directory may hold any sign; what is said of it is one of a few words at the end. */
    private static final Pattern DIRECTORY =
            Pattern.compile("directory\\.(.*)\\.((?:verdicts\\.\\w+\\.\\w+)|(?:actions\\.\\w+)|[a-z-]+)");

    private StatusObject() {}

    static String of(String status) throws IOException {
        Map<String, Object> object = new LinkedHashMap<>();
        for (String line : status.lines().toList()) {
            int equals = equalsIn(line);
            if (equals > 0) {
                put(object, line.substring(0, equals), typed(line.substring(equals + 1)));
            }
        }
        return JSON.std.with(JSON.Feature.PRETTY_PRINT_OUTPUT).asString(object);
    }

    /** A directory's name may hold an equals sign, and no value of a directory's does. */
    private static int equalsIn(String line) {
        return line.startsWith("directory.") ? line.lastIndexOf('=') : line.indexOf('=');
    }

    private static void put(Map<String, Object> object, String key, Object value) {
        Matcher directory = DIRECTORY.matcher(key);
        if (key.startsWith("option.")) {
            at(object, "options", key.substring("option.".length())).put("value", String.valueOf(value));
        } else if (key.startsWith("source.")) {
            at(object, "options", key.substring("source.".length())).put("source", value);
        } else if (key.startsWith("woven.")) {
            in(object, "woven").put(key.substring("woven.".length()), value);
        } else if (directory.matches()) {
            at(object, "directories", directory.group(1)).put(directory.group(2), value);
        } else {
            object.put(key, value);
        }
    }

    private static Map<String, Object> at(Map<String, Object> object, String group, String name) {
        return in(in(object, group), name);
    }

    @SuppressWarnings("unchecked") // nothing else is put there
    private static Map<String, Object> in(Map<String, Object> object, String name) {
        return (Map<String, Object>) object.computeIfAbsent(name, key -> new LinkedHashMap<String, Object>());
    }

    private static Object typed(String value) {
        if (value.equals("true") || value.equals("false")) {
            return Boolean.valueOf(value);
        }
        return value.matches("-?\\d{1,18}") ? (Object) Long.valueOf(value) : value;
    }
}
