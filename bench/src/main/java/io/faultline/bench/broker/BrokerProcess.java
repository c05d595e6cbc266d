package io.faultline.bench.broker;

import io.faultline.bench.Layout;
import io.faultline.bench.host.AttachedAgent;
import io.faultline.bench.host.JvmProcess;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/** The bundled broker as a process of its own, with or without the agent. */
public final class BrokerProcess implements AutoCloseable {

    private static final String READY = "faultline-broker ready: ";
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final Layout layout;
    private final JvmProcess process;
    private final List<String> addresses;

    private BrokerProcess(Layout layout, JvmProcess process, List<String> addresses) {
        this.layout = layout;
        this.process = process;
        this.addresses = addresses;
    }

    /**
     * Starts a broker and waits until it is ready.
     *
     * @param layout where the jars are
     * @param agentOptions the agent's options, or null for no agent
     * @param tls where certificates are made
     * @param directories its log directories
     * @return the running broker
     * @throws IOException if it does not start
     * @throws InterruptedException if interrupted while it starts
     */
    public static BrokerProcess start(Layout layout, String agentOptions, Path tls, Path... directories)
            throws IOException, InterruptedException {
        List<String> options =
                agentOptions == null ? List.of() : List.of("-javaagent:" + layout.agent() + "=" + agentOptions);
        return start(layout, options, tls, directories);
    }

    /**
     * Starts a broker and waits until it, and our agent where it is among the options, is ready.
     *
     * @param layout where the jars are
     * @param jvmOptions the options of its JVM
     * @param tls where certificates are made
     * @param directories its log directories
     * @return the running broker
     * @throws IOException if it does not start
     * @throws InterruptedException if interrupted while it starts
     */
    public static BrokerProcess start(Layout layout, List<String> jvmOptions, Path tls, Path... directories)
            throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(layout.java().toString(), "-Xmx256m"));
        command.addAll(jvmOptions);
        command.addAll(List.of(
                "-jar",
                layout.broker().toString(),
                "--listeners=PLAINTEXT://127.0.0.1:0,SSL://127.0.0.1:0",
                "--generate-tls=" + tls,
                "--log.dirs=" + Arrays.stream(directories).map(Path::toString).collect(Collectors.joining(","))));
        JvmProcess process = JvmProcess.start("the broker", new ProcessBuilder(command), null);
        try {
            String ready = process.awaitLine(READY, PATIENCE);
            if (jvmOptions.stream()
                    .anyMatch(option -> option.contains(layout.agent().toString()))) {
                process.awaitLine("woven ", PATIENCE);
            }
            String addresses = ready.substring(ready.indexOf(READY) + READY.length());
            return new BrokerProcess(layout, process, List.of(addresses.split(" ")));
        } catch (IOException notReady) {
            process.close();
            throw notReady;
        }
    }

    /**
     * Starts a broker that listens in plaintext only, with a heap that is its own affair, and does not wait for it.
     *
     * @param layout where the jars are
     * @param port where it listens
     * @param jvmOptions the options of its JVM
     * @param arguments more of its command line, such as {@code --flush.messages=1}
     * @param directories its log directories
     * @return the process
     * @throws IOException if it cannot be started
     */
    public static BrokerProcess launch(
            Layout layout, int port, List<String> jvmOptions, List<String> arguments, List<Path> directories)
            throws IOException {
        List<String> command = new ArrayList<>(List.of(layout.java().toString()));
        command.addAll(jvmOptions);
        command.addAll(List.of(
                "-jar",
                layout.broker().toString(),
                "--listeners=PLAINTEXT://127.0.0.1:" + port,
                "--log.dirs=" + directories.stream().map(Path::toString).collect(Collectors.joining(","))));
        command.addAll(arguments);
        JvmProcess process = JvmProcess.start("the broker", new ProcessBuilder(command), null);
        return new BrokerProcess(layout, process, List.of("PLAINTEXT://127.0.0.1:" + port));
    }

    /**
     * The process itself, to be frozen or killed.
     *
     * @return the process, never null
     */
    public JvmProcess process() {
        return process;
    }

    /**
     * Starts a broker over plaintext, without an agent, and waits until it is ready.
     *
     * @param layout where the jars are
     * @param arguments its command line, without listeners
     * @return the running broker
     * @throws IOException if it does not start
     * @throws InterruptedException if interrupted while it starts
     */
    public static BrokerProcess start(Layout layout, List<String> arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(
                layout.java().toString(),
                "-Xmx256m",
                "-jar",
                layout.broker().toString(),
                "--listeners=PLAINTEXT://127.0.0.1:0"));
        command.addAll(arguments);
        JvmProcess process = JvmProcess.start("the broker", new ProcessBuilder(command), null);
        try {
            String ready = process.awaitLine(READY, PATIENCE);
            String addresses = ready.substring(ready.indexOf(READY) + READY.length());
            return new BrokerProcess(layout, process, List.of(addresses.split(" ")));
        } catch (IOException notReady) {
            process.close();
            throw notReady;
        }
    }

    /**
     * Where it listens.
     *
     * @param listener PLAINTEXT or SSL
     * @return host and port
     */
    public String address(String listener) {
        String prefix = listener + "://";
        return addresses.stream()
                .filter(address -> address.startsWith(prefix))
                .map(address -> address.substring(prefix.length()))
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("no " + listener + " listener in " + addresses));
    }

    /**
     * Waits for a line of the log.
     *
     * @param text what the line contains
     * @return the line
     * @throws IOException if it does not come
     * @throws InterruptedException if interrupted while waiting
     */
    public String awaitLine(String text) throws IOException, InterruptedException {
        return process.awaitLine(text, PATIENCE);
    }

    /**
     * The agent in the broker.
     *
     * @return what talks to it
     */
    public AttachedAgent agent() {
        return new AttachedAgent(layout, process.pid());
    }

    @Override
    public void close() {
        process.close();
    }
}
