package io.faultline.broker;

import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The runnable jar in a process. */
final class BrokerProcess implements AutoCloseable {

    private final Process process;
    private final Path out;
    private final Path err;

    private BrokerProcess(Process process, Path out, Path err) {
        this.process = process;
        this.out = out;
        this.err = err;
    }

    static BrokerProcess start(Path scratch, String... arguments) throws IOException {
        return start(scratch, List.of(), arguments);
    }

    static BrokerProcess start(Path scratch, List<String> jvmOptions, String... arguments) throws IOException {
        return start(scratch, List.of(), jvmOptions, arguments);
    }

    /** Starts it with so many file descriptors, at most. */
    static BrokerProcess withDescriptors(Path scratch, int most, String... arguments) throws IOException {
        List<String> limited = List.of("sh", "-c", "ulimit -n " + most + " && exec \"$@\"", "sh");
        return start(scratch, limited, List.of(), arguments);
    }

    private static BrokerProcess start(Path scratch, List<String> before, List<String> jvmOptions, String... arguments)
            throws IOException {
        Path out = Files.createTempFile(scratch, "out", "");
        Path err = Files.createTempFile(scratch, "err", "");
        List<String> command = new ArrayList<>(before);
        command.addAll(
                List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-Xmx256m"));
        command.addAll(jvmOptions);
        command.addAll(List.of("-jar", System.getProperty("broker.jar")));
        command.addAll(List.of(arguments));
        ProcessBuilder builder =
                new ProcessBuilder(command).redirectOutput(out.toFile()).redirectError(err.toFile());
        builder.environment().remove("JAVA_TOOL_OPTIONS");
        return new BrokerProcess(builder.start(), out, err);
    }

    /** Waits for the ready line and returns where to connect. */
    String awaitReady(String protocol) throws IOException {
        Pattern ready = Pattern.compile("faultline-broker ready: .*" + protocol + "://(\\S+).*\n");
        // How long a process takes to start says nothing here; this only ends a test whose broker hangs.
        await().atMost(Duration.ofMinutes(2)).until(() -> ready.matcher(out()).find() || !process.isAlive());
        Matcher matcher = ready.matcher(out());
        if (!matcher.find()) {
            throw new AssertionError("the broker ended: " + err());
        }
        return matcher.group(1);
    }

    long pid() {
        return process.pid();
    }

    int awaitExit() throws InterruptedException, IOException {
        if (!process.waitFor(30, TimeUnit.SECONDS)) {
            throw new AssertionError("the broker goes on: " + err());
        }
        return process.exitValue();
    }

    /** How many of a process's things there are, such as {@code fd} or {@code task}; of Linux only. */
    long count(String things) throws IOException {
        try (Stream<Path> all = Files.list(Path.of("/proc", Long.toString(process.pid()), things))) {
            return all.count();
        }
    }

    /** Asks the process to end, as {@code kill} does. */
    void terminate() {
        process.destroy();
    }

    String out() throws IOException {
        return Files.readString(out);
    }

    String err() throws IOException {
        return Files.readString(err);
    }

    @Override
    public void close() {
        process.destroyForcibly().onExit().join();
    }
}
