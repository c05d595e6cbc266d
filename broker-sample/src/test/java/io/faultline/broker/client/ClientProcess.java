package io.faultline.broker.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** A {@link ClientProgram} as a process of its own. */
public final class ClientProcess implements AutoCloseable {

    /** Only ends a test whose client hangs. */
    private static final Duration PATIENCE = Duration.ofMinutes(2);

    private final Process process;
    private final Path out;

    private ClientProcess(Process process, Path out) {
        this.process = process;
        this.out = out;
    }

    /**
     * Something that a client said.
     *
     * @param nanos when, on the machine's monotonic clock
     * @param what assigned, record, committed and so on
     * @param partition the partition
     * @param offset the offset that goes with it
     * @param value the value of a record, as Base64, else empty
     */
    public record Event(long nanos, String what, String partition, long offset, String value) {}

    /**
     * Starts a client with the newest kafka-clients.
     *
     * @param scratch where its output may be
     * @param arguments its arguments
     * @return the process
     * @throws IOException if it cannot be started
     */
    public static ClientProcess newest(Path scratch, String... arguments) throws IOException {
        return start(scratch, System.getProperty("java.class.path"), arguments);
    }

    /**
     * Starts a client with kafka-clients 2.8.
     *
     * @param scratch where its output may be
     * @param arguments its arguments
     * @return the process
     * @throws IOException if it cannot be started
     */
    public static ClientProcess ofKafka28(Path scratch, String... arguments) throws IOException {
        String jars = System.getProperty("old.clients") + File.separator + "*";
        return start(scratch, "target/test-classes" + File.pathSeparator + jars, arguments);
    }

    private static ClientProcess start(Path scratch, String classPath, String... arguments) throws IOException {
        Path out = Files.createTempFile(scratch, "client", "");
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx128m",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                classPath,
                ClientProgram.class.getName()));
        command.addAll(List.of(arguments));
        ProcessBuilder builder =
                new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(out.toFile());
        builder.environment().remove("JAVA_TOOL_OPTIONS");
        return new ClientProcess(builder.start(), out);
    }

    /**
     * What it has printed so far.
     *
     * @return its output and errors
     * @throws IOException if it cannot be read
     */
    public String printed() throws IOException {
        return Files.readString(out);
    }

    /**
     * What it has said so far.
     *
     * @return the events in their order
     * @throws IOException if it cannot be read
     */
    public List<Event> events() throws IOException {
        String printed = printed();
        List<Event> events = new ArrayList<>();
        // Behind the last line end there may be half a line.
        for (String line : printed.substring(0, printed.lastIndexOf('\n') + 1).split("\n")) {
            String[] words = line.split(" ");
            if (words.length >= 4 && line.matches("\\d+ (assigned|revoked|lost|record|committed) .*")) {
                events.add(new Event(
                        Long.parseLong(words[0]),
                        words[1],
                        words[2],
                        Long.parseLong(words[3]),
                        words.length > 4 ? words[4] : ""));
            }
        }
        return events;
    }

    /**
     * The values of the records that it consumed from a topic.
     *
     * @param topic the topic
     * @return the values as text
     * @throws IOException if they cannot be read
     */
    public List<String> values(String topic) throws IOException {
        return events().stream()
                .filter(event -> event.what().equals("record")
                        && event.partition()
                                .substring(0, event.partition().lastIndexOf('-'))
                                .equals(topic))
                .map(event ->
                        new String(Base64.getDecoder().decode(event.value()), java.nio.charset.StandardCharsets.UTF_8))
                .toList();
    }

    /**
     * The partitions that it has.
     *
     * @return their names
     * @throws IOException if they cannot be read
     */
    public Set<String> assigned() throws IOException {
        Set<String> assigned = new HashSet<>();
        for (Event event : events()) {
            if (event.what().equals("assigned")) {
                assigned.add(event.partition());
            } else if (event.what().equals("revoked") || event.what().equals("lost")) {
                assigned.remove(event.partition());
            }
        }
        return assigned;
    }

    /**
     * Waits until it ends by itself, well.
     *
     * @throws IOException if its output cannot be read
     */
    public void awaitEnd() throws IOException {
        await().atMost(PATIENCE).until(() -> !process.isAlive());
        assertThat(process.exitValue()).as(printed()).isZero();
    }

    /**
     * Asks it to leave its group and end, and waits for that.
     *
     * @throws IOException if it cannot be asked
     */
    public void leave() throws IOException {
        process.getOutputStream().write('\n');
        process.getOutputStream().flush();
        awaitEnd();
        assertThat(printed()).contains("closed");
    }

    /** Ends it at once, as a crash would. */
    @Override
    public void close() {
        process.destroyForcibly().onExit().join();
    }
}
