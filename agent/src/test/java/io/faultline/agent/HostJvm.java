package io.faultline.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.faultline.agent.host.Host;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.awaitility.core.ConditionTimeoutException;

/** A host process: a JVM of its own that runs {@link Host}, on the JDK under test. It ends, and takes its socket along, when it is closed. */
final class HostJvm implements AutoCloseable {

    static final Duration PATIENCE = Duration.ofSeconds(30);

    private final Process process;
    private final Writer in;
    private final BlockingQueue<String> answers = new LinkedBlockingQueue<>();
    private final List<String> errorLines = new CopyOnWriteArrayList<>();
    private final Thread errorReader;

    private HostJvm(Process process) {
        this.process = process;
        this.in = process.outputWriter(StandardCharsets.UTF_8);
        read(process.getInputStream(), answers::add);
        this.errorReader = read(process.getErrorStream(), errorLines::add);
    }

    /** Begins to describe a host. */
    static Builder with() {
        return new Builder();
    }

    /** A host with the usual class path and the agent from its start on, ready to be asked. */
    static HostJvm withAgent(String options) {
        return with().agent(options).start().awaitAgent();
    }

    /** Sends a request and returns the answer. */
    String ask(Object... words) {
        try {
            in.write(Arrays.stream(words).map(String::valueOf).collect(Collectors.joining("\t")) + "\n");
            in.flush();
            String answer = answers.poll(PATIENCE.toSeconds(), TimeUnit.SECONDS);
            assertThat(answer)
                    .as("answer to %s; standard error: %s", Arrays.asList(words), errorLines)
                    .startsWith("=");
            return answer.substring(1);
        } catch (IOException ended) {
            throw new UncheckedIOException("the host has ended; standard error: " + errorLines, ended);
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(stop);
        }
    }

    /** Sends a request and returns the answer's parts, none if it is empty. */
    List<String> askList(Object... words) {
        String answer = ask(words);
        return answer.isEmpty() ? List.of() : List.of(answer.split("\t"));
    }

    /** Has the host transfer a file in some way. */
    Sent transfer(String how, Path file, long position, long count) {
        String[] parts = ask(how, file, position, count).split("\t", -1);
        return new Sent(Long.parseLong(parts[0]), parts[1]);
    }

    /** The verdicts that the host's listener has received. */
    List<SeenVerdict> verdicts() {
        List<SeenVerdict> seen = new ArrayList<>();
        int count = Integer.parseInt(ask("verdicts"));
        for (int i = 0; i < count; i++) {
            seen.add(SeenVerdict.parse(askList("verdict", i)));
        }
        return seen;
    }

    /** Waits for the host's listener to have received as many verdicts, and returns the last one. */
    SeenVerdict awaitVerdict(int number) {
        await().atMost(PATIENCE)
                .untilAsserted(
                        () -> assertThat(Integer.parseInt(ask("verdicts"))).isGreaterThanOrEqualTo(number));
        List<SeenVerdict> seen = verdicts();
        assertThat(seen).hasSize(number);
        return seen.get(number - 1);
    }

    long pid() {
        return process.pid();
    }

    /** What the host, the JVM and the agent have printed to standard error. */
    List<String> errorLines() {
        return List.copyOf(errorLines);
    }

    /** Waits for a line in standard error. */
    String awaitErrorLine(Predicate<String> wanted) {
        await().atMost(PATIENCE).untilAsserted(() -> assertThat(errorLines).anyMatch(wanted));
        return errorLines.stream().filter(wanted).findFirst().orElseThrow();
    }

    /** Waits until the agent answers. A host whose agent does not is ended, since nobody has it yet to close it. */
    HostJvm awaitAgent() {
        try {
            await().atMost(PATIENCE).pollInterval(Duration.ofMillis(20)).until(() -> {
                assertThat(process.isAlive())
                        .as("standard error: %s", errorLines)
                        .isTrue();
                return answers();
            });
            return this;
        } catch (ConditionTimeoutException | AssertionError noAgent) {
            kill();
            throw noAgent;
        }
    }

    private boolean answers() {
        try {
            return control("status").startsWith("ok");
        } catch (UncheckedIOException notYet) {
            return false;
        }
    }

    /** Where the agent of this process listens. */
    Path socket() {
        return ControlFolder.socketOf(pid());
    }

