package io.faultline.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.sun.tools.attach.VirtualMachine;
import io.faultline.agent.host.Content;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An agent that comes into a host which serves already, changes its mode, leaves, and is followed by a newer one. */
class AttachIT {

    private static final String FILE_CHANNEL = "sun.nio.ch.FileChannelImpl";
    private static final int SIZE = 64 << 10;

    @TempDir
    private Path folder;

    private HostJvm host;
    private Path file;
    private String oldCode;

    @BeforeEach
    void serve() throws IOException {
        file = Content.write(folder.resolve("segment"), SIZE);
        host = HostJvm.with().start();
        host.ask("subscribe");
        assertThat(host.transfer("send", file, 0, SIZE).bytes()).isEqualTo(SIZE);
        host.transfer("reset", file, 0, SIZE);
        oldCode = codeInForce();
    }

    @AfterEach
    void end() {
        host.close();
    }

    @Test
    void aHostThatServesAlreadyIsWovenAndItsListenerToldFromThenOn() {
        Finished attached = AgentCommand.run("attach", host.pid(), "mode=observe");

        assertThat(attached.exit()).isZero();
        assertThat(attached.out())
                .containsExactly(
                        "Faultline " + AgentJar.version() + " is attached to process " + host.pid() + ", mode observe");
        assertThat(attached.err()).isEmpty();
        assertThat(codeInForce()).isNotEqualTo(oldCode);
        host.transfer("reset", file, 0, SIZE);
        assertThat(host.awaitVerdict(1).outcome()).isEqualTo("SOCKET REGION_READABLE");
    }

    @Test
    void aSecondAttachSaysThatItIsThereAlready() {
        AgentCommand.run("attach", host.pid(), "mode=observe");
        List<String> before = host.errorLines();

        Finished second = AgentCommand.run("attach", host.pid(), "mode=act");

        assertThat(second.exit()).isZero();
        assertThat(second.out())
                .containsExactly(
                        "process " + host.pid() + " has Faultline " + AgentJar.version() + " already, mode observe");
        assertThat(host.errorLines()).isEqualTo(before);
        assertThat(host.status()).containsEntry("mode", "observe");
    }

    @Test
    void loadingItASecondTimeDoesNoMoreThanSaySo() throws Exception {
        AgentCommand.run("attach", host.pid());
        String woven = codeInForce();

        VirtualMachine machine = VirtualMachine.attach(Long.toString(host.pid()));
        machine.loadAgent(AgentJar.path().toString(), "mode=off");
        machine.detach();

        assertThat(host.awaitErrorLine(line -> line.contains("is attached already")))
                .endsWith("Faultline: " + AgentJar.version() + " is attached already; " + AgentJar.version()
                        + " is not attached a second time");
        assertThat(codeInForce()).isEqualTo(woven);
        assertThat(host.status()).containsEntry("mode", "act");
        host.transfer("reset", file, 0, SIZE);
        assertThat(host.awaitVerdict(1).outcome()).isEqualTo("SOCKET REGION_READABLE");
    }

    @Test
    void theModeChangesAtRunTimeAndOffGivesTheOldBytesBack() {
        AgentCommand.run("attach", host.pid(), "mode=act");
        String woven = codeInForce();

        assertThat(AgentCommand.run("mode", host.pid(), "off").out()).containsExactly("mode off");
        assertThat(codeInForce()).isEqualTo(oldCode);
        assertThat(host.status()).containsEntry("mode", "off").containsEntry("woven." + FILE_CHANNEL, "false");
        host.transfer("reset", file, 0, SIZE);
        assertThat(host.count("handed-over")).isZero();

        assertThat(host.control("mode\tobserve")).isEqualTo("ok mode observe");
        assertThat(host.control("mode\tact")).isEqualTo("ok mode act");
        assertThat(codeInForce()).isEqualTo(woven);
        host.transfer("reset", file, 0, SIZE);
        assertThat(host.awaitVerdict(1).outcome()).isEqualTo("SOCKET REGION_READABLE");
        assertThat(host.count("failures.other"))
                .as("the self-checks are not the host's")
                .isZero();
    }

    @Test
    void kafkasClassesGetTheirOldBytesBackToo() {
        String name = "org.apache.kafka.common.network.SslTransportLayer";
        try (HostJvm kafka = HostJvm.with().classPath(HostJar.kafka()).start()) {
            kafka.ask("load", name);
            String before = WovenCode.of(kafka, name, folder.resolve("bytes"));

            AgentCommand.run("attach", kafka.pid());
            assertThat(WovenCode.of(kafka, name, folder.resolve("bytes"))).isNotEqualTo(before);
            assertThat(kafka.status()).containsEntry("woven." + name, "true");

            AgentCommand.run("detach", kafka.pid());
            assertThat(WovenCode.of(kafka, name, folder.resolve("bytes"))).isEqualTo(before);
        }
    }

    @Test
    void anAgentThatIsDetachedLeavesNothingBehind() {
        AgentCommand.run("attach", host.pid(), "metrics.port=0");
        await().atMost(HostJvm.PATIENCE)
                .untilAsserted(() ->
                        assertThat(host.askList("mbeans", "kafka.faultline")).isNotEmpty());
        int port = Integer.parseInt(host.status().get("metrics.bound"));
        assertThat(MetricsPage.answers(port)).isTrue();

        Finished detached = AgentCommand.run("detach", host.pid());

        assertThat(detached.out()).containsExactly("detached");
        assertThat(codeInForce()).isEqualTo(oldCode);
        assertThat(host.socket()).doesNotExist();
        assertThat(host.askList("mbeans", "kafka.faultline")).isEmpty();
        await().atMost(HostJvm.PATIENCE).untilAsserted(() -> {
            assertThat(MetricsPage.answers(port)).isFalse();
            assertThat(host.askList("threads")).isEmpty();
        });
        Finished nobody = AgentCommand.run("status", host.pid());
        assertThat(nobody.exit()).isEqualTo(1);
        assertThat(nobody.err())
                .singleElement()
                .asString()
                .contains("no Faultline agent answers in process " + host.pid());
    }

