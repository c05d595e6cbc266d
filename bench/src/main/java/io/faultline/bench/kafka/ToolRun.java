package io.faultline.bench.kafka;

import io.faultline.bench.kafka.KafkaNode.NodeHome;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.regex.Pattern;

/**
 * How a run of one of Kafka's command-line tools ended.
 *
 * @param exit its exit status
 * @param output what it printed
 */
record ToolRun(int exit, String output) {

    private static final List<String> SMALL = List.of("-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1");

    /** Runs a tool to its end, as a process. */
    static ToolRun of(NodeHome home, String mainClass, String input, List<String> arguments)
            throws IOException, InterruptedException {
        Process process =
                home.tool(SMALL, mainClass, arguments).redirectErrorStream(true).start();
        try (OutputStream given = process.getOutputStream()) {
            given.write(input.getBytes(StandardCharsets.UTF_8));
        }
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return new ToolRun(process.waitFor(), output);
    }

    /** Whether a pattern is found in what it printed, where ^ and $ are the ends of a line. */
    boolean printed(String pattern) {
        return Pattern.compile(pattern, Pattern.MULTILINE).matcher(output).find();
    }
}
