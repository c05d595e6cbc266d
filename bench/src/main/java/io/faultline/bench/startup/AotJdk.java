package io.faultline.bench.startup;

import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.Optional;
import java.util.Properties;
import java.util.stream.Stream;

/**
 * A JDK that can make an AOT cache of a program in one run (JEP 514): 25 or later.
 *
 * @param java its launcher
 * @param version its version
 */
record AotJdk(Path java, Runtime.Version version) {

    private static final int FIRST = 25;

    /**
     * The one at a place.
     *
     * @throws IOException if there is none, or an older one
     */
    static AotJdk at(Path home) throws IOException {
        return in(home).orElseThrow(() -> new IOException(home + " is no JDK of " + FIRST + " or later"));
    }

    /** The newest that is installed where the one lies that runs this; empty if none is new enough. */
    static Optional<AotJdk> installed() throws IOException {
        Path own = Path.of(System.getProperty("java.home")).toRealPath();
        try (Stream<Path> homes = Files.list(own.getParent())) {
            return homes.flatMap(home -> in(home).stream()).max(Comparator.comparing(AotJdk::version));
        }
    }

    private static Optional<AotJdk> in(Path home) {
        Properties release = new Properties();
        try (Reader reader = Files.newBufferedReader(home.resolve("release"))) {
            release.load(reader);
            String version = release.getProperty("JAVA_VERSION", "").replace("\"", "");
            return Optional.of(new AotJdk(home.resolve("bin/java"), Runtime.Version.parse(version)))
                    .filter(jdk -> jdk.version.feature() >= FIRST);
        } catch (IOException | IllegalArgumentException noneOrOlder) { // the oldest spell their versions otherwise
            return Optional.empty();
        }
    }
}
