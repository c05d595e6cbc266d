package io.faultline.agent;

import io.faultline.agent.host.ByteCapture;
import io.faultline.agent.host.Host;
import io.faultline.classifier.FailureFeed;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.jar.Attributes;
import java.util.jar.Manifest;
import java.util.stream.Stream;
import org.apache.kafka.common.network.SslTransportLayer;
import org.slf4j.Logger;
import org.slf4j.nop.NOPServiceProvider;
import org.slf4j.simple.SimpleServiceProvider;

/** The jars that the class paths of host processes are made of. */
final class HostJar {

    private static final Path HOST = pack();

    private HostJar() {}

    /** What runs in every host; with {@code -javaagent} it is the byte-capturing agent too. */
    static Path host() {
        return HOST;
    }

    static Path classifier() {
        return jarOf(FailureFeed.class);
    }

    /** Kafka's TLS transport layer and what it needs to log nothing. */
    static List<Path> kafka() {
        return List.of(jarOf(SslTransportLayer.class), jarOf(Logger.class), jarOf(NOPServiceProvider.class));
    }

    /** SLF4J with the backend that prints to standard error. */
    static List<Path> slf4jSimple() {
        return List.of(jarOf(Logger.class), jarOf(SimpleServiceProvider.class));
    }

    /** Micrometer, Byte Buddy and SLF4J as a host brings them, older than the agent's own. */
    static List<Path> olderLibraries() {
        Path folder = Path.of(System.getProperty("faultline.test.host.libraries"));
        return List.of(
                folder.resolve("micrometer-core.jar"),
                folder.resolve("byte-buddy.jar"),
                folder.resolve("slf4j-api.jar"));
    }

    static Path slf4j() {
        return jarOf(Logger.class);
    }

    private static Path jarOf(Class<?> type) {
        try {
            return Path.of(
                    type.getProtectionDomain().getCodeSource().getLocation().toURI());
        } catch (URISyntaxException noPath) {
            throw new IllegalStateException(noPath);
        }
    }

    private static Path pack() {
        Path root = jarOf(Host.class);
        Manifest manifest = new Manifest();
        manifest.getMainAttributes().put(new Attributes.Name("Premain-Class"), ByteCapture.class.getName());
        manifest.getMainAttributes().put(new Attributes.Name("Agent-Class"), ByteCapture.class.getName());
        manifest.getMainAttributes().put(new Attributes.Name("Can-Retransform-Classes"), "true");
        try {
            Path folder = root.resolve(Host.class.getPackageName().replace('.', '/'));
            try (Stream<Path> classes = Files.list(folder)) {
                // A name of its own: another run of the tests may use its own just now.
                Path jar = root.resolveSibling("host-" + ProcessHandle.current().pid() + ".jar")
                        .toAbsolutePath();
                jar.toFile().deleteOnExit();
                return AgentJar.ofTestClasses(jar, manifest, classes.toList(), root);
            }
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }
}
