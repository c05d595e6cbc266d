package io.faultline.broker;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.apache.kafka.common.config.ConfigException;

/**
 * Properties as people have them for Apache Kafka, made into those that this broker knows.
 *
 * <p>Whoever comes with a {@code server.properties} expects it to be taken. So Kafka's second names and units are translated, and a key of Kafka's that means nothing to
 * a broker of one node is left out and named in one line of the log. A value that asks for something which this broker would not do, and whose absence would hurt, is refused:
 * access control, more replicas. So is a key that is not Kafka's, which is a mistake.
 *
 * @param effective the keys that the broker knows
 * @param ignored the keys of Kafka's that mean nothing here
 */
record ServerProperties(Map<String, String> effective, Set<String> ignored) {

    private static final String CONTROLLER_LISTENERS = "controller.listener.names";
    private static final String LISTENER_PREFIX = "listener.name.";
    private static final List<String> SECRETS = List.of("password", "secret", "jaas", "keystore.key");

    /** Second names: the first that is given wins. */
    private static final List<Alias> ALIASES = List.of(
            new Alias("log.dir", "log.dirs", null),
            new Alias("broker.id", "node.id", null),
            new Alias("log.retention.minutes", "log.retention.ms", TimeUnit.MINUTES),
            new Alias("log.retention.hours", "log.retention.ms", TimeUnit.HOURS),
            new Alias("log.roll.hours", "log.roll.ms", TimeUnit.HOURS));

    private static final List<Refusal> REFUSALS = List.of(
            new Refusal("authorizer.class.name", String::isEmpty, "none: nobody is refused anything here"),
            new Refusal("process.roles", roles -> items(roles).contains("broker"), "roles with broker among them"),
            new Refusal("default.replication.factor", "1"::equals, "1: there is one node"),
            new Refusal("min.insync.replicas", "1"::equals, "1: there is one node"),
            new Refusal("delete.topic.enable", "true"::equals, "true: whoever connects may delete topics"),
            new Refusal("remote.log.storage.system.enable", "false"::equals, "false: there is no tiered storage"),
            new Refusal("create.topic.policy.class.name", String::isEmpty, "none: no policy is asked"),
            new Refusal("alter.config.policy.class.name", String::isEmpty, "none: no policy is asked"),
            new Refusal(
                    "listener.security.protocol.map",
                    ServerProperties::keepsProtocols,
                    "maps of PLAINTEXT and SSL to themselves: a listener is named like its protocol"));

    private record Alias(String key, String meant, TimeUnit unit) {}

    private record Refusal(String key, Predicate<String> isHarmless, String accepted) {}

    /**
     * Reads properties.
     *
     * @param given names and values
     * @param known the keys that the broker knows
     * @param problems takes what is wrong with them
     */
    static ServerProperties of(Map<String, String> given, Set<String> known, Problems problems) {
        Map<String, String> effective = new LinkedHashMap<>();
        Map<String, String> unknown = new TreeMap<>();
        Set<String> ignored = new TreeSet<>();
        Set<String> ofKafka = keysOfKafka();
        given.forEach((key, value) -> {
            if (known.contains(key)) {
                effective.put(key, value);
            } else if (key.startsWith(LISTENER_PREFIX)) {
                problems.add(refused(key, value, "the key without its first three parts: it holds for all listeners"));
            } else if (!ofKafka.contains(key)) {
                unknown.put(key, value);
            } else if (ALIASES.stream().noneMatch(alias -> alias.key.equals(key))) {
                ignored.add(key);
                refusal(key, value).ifPresent(problems::add);
            }
        });
        ALIASES.forEach(alias -> problems.check(() -> translate(alias, given, effective)));
        Set<String> controllers = new HashSet<>(items(given.getOrDefault(CONTROLLER_LISTENERS, "")));
        dropListeners("listeners", controllers, effective);
        dropListeners("advertised.listeners", controllers, effective);
        if (!unknown.isEmpty()) {
            problems.add(unknown(unknown, known));
        }
        return new ServerProperties(effective, Set.copyOf(ignored));
    }

    private static Optional<String> refusal(String key, String value) {
        return REFUSALS.stream()
                .filter(refusal -> refusal.key.equals(key) && !refusal.isHarmless.test(value))
                .map(refusal -> refused(key, value, refusal.accepted))
                .findFirst();
    }

    private static String refused(String key, String value, String accepted) {
        return "Invalid value " + shown(key, value) + " for configuration " + key + ": accepted is " + accepted;
    }

    private static String unknown(Map<String, String> unknown, Set<String> known) {
        String pairs = unknown.entrySet().stream()
                .map(entry -> entry.getKey() + " with value " + shown(entry.getKey(), entry.getValue()))
                .collect(Collectors.joining(", "));
        return "Unknown configuration " + pairs + ": accepted are "
                + known.stream().filter(key -> !key.startsWith("ssl.")).sorted().collect(Collectors.joining(", "))
                + ", and Kafka's ssl.* keys; Kafka's other keys are ignored";
    }

    /** Who mistypes a key must not find a secret in a log. */
    private static String shown(String key, String value) {
        String lower = key.toLowerCase(Locale.ROOT);
        return SECRETS.stream().anyMatch(lower::contains) ? "[hidden]" : value;
    }

    private static void translate(Alias alias, Map<String, String> given, Map<String, String> effective) {
        String value = given.get(alias.key);
        if (value != null && !effective.containsKey(alias.meant)) {
            effective.put(alias.meant, alias.unit == null ? value : millis(alias, value));
        }
    }

    private static String millis(Alias alias, String value) {
        try {
            long count = Long.parseLong(value);
            // -1 stands for no limit, in every unit.
            return Long.toString(count < 0 ? count : alias.unit.toMillis(count));
        } catch (NumberFormatException noNumber) {
            throw new ConfigException(
                    alias.key,
                    value,
                    "accepted is a number of " + alias.unit.name().toLowerCase(Locale.ROOT));
        }
    }

    /** A combined node also listens as a controller, which nobody here connects to. */
    private static void dropListeners(String key, Set<String> controllers, Map<String, String> effective) {
        if (!controllers.isEmpty() && effective.containsKey(key)) {
            effective.put(
                    key,
                    items(effective.get(key)).stream()
                            .filter(listener -> !controllers.contains(listener.split("://")[0]))
                            .collect(Collectors.joining(",")));
        }
    }

    private static boolean keepsProtocols(String map) {
        return items(map).stream()
                .filter(entry -> entry.startsWith("PLAINTEXT:") || entry.startsWith("SSL:"))
                .allMatch(entry -> entry.equals("PLAINTEXT:PLAINTEXT") || entry.equals("SSL:SSL"));
    }

    private static List<String> items(String list) {
        return Arrays.stream(list.split(","))
                .map(String::trim)
                .filter(item -> !item.isEmpty())
                .toList();
    }

    private static Set<String> keysOfKafka() {
        try (InputStream keys = ServerProperties.class.getResourceAsStream("kafka-keys.txt")) {
            return new String(keys.readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .filter(line -> !line.startsWith("#"))
                    .collect(Collectors.toUnmodifiableSet());
        } catch (IOException broken) {
            throw new UncheckedIOException(broken);
        }
    }
}
