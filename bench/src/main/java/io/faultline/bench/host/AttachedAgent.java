package io.faultline.bench.host;

import io.faultline.bench.Layout;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * The agent in a process, asked as an operator asks it: with its command line.
 *
 * @param layout where the agent is
 * @param pid the process
 */
public record AttachedAgent(Layout layout, long pid) {

    /**
     * Runs the command line.
     *
     * @param command what to do, such as {@code status}
     * @param arguments what follows the pid
     * @return what it printed
     * @throws IOException if it says that it could not
     * @throws InterruptedException if interrupted meanwhile
     */
    public String run(String command, String... arguments) throws IOException, InterruptedException {
        List<String> line = new ArrayList<>(List.of(
                layout.java().toString(),
                "-XX:TieredStopAtLevel=1",
                "-jar",
                layout.agent().toString(),
                command,
                Long.toString(pid)));
        line.addAll(List.of(arguments));
        Process tool = new ProcessBuilder(line).redirectErrorStream(true).start();
        String answer = new String(tool.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (tool.waitFor() != 0) {
            throw new IOException(String.join(" ", line) + ": " + answer);
        }
        return answer;
    }

    /**
     * The agent's status.
     *
     * @return its numbers
     * @throws IOException if it does not answer
     * @throws InterruptedException if interrupted meanwhile
     */
    public AgentCounts counts() throws IOException, InterruptedException {
        return AgentCounts.of(run("status"));
    }
}
