package io.faultline.broker;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;

/** kcat, a client on librdkafka. */
public final class Kcat {

    private final Path scratch;
    private final List<String> connection;

    private Kcat(Path scratch, List<String> connection) {
        this.scratch = scratch;
        this.connection = connection;
    }

    /** Skips the test where kcat is missing; under CI it fails instead, so that no green run hides it. */
    public static void require() {
        boolean present = Stream.of(System.getenv("PATH").split(File.pathSeparator))
                .anyMatch(directory -> Files.isExecutable(Path.of(directory, "kcat")));
        String missing = "kcat is missing: install the package kcat";
        if ("true".equals(System.getenv("CI"))) {
            assertThat(present).as(missing).isTrue();
        }
        Assumptions.assumeTrue(present, missing);
    }

    static Kcat plaintext(EmbeddedBroker broker, Path scratch) {
        return new Kcat(scratch, List.of("-b", broker.bootstrapServers()));
    }

    static Kcat tls(EmbeddedBroker broker, Path scratch) {
        return new Kcat(
                scratch,
                List.of(
                        "-b",
                        broker.sslBootstrapServers(),
                        "-X",
                        "security.protocol=ssl",
                        "-X",
                        "ssl.ca.location=" + broker.tls().authority()));
    }

    /** Runs kcat with these arguments and input, and returns what it prints. */
    String run(String input, String... arguments) throws IOException, InterruptedException {
        Ended ended = end(input, arguments);
        assertThat(ended.status).as(ended.err).isZero();
        return ended.out;
    }

    /** Runs kcat with these arguments, which has to fail, and returns what it complains of. */
    String fail(String... arguments) throws IOException, InterruptedException {
        Ended ended = end("", arguments);
        assertThat(ended.status).as(ended.out).isNotZero();
        return ended.err;
    }

    private Ended end(String input, String... arguments) throws IOException, InterruptedException {
        Path in = Files.writeString(Files.createTempFile(scratch, "in", ""), input);
        Path out = Files.createTempFile(scratch, "out", "");
        Path err = Files.createTempFile(scratch, "err", "");
        List<String> command = new ArrayList<>(List.of("kcat"));
        command.addAll(connection);
        command.addAll(List.of(arguments));
        Process process = new ProcessBuilder(command)
                .redirectInput(in.toFile())
                .redirectOutput(out.toFile())
                .redirectError(err.toFile())
                .start();
        boolean ended = process.waitFor(30, TimeUnit.SECONDS);
        process.destroyForcibly();
        assertThat(ended).as("kcat ends: %s", Files.readString(err)).isTrue();
        return new Ended(process.exitValue(), Files.readString(out, StandardCharsets.UTF_8), Files.readString(err));
    }

    private record Ended(int status, String out, String err) {}
}
