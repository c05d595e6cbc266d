package io.faultline.bench.demo;

import io.faultline.bench.Layout;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;

/** The bundled broker as a process of its own, with or without the agent. */
final class BrokerProcess implements AutoCloseable {

    private static final String READY = "faultline-broker ready: ";
    private static final long PATIENCE_SECONDS = 60;

    private final Layout layout;
    private final Process process;
    private final List<String> log = new CopyOnWriteArrayList<>();
    private final CompletableFuture<String> ready = new CompletableFuture<>();

    private BrokerProcess(Layout layout, Process process) {
        this.layout = layout;
        this.process = process;
        read("out", process.getInputStream());
        read("err", process.getErrorStream());
    }

    /**
     * Starts a broker and waits until it is ready.
     *
     * @param layout where the jars are
     * @param agentOptions the agent's options, or null for no agent
     * @param tls where certificates are made
     * @param directories its log directories
     */
    static BrokerProcess start(Layout layout, String agentOptions, Path tls, Path... directories)
            throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(layout.java().toString(), "-Xmx256m"));
        if (agentOptions != null) {
            command.add("-javaagent:" + layout.agent() + "=" + agentOptions);
        }
        String directoryList = List.of(directories).stream().map(Path::toString).collect(Collectors.joining(","));
        command.addAll(List.of(
                "-jar",
                layout.broker().toString(),
                "--listeners=PLAINTEXT://127.0.0.1:0,SSL://127.0.0.1:0",
                "--generate-tls=" + tls,
                "--log.dirs=" + directoryList));
        BrokerProcess broker = new BrokerProcess(layout, new ProcessBuilder(command).start());
        try {
            broker.ready.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
            if (agentOptions != null) {
                broker.awaitLine("woven ");
            }
            return broker;
        } catch (ExecutionException | TimeoutException notReady) {
            broker.close();
            throw new IOException("the broker did not start: " + broker.log, notReady);
        }
    }

    /** Host and port of a listener. */
    String address(String listener) {
        String prefix = listener + "://";
        for (String address : ready.join().split(" ")) {
            if (address.startsWith(prefix)) {
                return address.substring(prefix.length());
            }
        }
        throw new IllegalStateException("no " + listener + " listener in " + ready.join());
    }

    /** What the broker, and the agent in it, have logged so far. */
    List<String> log() {
        return log;
    }

    /** Waits for a line of the log that contains a text. */
    String awaitLine(String text) throws IOException, InterruptedException {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
        synchronized (log) {
            while (true) {
                for (String line : log) {
                    if (line.contains(text)) {
                        return line;
                    }
                }
                long left = deadline - System.nanoTime();
                if (left <= 0 || !process.isAlive()) {
                    throw new IOException("no '" + text + "' in the broker's log: " + log);
                }
                TimeUnit.NANOSECONDS.timedWait(log, Math.min(left, TimeUnit.SECONDS.toNanos(1)));
            }
        }
    }

    /** Asks the agent in the broker, as an operator does: with the command line. */
    String agent(String... arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(
                layout.java().toString(),
                "-jar",
                layout.agent().toString(),
                arguments[0],
                Long.toString(process.pid())));
        command.addAll(List.of(arguments).subList(1, arguments.length));
        Process tool = new ProcessBuilder(command).redirectErrorStream(true).start();
        String answer = new String(tool.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (tool.waitFor() != 0) {
            throw new IOException(String.join(" ", command) + ": " + answer);
        }
        return answer;
    }

    /** The agent's status as numbers; what is no number is left out. */
    Map<String, Long> counts() throws IOException, InterruptedException {
        Map<String, Long> counts = new HashMap<>();
        for (String line : agent("status").split("\n")) {
            int equals = line.lastIndexOf('=');
            if (equals > 0 && line.substring(equals + 1).matches("\\d+")) {
                counts.put(line.substring(0, equals), Long.valueOf(line.substring(equals + 1)));
            }
        }
        return counts;
    }

    boolean isAlive() {
        return process.isAlive();
    }

    @Override
    public void close() {
        process.destroy();
        try {
            if (!process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
                process.destroyForcibly().waitFor();
            }
        } catch (InterruptedException interrupted) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }

    private void read(String name, InputStream stream) {
        Thread reader = new Thread(
                () -> {
                    try (BufferedReader lines =
                            new BufferedReader(new InputStreamReader(stream, StandardCharsets.UTF_8))) {
                        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                            take(line);
                        }
                    } catch (IOException ended) { // with the process
                    }
                    ready.completeExceptionally(new IOException("the process ended"));
                },
                "broker-" + name);
        reader.setDaemon(true);
        reader.start();
    }

    private void take(String line) {
        if (line.startsWith(READY)) {
            ready.complete(line.substring(READY.length()));
        }
        synchronized (log) {
            log.add(line);
            log.notifyAll();
        }
    }
}
