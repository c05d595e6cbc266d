package io.faultline.agent;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the host may want to set up in its own way, and so must find untouched. */
class QuietStartIT {

    @TempDir
    private Path folder;

    @Test
    void whatTheHostHasNotInitialisedTheAgentHasNotEither() throws IOException {
        Set<String> bare = initialised(HostJvm.with());
        Set<String> withAgent = initialised(HostJvm.with().agent("metrics.port=0"));
        withAgent.removeAll(bare);

        assertThat(withAgent)
                .as("the log of the JVM says what it should")
                .contains("java.nio.channels.FaultlineHook")
                .noneMatch(name -> name.startsWith("java.util.logging.")
                        || name.startsWith("javax.management.")
                        || name.startsWith("java.lang.management.")
                        || name.startsWith("sun.management.")
                        || name.startsWith("com.sun.jmx.")
                        || name.startsWith("com.sun.net.httpserver.")
                        || name.startsWith("sun.net.httpserver.")
                        || name.startsWith("org.slf4j."));
    }

    private Set<String> initialised(HostJvm.Builder builder) throws IOException {
        Path log = folder.resolve("classes.log");
        try (HostJvm host = builder.jvm("-Xlog:class+init=info:file=" + log)
                .classPath(HostJar.kafka())
                .start()) {
            host.ask("threads");
            if (builder.hasAgent()) {
                host.awaitAgent();
            }
        }
        try (var lines = Files.lines(log)) {
            return lines.filter(line -> line.contains("Initializing '"))
                    .map(line -> line.substring(line.indexOf('\'') + 1))
                    .map(line -> line.substring(0, line.indexOf('\'')).replace('/', '.'))
                    .collect(Collectors.toSet());
        }
    }
}
