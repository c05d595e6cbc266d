package io.faultline.bench.kafka;

import io.faultline.bench.Layout;
import io.faultline.bench.host.Trees;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.jar.JarFile;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The jars of a release of Kafka with all that they need, fetched once by Maven from where it fetches everything.
 *
 * @param folder where they are
 */
record KafkaJars(Path folder) {

    private static final String DEPENDENCY =
            "<dependency><groupId>org.apache.kafka</groupId><artifactId>%s</artifactId><version>%s</version>%s</dependency>";

    private static final String TESTS = ":test";

    /** The brokers, controllers and ZooKeeper of a release. */
    static KafkaJars ofNodes(Layout layout, KafkaVersion version) throws IOException, InterruptedException {
        return of(layout, "kafka-" + version, version, "kafka_2.13");
    }

    /** The same with the command-line tools. */
    static KafkaJars ofTools(Layout layout, KafkaVersion version) throws IOException, InterruptedException {
        return of(layout, "kafka-tools-" + version, version, "kafka_2.13", "kafka-tools");
    }

    /** The same with several nodes in one JVM. */
    static KafkaJars ofTestKit(Layout layout, KafkaVersion version) throws IOException, InterruptedException {
        return of(
                layout,
                "kafka-test-kit-" + version,
                version,
                "kafka_2.13",
                "kafka-test-common-runtime",
                "kafka-clients" + TESTS);
    }

    private static KafkaJars of(Layout layout, String name, KafkaVersion version, String... artifacts)
            throws IOException, InterruptedException {
        Path target = layout.root().resolve("bench/target/kafka");
        Path folder = target.resolve(name);
        if (!Files.exists(folder)) {
            Path fetched = Files.createDirectories(target.resolve(name + ".part"));
            Trees.delete(fetched);
            fetch(fetched, version, artifacts);
            Files.move(fetched, folder, StandardCopyOption.ATOMIC_MOVE);
        }
        return new KafkaJars(folder);
    }

    private static void fetch(Path folder, KafkaVersion version, String... artifacts)
            throws IOException, InterruptedException {
        Files.createDirectories(folder);
        String dependencies = Arrays.stream(artifacts)
                .map(artifact -> dependency(artifact, version))
                .collect(Collectors.joining());
        Path pom = folder.resolve("pom.xml");
        Files.writeString(
                pom, resource("kafka-pom.xml").replace("$KAFKA", version.text()).replace("$ARTIFACTS", dependencies));
        List<String> command = List.of(
                "mvn",
                "-B",
                "-ntp",
                "-q",
                "-f",
                pom.toString(),
                "dependency:copy-dependencies",
                "-DincludeScope=runtime",
                "-DoutputDirectory=" + folder);
        Process maven = new ProcessBuilder(command).redirectErrorStream(true).start();
        String said = new String(maven.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (maven.waitFor() != 0) {
            throw new IOException("Maven does not get Kafka " + version + ":\n" + said);
        }
    }

    /** The kit needs tests of Kafka's beside, which it does not bring. */
    private static String dependency(String artifact, KafkaVersion version) {
        boolean tests = artifact.endsWith(TESTS);
        return String.format(
                DEPENDENCY,
                tests ? artifact.substring(0, artifact.length() - TESTS.length()) : artifact,
                version,
                tests ? "<classifier>test</classifier>" : "");
    }

    /** The first of these classes that the release has. */
    String firstOf(List<String> classNames) throws IOException {
        try (Stream<Path> jars = Files.list(folder)) {
            Set<String> entries = new HashSet<>();
            for (Path jar : jars.filter(path -> path.getFileName().toString().startsWith("kafka"))
                    .toList()) {
                try (JarFile file = new JarFile(jar.toFile())) {
                    file.stream().forEach(entry -> entries.add(entry.getName()));
                }
            }
            return classNames.stream()
                    .filter(name -> entries.contains(name.replace('.', '/') + ".class"))
                    .findFirst()
                    .orElseThrow(() -> new IOException("none of " + classNames + " is in " + folder));
        }
    }

    /** A resource beside this class, as text. */
    static String resource(String name) throws IOException {
        try (InputStream stream = KafkaJars.class.getResourceAsStream(name)) {
            return new String(stream.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    /** For {@code java -cp}. */
    String classPath() {
        return folder + "/*";
    }
}
