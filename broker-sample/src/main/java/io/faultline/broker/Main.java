package io.faultline.broker;

import io.faultline.broker.log.LogDirFailure;
import io.faultline.broker.metrics.KafkaMBeans;
import io.faultline.broker.network.Listener;
import io.faultline.broker.tls.GeneratedTls;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.config.ConfigException;

/** The broker as a process, see {@code --help}. */
public final class Main {

    private static final int OK = 0;
    private static final int FAILED = 1;
    private static final int WRONG_USAGE = 2;

    private Main() {}

    /**
     * Runs a broker until it is terminated or its last log directory fails, and exits.
     *
     * @param arguments the command line
     */
    public static void main(String... arguments) {
        configureLog();
        System.exit(run(arguments));
    }

    /** Compact lines on stderr, unless somebody wants others. */
    private static void configureLog() {
        Map<String, String> defaults = Map.of(
                "showDateTime", "true",
                "dateTimeFormat", "yyyy-MM-dd HH:mm:ss,SSS",
                "showThreadName", "false",
                "showShortLogName", "true",
                "log.org.apache.kafka", "warn");
        defaults.forEach((key, value) -> {
            String property = "org.slf4j.simpleLogger." + key;
            System.setProperty(property, System.getProperty(property, value));
        });
    }

    private static int run(String... arguments) {
        try {
            CommandLine commandLine = CommandLine.parse(arguments);
            if (commandLine.help()) {
                System.out.println(CommandLine.usage());
                return OK;
            }
            if (commandLine.version()) {
                System.out.println("faultline-broker " + Main.class.getPackage().getImplementationVersion());
                return OK;
            }
            ClassesAhead.load(commandLine);
            return serve(configuration(commandLine));
        } catch (ConfigException wrong) {
            wrong.getMessage().lines().forEach(line -> System.err.println("faultline-broker: " + line));
            return WRONG_USAGE;
        } catch (IOException | KafkaException | IllegalStateException failure) {
            Throwable cause = failure.getCause();
            System.err.println("faultline-broker: " + failure.getMessage()
                    + (failure instanceof KafkaException && cause != null ? ": " + cause : ""));
            return FAILED;
        }
    }

    private static BrokerConfig configuration(CommandLine commandLine) throws IOException {
        Map<String, String> properties = new HashMap<>(commandLine.properties());
        Path directory = commandLine.generateTls();
        if (directory != null) {
            GeneratedTls.locations(directory).forEach(properties::putIfAbsent);
        }
        // All of it is checked before a certificate is made.
        Problems problems = new Problems();
        problems.addAll(commandLine.problems());
        problems.check(() -> BrokerConfig.of(properties));
        problems.refuse();
        if (directory != null) {
            GeneratedTls.in(directory).complete(properties);
        }
        return BrokerConfig.of(properties);
    }

    private static int serve(BrokerConfig config) throws IOException {
        CompletableFuture<Integer> status = new CompletableFuture<>();
        Termination.onSignal(() -> status.complete(OK));
        try (Broker broker = new Broker(config)) {
            broker.start();
            broker.lastDirectoryLost().thenAccept(failure -> status.complete(lastDirectoryLost(failure)));
            System.out.println("faultline-broker ready: "
                    + broker.listeners().stream().map(Listener::toString).collect(Collectors.joining(" ")));
            // After the broker is ready, since JMX takes longer to load than the broker takes to start.
            KafkaMBeans.register(broker::figures, ManagementFactory.getPlatformMBeanServer());
            return status.join();
        }
    }

    private static int lastDirectoryLost(LogDirFailure failure) {
        System.err.println("faultline-broker: the last log directory is offline: " + failure.directory());
        return FAILED;
    }
}