    /** Asks the agent as the command line does, without making a process for it. */
    String control(String request) {
        try (SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX)) {
            channel.connect(UnixDomainSocketAddress.of(socket()));
            channel.write(ByteBuffer.wrap((request + "\n").getBytes(StandardCharsets.UTF_8)));
            return new String(Channels.newInputStream(channel).readAllBytes(), StandardCharsets.UTF_8).strip();
        } catch (IOException nobody) {
            throw new UncheckedIOException("no agent answers; standard error: " + errorLines, nobody);
        }
    }

    /** What the agent says about itself. */
    Map<String, String> status() {
        Map<String, String> status = new LinkedHashMap<>();
        control("status").lines().skip(1).forEach(line -> {
            int equals = line.indexOf('=');
            status.put(line.substring(0, equals), line.substring(equals + 1));
        });
        return status;
    }

    /** A count in the agent's status. */
    long count(String key) {
        return Long.parseLong(status().getOrDefault(key, "0"));
    }

    /** Lets the host end by itself and returns its exit code. */
    int end() {
        try {
            in.close();
            assertThat(process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS))
                    .as("the host ends; standard error: %s", errorLines)
                    .isTrue();
            errorReader.join(PATIENCE.toMillis());
            return process.exitValue();
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(stop);
        }
    }

    @Override
    public void close() {
        try {
            end();
        } finally {
            if (process.isAlive()) {
                kill();
            }
        }
        assertThat(socket()).as("what the host leaves behind").doesNotExist();
    }

    private void kill() {
        process.destroyForcibly();
        await().atMost(PATIENCE).until(() -> !process.isAlive());
        ControlFolder.remove(socket());
    }

    /** Takes out of an environment whatever would reach into a JVM or into the agent. */
    static void clean(Map<String, String> environment) {
        environment
                .keySet()
                .removeIf(name -> name.startsWith("FAULTLINE_")
                        || name.equals("JAVA_TOOL_OPTIONS")
                        || name.equals("JDK_JAVA_OPTIONS")
                        || name.equals("_JAVA_OPTIONS"));
    }

    private static Thread read(InputStream stream, java.util.function.Consumer<String> lines) {
        Thread reader = new Thread(
                () -> {
                    try (BufferedReader in =
                            new BufferedReader(new InputStreamReader(stream, StandardCharsets.UTF_8))) {
                        in.lines().forEach(lines);
                    } catch (IOException | UncheckedIOException ended) {
                        // with its process
                    }
                },
                "host-reader");
        reader.setDaemon(true);
        reader.start();
        return reader;
    }

    /**
     * What became of a transfer.
     *
     * @param bytes how many were sent
     * @param failure class and message of what was thrown, "" for nothing
     */
    record Sent(long bytes, String failure) {}

    /** Describes a host. */
    static final class Builder {

        private final List<String> jvm = new ArrayList<>();
        private final List<Path> classPath = new ArrayList<>();
        private final Map<String, String> environment = new LinkedHashMap<>();
        private String mainClass = Host.class.getName();
        private boolean usualClassPath = true;

        private Builder() {}

        Builder agent(String options) {
            return jvm("-javaagent:" + AgentJar.path() + (options.isEmpty() ? "" : "=" + options));
        }

        /** The agent that sees and strips bytes. */
        Builder byteCapture() {
            return jvm("-javaagent:" + HostJar.host());
        }

        Builder jvm(String... options) {
            jvm.addAll(List.of(options));
            return this;
        }

        /** Adds to the class path, behind the host itself and the classifier. */
        Builder classPath(List<Path> jars) {
            classPath.addAll(jars);
            return this;
        }

        /** Makes this the whole class path. */
        Builder onlyClassPath(Path... jars) {
            usualClassPath = false;
            classPath.addAll(List.of(jars));
            return this;
        }

        Builder environment(String name, String value) {
            environment.put(name, value);
            return this;
        }

        Builder mainClass(String name) {
            mainClass = name;
            return this;
        }

        boolean hasAgent() {
            return jvm.stream().anyMatch(option -> option.startsWith("-javaagent:" + AgentJar.path()));
        }

        HostJvm start() {
            List<Path> path = new ArrayList<>();
            if (usualClassPath) {
                path.add(HostJar.host());
                path.add(HostJar.classifier());
            }
            path.addAll(classPath);
            List<String> command = new ArrayList<>(List.of(TestJdk.tool("java"), "-Xmx128m"));
            command.addAll(jvm);
            command.add("-cp");
            command.add(path.stream().map(Path::toString).collect(Collectors.joining(File.pathSeparator)));
            command.add(mainClass);
            ProcessBuilder builder = new ProcessBuilder(command);
            clean(builder.environment());
            builder.environment().putAll(environment);
            try {
                return new HostJvm(builder.start());
            } catch (IOException failed) {
                throw new UncheckedIOException(failed);
            }
        }
    }
}
