package io.faultline.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.faultline.agent.host.Content;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Faults around the agent, and of its own: the host works as if there were none, and one line says what is the matter. */
class FailOpenIT {

    private static final int SIZE = 64 << 10;

    @TempDir
    private Path folder;

    @Test
    void aListenerThatThrowsHarmsNoOther() throws IOException {
        try (HostJvm host = HostJvm.withAgent("")) {
            host.ask("subscribe-throwing");
            host.ask("subscribe");

            assertServes(host);

            assertThat(host.awaitVerdict(1).outcome()).isEqualTo("SOCKET REGION_READABLE");
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "mode=kill            | mode=kill: accepted is act, observe or off",
                "metrics.port=70000   | metrics.port=70000: accepted is a port, 0 for any free one; unset for no HTTP",
                "act.last-dir=perhaps | act.last-dir=perhaps: accepted is act or observe",
                "moed=off             | agent argument moed=off: unknown key; accepted keys are mode,",
                "nonsense             | agent argument 'nonsense' is no key=value; accepted keys are mode,",
                "config=/none/there   | config=/none/there cannot be read"
            })
    void aWrongOptionIsOneLineAndTheHostServes(String options, String line) throws IOException {
        try (HostJvm host = HostJvm.withAgent(options)) {
            assertServes(host);

            awaitErrorLines(host, 2);
            assertThat(host.errorLines().get(0)).contains("Faultline: " + line);
            assertThat(host.status()).as("what was meant is not known").containsEntry("mode", "observe");
        }
    }

    @Test
    void aLogFileThatCannotBeWrittenIsReplacedByStandardError() throws IOException {
        try (HostJvm host = HostJvm.withAgent("log=/none/there/faultline.log")) {
            assertServes(host);

            awaitErrorLines(host, 2);
            assertThat(host.errorLines().get(0))
                    .contains("log=/none/there/faultline.log", "accepted is stderr, slf4j or a file");
        }
    }

    @Test
    void aLogThatNobodyReadsHoldsUpNothing() throws Exception {
        Path pipe = folder.resolve("pipe");
        assertThat(Finished.run("mkfifo", pipe.toString()).exit()).isZero();
        Path file = Content.write(folder.resolve("segment"), SIZE);
        try (HostJvm host = HostJvm.withAgent("rehearse=on,metrics.port=0,log=" + pipe)) {
            host.ask("own", folder);
            host.control("rehearse\t" + file + "\t0\t100");

            host.transfer("send", file, 0, SIZE);

            int port = Integer.parseInt(host.status().get("metrics.bound"));
            await().atMost(HostJvm.PATIENCE)
                    .untilAsserted(() -> assertThat(MetricsPage.samples(port))
                            .containsEntry(
                                    "faultline_directory_offline{by=\"faultline\",dir=\"" + folder + "\"}", 1.0));
            assertThat(host.control("mode\tobserve")).isEqualTo("ok mode observe");
        }
    }

    @Test
    void aMetricsPortInUseCostsTheMetricsOnly() throws IOException {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                HostJvm host = HostJvm.withAgent("metrics.port=" + taken.getLocalPort())) {
            assertServes(host);

            assertThat(host.errorLines())
                    .hasSize(2)
                    .anySatisfy(line ->
                            assertThat(line).contains("metrics.port=" + taken.getLocalPort(), "127.0.0.1", "accepted"));
            assertThat(host.status()).containsEntry("metrics.bound", "none").containsEntry("mode", "act");
        }
    }

    @Test
    void aTransportLayerOfAnotherShapeIsLeftAsItIs() throws IOException {
        String name = "org.apache.kafka.common.network.SslTransportLayer";
        Path classes = compile(
                name,
                "public class SslTransportLayer { "
                        + "public long transferFrom(java.nio.channels.FileChannel file, long position, long count) { return 42; } }");
        try (HostJvm host =
                HostJvm.with().classPath(List.of(classes)).agent("").start().awaitAgent()) {
            host.ask("load", name);

            assertServes(host);

            assertThat(host.awaitErrorLine(line -> line.contains(name))).contains("cannot weave", "go unseen");
            awaitErrorLines(host, 2);
            assertThat(host.status())
                    .containsEntry("woven." + name, "false")
                    .containsEntry("woven.sun.nio.ch.FileChannelImpl", "true");
        }
    }

    @Test
    void anAgentWhoseJarIsDamagedLeavesTheHostAlone() throws IOException {
        Path damaged = AgentJar.copyWithoutCore(folder.resolve("damaged.jar"));
        try (HostJvm host = HostJvm.with().jvm("-javaagent:" + damaged).start()) {
            assertServes(host);

            assertThat(host.errorLines())
                    .singleElement()
                    .asString()
                    .startsWith("Faultline is off: java.lang.ClassNotFoundException");
        }
    }

    @Test
    void anAgentThatIsGivenTwiceIsThereOnce() throws IOException {
        try (HostJvm host = HostJvm.with().agent("").agent("").start().awaitAgent()) {
            host.ask("subscribe");
            host.awaitErrorLine(line -> line.contains("is not attached a second time"));

            assertServes(host);

            host.awaitVerdict(1);
            assertThat(host.count("handed-over")).isEqualTo(1);
        }
    }

    /** So soon, perhaps, that the agent is still starting. */
    @RepeatedTest(5)
    void aHostEndsAsSoonAsItsOwnThreadsHave() throws IOException {
        Path classes = compile("Short", "public class Short { public static void main(String[] a) {} }");

        Finished ended = Finished.run(
                TestJdk.tool("java"),
                "-javaagent:" + AgentJar.path() + "=metrics.port=0",
                "-cp",
                classes.toString(),
                "Short");

        assertThat(ended.exit()).isZero();
        assertThat(ended.out()).isEmpty();
    }

    @Test
    void theAgentsThreadsNeverKeepAHostAlive() throws IOException {
        try (HostJvm host = HostJvm.withAgent("metrics.port=0")) {
            host.ask("subscribe");
            assertServes(host);
            host.awaitVerdict(1);

            assertThat(host.end()).isZero();
        }
    }

    private static void awaitErrorLines(HostJvm host, int number) {
        await().atMost(HostJvm.PATIENCE)
                .untilAsserted(() -> assertThat(host.errorLines()).hasSize(number));
    }

    private void assertServes(HostJvm host) throws IOException {
        Path file = Content.write(folder.resolve("segment"), SIZE);
        assertThat(host.transfer("send", file, 0, SIZE)).isEqualTo(new HostJvm.Sent(SIZE, ""));
        assertThat(host.transfer("reset", file, 0, SIZE).failure()).startsWith("java.io.IOException: ");
    }

    private Path compile(String name, String source) throws IOException {
        return Compiled.into(folder.resolve("classes"), name, source);
    }
}
