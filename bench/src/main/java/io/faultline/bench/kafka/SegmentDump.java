package io.faultline.bench.kafka;

import io.faultline.bench.Layout;
import io.faultline.bench.kafka.KafkaNode.NodeHome;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Kafka's own tool that reads log segments, their indexes and the snapshots of producers, and compares them. */
public final class SegmentDump {

    private static final KafkaVersion VERSION = KafkaVersion.of("4.4.0");
    private static final Pattern COMPLAINT =
            Pattern.compile("(?i)mismatch|out of order|isvalid: false|corrupt|exception|did not find|not found");

    private final NodeHome home;

    /**
     * Makes it ready.
     *
     * @param layout where the jars are
     * @param folder where it may write
     * @throws IOException if Maven does not get Kafka's jars
     * @throws InterruptedException if interrupted while it does
     */
    public SegmentDump(Layout layout, Path folder) throws IOException, InterruptedException {
        home = new NodeHome(layout, layout.java(), KafkaJars.ofTools(layout, VERSION), folder, folder);
    }

    /**
     * Reads all segments, indexes and snapshots of a log directory, which nobody writes to.
     *
     * @param directory the log directory
     * @return the lines in which the tool complains; empty if all agree
     * @throws IOException if the tool cannot be run, or read nothing
     * @throws InterruptedException if interrupted while it runs
     */
    public List<String> complaints(Path directory) throws IOException, InterruptedException {
        String files;
        try (Stream<Path> tree = Files.walk(directory)) {
            files = tree.map(Path::toString)
                    .filter(name -> name.matches(".*/\\d{20}\\.(log|index|timeindex|snapshot)"))
                    .sorted()
                    .collect(Collectors.joining(","));
        }
        List<String> lines = run(files);
        if (lines.stream().noneMatch(line -> line.startsWith("Dumping "))) {
            throw new IOException("it dumped nothing:\n" + String.join("\n", lines));
        }
        return lines.stream().filter(line -> COMPLAINT.matcher(line).find()).toList();
    }

    private List<String> run(String files) throws IOException, InterruptedException {
        List<String> arguments = new ArrayList<>(List.of("--verify-index-only", "--files", files));
        Process process = home.tool(
                        List.of("-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"),
                        "org.apache.kafka.tools.DumpLogSegments",
                        arguments)
                .redirectErrorStream(true)
                .start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (process.waitFor() != 0) {
            throw new IOException("it ended with " + process.exitValue() + ":\n" + output);
        }
        return output.lines().toList();
    }
}
