package io.faultline.broker;

import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import org.apache.kafka.common.config.ConfigException;

/**
 * What was asked for on the command line.
 *
 * @param help whether {@code --help} was given
 * @param version whether {@code --version} was given
 * @param generateTls the directory of {@code --generate-tls}, or null
 * @param properties the properties of the file, overridden by those of the command line
 * @param problems what is wrong with the arguments themselves, a line each
 */
record CommandLine(
        boolean help, boolean version, Path generateTls, Map<String, String> properties, List<String> problems) {

    private static final String GENERATE_TLS = "generate-tls";

    /**
     * Reads the arguments.
     *
     * @throws ConfigException if the properties file cannot be read, so that nothing can be said of it; the message is one line
     */
    static CommandLine parse(String... arguments) {
        List<String> given = List.of(arguments);
        if (given.contains("--help") || given.contains("-h")) {
            return new CommandLine(true, false, null, Map.of(), List.of());
        }
        if (given.contains("--version")) {
            return new CommandLine(false, true, null, Map.of(), List.of());
        }
        Map<String, String> properties = new LinkedHashMap<>();
        Map<String, String> options = new LinkedHashMap<>();
        List<String> problems = new ArrayList<>();
        boolean fileSeen = false;
        for (String argument : given) {
            int equals = argument.indexOf('=');
            if (argument.startsWith("--") && equals > 2) {
                options.put(
                        argument.substring(2, equals),
                        argument.substring(equals + 1).trim());
            } else if (argument.startsWith("-") || fileSeen) {
                problems.add(
                        "Argument " + argument
                                + " is wrong: accepted are one properties file, --KEY=VALUE, --generate-tls=DIR, --help and --version");
            } else {
                fileSeen = true;
                properties.putAll(read(argument));
            }
        }
        String directory = options.remove(GENERATE_TLS);
        if (directory != null && directory.isEmpty()) {
            problems.add("Invalid value for --generate-tls: accepted is a directory");
            directory = null;
        }
        properties.putAll(options);
        return new CommandLine(false, false, directory == null ? null : Path.of(directory), properties, problems);
    }

    private static Map<String, String> read(String file) {
        Properties properties = new Properties();
        try (Reader reader = Files.newBufferedReader(Path.of(file))) {
            properties.load(reader);
        } catch (NoSuchFileException missing) {
            throw new ConfigException("Properties file " + file + " does not exist");
        } catch (IOException | IllegalArgumentException unreadable) {
            throw new ConfigException("Properties file " + file + " cannot be read: " + unreadable);
        }
        Map<String, String> read = new LinkedHashMap<>();
        properties.forEach(
                (key, value) -> read.put(key.toString(), value.toString().trim()));
        return read;
    }

    /** The text of {@code --help}. */
    static String usage() {
        List<String> lines = new ArrayList<>();
        lines.add("Usage: java -jar faultline-broker.jar [server.properties] [--KEY=VALUE ...] [--generate-tls=DIR]");
        lines.add("");
        lines.add("One node that speaks the Kafka protocol. Prints one line when it is ready, such as");
        lines.add("  faultline-broker ready: PLAINTEXT://127.0.0.1:39211 SSL://127.0.0.1:39212");
        lines.add("and logs to stderr. Exits with 0 when it is terminated, 1 when it cannot start or its last log");
        lines.add("directory failed, 2 when the command line or the configuration is wrong.");
        lines.add("");
        lines.add("  --generate-tls=DIR                 Makes certificates in DIR, unless it has some: for the SSL");
        lines.add("                                     listener, with client.properties and ca.pem for clients.");
        lines.add("  --help, --version");
        lines.add("");
        lines.add("Keys, as in Kafka:");
        lines.addAll(BrokerConfig.help());
        lines.add("  --ssl.*=                           As in Kafka, such as ssl.keystore.location.");
        lines.add("");
        lines.add(
                "A server.properties of Apache Kafka is taken as it is: log.dir, broker.id, log.retention.hours and the");
        lines.add(
                "like are understood, controller listeners left out, and keys that mean nothing to one node ignored,");
        lines.add("with one line that names them. What would be missed is refused, such as an authorizer or SASL.");
        return String.join(System.lineSeparator(), lines);
    }
}
