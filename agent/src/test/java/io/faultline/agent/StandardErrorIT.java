package io.faultline.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.faultline.agent.host.Content;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a host's standard error holds because of the agent. */
class StandardErrorIT {

    private static final String OWN_LINE = "\\S+Z Faultline: .*";
    private static final int SIZE = 64 << 10;

    @TempDir
    private Path folder;

    @Test
    void anAgentFromTheStartPrintsItsOwnLinesOnly() throws IOException {
        try (HostJvm host = HostJvm.with()
                .agent("metrics.port=0")
                .classPath(HostJar.kafka())
                .start()
                .awaitAgent()) {
            useEverything(host);
            host.end();

            assertThat(host.errorLines()).isNotEmpty().allMatch(line -> line.matches(OWN_LINE));
        }
    }

    @Test
    void anAgentThatIsAttachedAddsNothingToWhatTheJvmItselfWarnsOf() throws IOException {
        try (HostJvm host = HostJvm.with().classPath(HostJar.kafka()).start()) {
            AgentCommand.run("attach", host.pid(), "metrics.port=0");
            useEverything(host);
            AgentCommand.run("mode", host.pid(), "off");
            AgentCommand.run("detach", host.pid());
            host.end();

            List<String> others = host.errorLines().stream()
                    .filter(line -> !line.matches(OWN_LINE))
                    .toList();
            if (TestJdk.feature() < 21) {
                assertThat(others).isEmpty();
            } else {
                assertThat(others)
                        .as("the JVM's own warning of a dynamic load, once")
                        .hasSize(4)
                        .allMatch(line -> line.startsWith("WARNING: "));
                assertThat(others.get(0)).contains("A Java agent has been loaded dynamically");
            }
        }
    }

    @Test
    void aLogFileTakesEveryLine() throws IOException {
        Path log = folder.resolve("faultline.log");
        try (HostJvm host = HostJvm.withAgent("log=" + log)) {
            host.control("mode\toff");
            await().atMost(HostJvm.PATIENCE)
                    .untilAsserted(() -> assertThat(log).content().contains("mode act -> off"));
            host.end();

            assertThat(host.errorLines()).isEmpty();
            assertThat(log).content().contains("Faultline: " + AgentJar.version() + ": mode act", "mode act -> off");
        }
    }

    private void useEverything(HostJvm host) throws IOException {
        Path file = Content.write(folder.resolve("segment"), SIZE);
        host.ask("subscribe");
        host.ask("own", folder);
        host.transfer("send", file, 0, SIZE);
        host.transfer("reset", file, 0, SIZE);
        host.awaitVerdict(1);
        host.ask("mbeans", "kafka.faultline");
        host.ask("load", "org.apache.kafka.common.network.SslTransportLayer");
        MetricsPage.samples(Integer.parseInt(host.status().get("metrics.bound")));
    }
}