    @Test
    void agentsThatCameAndWentAreNotKept() throws IOException {
        // What the JVM keeps for as long as memory lasts is no leak.
        try (HostJvm kept = HostJvm.with().jvm("-XX:SoftRefLRUPolicyMSPerMB=0").start()) {
            kept.ask("subscribe");
            kept.ask("mbeans", "kafka.faultline");
            kept.ask("jfr");
            comeAndGo(kept, 1);
            comeAndGo(kept, 2);

            // Up to Java 18 the JDK remembers the last class whose record was compared, whichever that was
            // (JDK-8078641).
            int remembered = TestJdk.feature() < 19 ? 1 : 0;
            await().atMost(HostJvm.PATIENCE)
                    .untilAsserted(() -> assertThat(loaders(kept)).isLessThanOrEqualTo(remembered));
        }
    }

    private void comeAndGo(HostJvm kept, int verdict) throws IOException {
        AgentCommand.run("attach", kept.pid(), "metrics.port=0,audit.file=" + folder.resolve("audit"));
        await().atMost(HostJvm.PATIENCE)
                .until(() -> kept.ask("jfr-knows", "io.faultline.Verdict").equals("true"));
        await().atMost(HostJvm.PATIENCE)
                .untilAsserted(() ->
                        assertThat(kept.askList("mbeans", "kafka.faultline")).isNotEmpty());
        MetricsPage.samples(Integer.parseInt(kept.status().get("metrics.bound")));
        kept.transfer("reset", file, 0, SIZE);
        kept.awaitVerdict(verdict);
        assertThat(loaders(kept)).as("the one that is attached, too").isPositive();
        assertThat(kept.control("detach")).isEqualTo("ok detached");
        await().atMost(HostJvm.PATIENCE)
                .untilAsserted(() -> assertThat(kept.askList("threads")).isEmpty());
    }

    /** The loaders of agents that can be reached, as the JVM's own histogram counts them behind a full collection. */
    private static int loaders(HostJvm host) {
        return Finished.run(TestJdk.tool("jcmd"), Long.toString(host.pid()), "GC.class_histogram").out().stream()
                .filter(line -> line.matches(".* io\\.faultline\\.agent\\.IsolatedLoader( .*)?"))
                .mapToInt(line -> Integer.parseInt(line.strip().split("\\s+")[1]))
                .sum();
    }

    @Test
    void aNewerAgentFollowsAnOlderOneWithoutARestart() throws IOException {
        Path older = AgentJar.copyAs("1.0", folder.resolve("older.jar"));
        assertThat(AgentCommand.run(older, "attach", host.pid()).out())
                .singleElement()
                .asString()
                .startsWith("Faultline 1.0 is");
        host.transfer("reset", file, 0, SIZE);
        host.awaitVerdict(1);
        AgentCommand.run(older, "detach", host.pid());
        Files.delete(older);
        Path newer = AgentJar.copyAs("2.0", folder.resolve("newer.jar"));

        Finished attached = AgentCommand.run(newer, "attach", host.pid(), "mode=observe");

        assertThat(attached.out()).singleElement().asString().startsWith("Faultline 2.0 is attached");
        assertThat(host.status())
                .containsEntry("version", "2.0")
                .containsEntry("jar", newer.toString())
                .containsEntry("mode", "observe");
        host.transfer("reset", file, 0, SIZE);
        assertThat(host.awaitVerdict(2).outcome()).isEqualTo("SOCKET REGION_READABLE");
        assertThat(host.count("failures.other")).as("the self-checks of both").isZero();
    }

    @Test
    void aNewerAgentWorksWithTheHookThatAnOlderOneDefined() throws IOException {
        Path older = AgentJar.copyWithOlderHook("1.0", folder.resolve("older.jar"));
        AgentCommand.run(older, "attach", host.pid());
        AgentCommand.run(older, "detach", host.pid());

        assertThat(AgentCommand.run("attach", host.pid(), "mode=observe").exit())
                .isZero();

        host.transfer("reset", file, 0, SIZE);
        assertThat(host.awaitVerdict(1).outcome()).isEqualTo("SOCKET REGION_READABLE");
        assertThat(host.status()).containsEntry("mode", "observe").containsEntry("errors", "0");
    }

    @Test
    void anOlderAgentFollowsANewerOneWithoutARestart() throws IOException {
        Path older = AgentJar.copyAs("1.0", folder.resolve("older.jar"));
        AgentCommand.run("attach", host.pid());
        AgentCommand.run("detach", host.pid());

        assertThat(AgentCommand.run(older, "attach", host.pid(), "mode=observe").exit())
                .isZero();

        host.transfer("reset", file, 0, SIZE);
        assertThat(host.awaitVerdict(1).outcome()).isEqualTo("SOCKET REGION_READABLE");
        assertThat(host.status()).containsEntry("version", "1.0").containsEntry("errors", "0");
    }

    private String codeInForce() {
        return WovenCode.of(host, FILE_CHANNEL, folder.resolve("bytes"));
    }

    @Test
    void aSocketThatACleanerRemovedIsMadeAgain() throws IOException {
        try (HostJvm host = HostJvm.withAgent("mode=observe")) {
            Files.delete(host.socket());

            host.awaitAgent();

            assertThat(AgentCommand.run("status", host.pid()).out()).contains("mode=observe", "errors=0");
        }
    }
}
