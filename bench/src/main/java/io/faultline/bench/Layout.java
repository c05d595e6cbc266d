package io.faultline.bench;

import java.io.File;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Where a build of this project puts what the experiments start.
 *
 * @param root the top of the checkout
 */
public record Layout(Path root) {

    /**
     * The build that this class is from.
     *
     * @return its layout
     */
    public static Layout ofThisBuild() {
        try {
            Path jar = Path.of(Layout.class
                    .getProtectionDomain()
                    .getCodeSource()
                    .getLocation()
                    .toURI());
            // bench/target/faultline-bench.jar, or bench/target/classes
            return new Layout(jar.getParent().getParent().getParent());
        } catch (URISyntaxException noPath) {
            throw new IllegalStateException(noPath);
        }
    }

    /**
     * The agent.
     *
     * @return its jar
     */
    public Path agent() {
        return built(root.resolve("agent/target/faultline-agent.jar"));
    }

    /**
     * The bundled broker.
     *
     * @return its jar
     */
    public Path broker() {
        return built(root.resolve("broker-sample/target/faultline-broker.jar"));
    }

    /**
     * The agent that ours is compared with, and has to live beside.
     *
     * @return its jar
     */
    public Path openTelemetryAgent() {
        return built(root.resolve("bench/target/agents/opentelemetry-javaagent.jar"));
    }

    /**
     * The agent by which many brokers are watched.
     *
     * @return its jar
     */
    public Path jmxExporter() {
        return built(root.resolve("bench/target/agents/jmx_prometheus_javaagent.jar"));
    }

    /**
     * The experiments themselves.
     *
     * @return their jar
     */
    public Path bench() {
        return built(root.resolve("bench/target/faultline-bench.jar"));
    }

    /**
     * JUnit, of the release that this build tests with.
     *
     * @return its jars as a class path
     * @throws IOException if they cannot be listed
     */
    public String junit() throws IOException {
        try (Stream<Path> libraries = Files.list(bench().resolveSibling("lib"))) {
            return libraries
                    .filter(jar -> jar.getFileName().toString().startsWith("junit-"))
                    .map(Path::toString)
                    .collect(Collectors.joining(File.pathSeparator));
        }
    }

    /**
     * The JVM that runs this.
     *
     * @return its java
     */
    public Path java() {
        return Path.of(System.getProperty("java.home"), "bin", "java");
    }

    private static Path built(Path jar) {
        if (!Files.exists(jar)) {
            throw new IllegalStateException(jar + " is not there; build it first: mvn -q package -DskipTests");
        }
        return jar;
    }
}
